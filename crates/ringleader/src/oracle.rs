//! The oracle Omega? of Fischer and Jiang: it tells the agents whether there is a leader.
//!
//! "Leader" it says at once, "no leader" only when the ring has been without one for `delay` interactions in a row. Its answer is an
//! input of the interaction ([`crate::protocol::Input::leader`]), worked out by whoever runs the ring, so that a protocol
//! that asks is still a function of what it is given.

/// What the oracle knows of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oracle {
    delay: u64,
    leaders: usize,
    leaderless: u64,
}

impl Oracle {
    /// The oracle of a ring with so many leaders, before the first interaction.
    #[must_use]
    pub fn new(delay: u64, leaders: usize) -> Self {
        Self { delay, leaders, leaderless: 0 }
    }

    /// The same, if the ring has been without a leader for so many interactions already; more than the delay count as the delay.
    #[must_use]
    pub fn remembering(self, leaderless: u64) -> Self {
        Self { leaderless: if self.leaders == 0 { leaderless.min(self.delay) } else { 0 }, ..self }
    }

    /// What it says: whether there is a leader.
    #[inline]
    #[must_use]
    pub fn leader(&self) -> bool {
        self.leaders > 0 || self.leaderless < self.delay
    }

    /// How many leaders there are.
    #[must_use]
    pub fn leaders(&self) -> usize {
        self.leaders
    }

    /// For how many interactions the ring has been without a leader, up to the delay.
    #[must_use]
    pub fn leaderless(&self) -> u64 {
        self.leaderless
    }

    /// Takes in an interaction whose two agents had `before` leaders among them and now have `after`.
    #[inline]
    pub fn observe(&mut self, before: usize, after: usize) {
        let leaders = self.leaders + after - before;
        let still = self.leaders == 0 && leaders == 0;
        self.leaderless = if still { (self.leaderless + 1).min(self.delay) } else { 0 };
        self.leaders = leaders;
    }

    /// Takes in a change that was no interaction, such as a fault.
    pub fn recount(&mut self, leaders: usize) {
        if self.leaders > 0 || leaders > 0 {
            self.leaderless = 0;
        }
        self.leaders = leaders;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers along a run with these numbers of leaders.
    fn answers(delay: u64, leaders: &[usize]) -> Vec<bool> {
        let mut oracle = Oracle::new(delay, leaders[0]);
        let mut said = vec![oracle.leader()];
        for pair in leaders.windows(2) {
            oracle.observe(pair[0], pair[1]);
            said.push(oracle.leader());
        }
        said
    }

    #[test]
    fn the_immediate_oracle_tells_the_truth() {
        assert_eq!(answers(0, &[0, 1, 2, 0, 0, 1]), [false, true, true, false, false, true]);
    }

    #[test]
    fn a_delay_holds_back_no_leader_only() {
        assert_eq!(answers(2, &[0, 0, 0, 0, 1]), [true, true, false, false, true]);
        assert_eq!(answers(2, &[0, 0, 1, 0, 0, 0]), [true, true, true, true, true, false]);
    }

    #[test]
    fn a_fault_is_seen_at_once() {
        let mut oracle = Oracle::new(1, 0).remembering(9);
        assert_eq!((oracle.leader(), oracle.leaderless()), (false, 1));
        oracle.recount(0);
        assert!(!oracle.leader());
        oracle.recount(1);
        assert!(oracle.leader());
        oracle.recount(0);
        assert_eq!((oracle.leader(), oracle.leaderless()), (true, 0));
    }
}
