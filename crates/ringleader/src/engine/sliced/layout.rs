//! Which lane holds what: rings, or arcs of rings when there are fewer rings than lanes.
//!
//! A ring is cut into `arcs`, each a run of `slots` agents or of one fewer. Arc `a` of ring `r` is in lane `a * rings + r`, so that
//! the arc to the right is always `rings` lanes further, in every ring at once, around the end of the word.

/// The lanes of a word as arcs of rings. A whole ring is one arc, whose right neighbour is itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The size of a ring.
    pub(super) n: usize,
    /// The number of rings.
    pub(super) rings: usize,
    /// The number of arcs of a ring.
    pub(super) arcs: usize,
    /// The number of agents of a long arc; a short one has one fewer.
    pub(super) slots: usize,
    /// The number of long arcs: they come first.
    long: usize,
}

/// Arcs that are longer than this are cut while they can be: their planes and times would not stay in the second-level cache.
const LONG: usize = 96;
/// The fewest agents of an arc. Lanes that would be idle cost nothing, so that rings are cut for them however much is paid at the ends of arcs: an
/// edge in the middle needs neighbours on both sides.
const SHORT: usize = 3;

impl Layout {
    /// The layout for `rings` rings of size `n`, or for as many of them as there is room for.
    pub(super) fn new(lanes: usize, n: usize, rings: usize) -> Self {
        let mut arcs = 1;
        while 2 * arcs <= lanes && (n / arcs > LONG || (rings <= lanes / (2 * arcs) && n / arcs >= 2 * SHORT)) {
            arcs *= 2;
        }
        Self::with_arcs(lanes, n, arcs)
    }

    /// The layout with this number of arcs, which divides the number of lanes.
    pub(super) fn with_arcs(lanes: usize, n: usize, arcs: usize) -> Self {
        let slots = n.div_ceil(arcs);
        Self { n, rings: lanes / arcs, arcs, slots, long: n - (slots - 1) * arcs }
    }

    /// The number of agents of an arc.
    pub(super) fn length(&self, arc: usize) -> usize {
        if self.is_long(arc) { self.slots } else { self.slots - 1 }
    }

    /// The first agent of an arc.
    pub(super) fn first(&self, arc: usize) -> usize {
        arc * (self.slots - 1) + arc.min(self.long)
    }

    fn is_long(&self, arc: usize) -> bool {
        arc < self.long
    }

    /// Whether there are short arcs.
    pub(super) fn has_short(&self) -> bool {
        self.long < self.arcs
    }

    /// The first lane with a short arc; all after it have one, too.
    pub(super) fn short_from(&self) -> usize {
        self.lane(0, self.long)
    }

    /// The lane of an arc of a ring.
    pub(super) fn lane(&self, ring: usize, arc: usize) -> usize {
        arc * self.rings + ring
    }

    /// The arc in a lane.
    pub(super) fn arc(&self, lane: usize) -> usize {
        lane / self.rings
    }

    /// Lane and slot of every agent of a ring, in order.
    pub(super) fn agents(self, ring: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.arcs).flat_map(move |arc| (0..self.length(arc)).map(move |slot| (self.lane(ring, arc), slot)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_its_place() {
        for lanes in [64, 512] {
            for n in (3..300).chain([1000, 1024, 16_384, 100_000]) {
                for rings in [1, 5, 16, 64, 100, 512, 10_000] {
                    let layout = Layout::new(lanes, n, rings);
                    assert_eq!(layout.rings * layout.arcs, lanes);
                    assert!(layout.slots >= 3 && layout.length(layout.arcs - 1) >= 2, "{layout:?}");
                    let places: Vec<(usize, usize)> = layout.agents(0).collect();
                    assert_eq!(places.len(), n);
                    for (i, (lane, slot)) in places.into_iter().enumerate() {
                        assert_eq!(layout.first(layout.arc(lane)) + slot, i, "{layout:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_rings_are_cut_and_many_are_not() {
        assert_eq!(Layout::new(512, 64, 512).arcs, 1);
        assert_eq!(Layout::new(512, 64, 300).arcs, 1);
        assert_eq!(Layout::new(512, 64, 64).arcs, 8);
        assert_eq!((Layout::new(512, 1000, 1).arcs, Layout::new(512, 1000, 1).slots), (256, 4));
        assert_eq!(Layout::new(512, 1024, 512).arcs, 16);
        assert_eq!((Layout::new(512, 16_384, 1).arcs, Layout::new(512, 16_384, 1).slots), (512, 32));
    }
}
