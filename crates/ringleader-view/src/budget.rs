//! The budget: so much memory the server takes for what clients ask of it, whatever they send. Each part is kept by whoever spends it,
//! by counting before it is taken, and all parts together are [`MAX_MEMORY`].

use crate::MAX_BODY;

/// The most connections at a time; a browser opens six for a tab.
pub(crate) const CONNECTIONS: usize = 256;
/// A body or an answer up to this size is small, and so is the head of a request: every connection may have one of each at any time.
pub(crate) const SMALL: usize = 64 << 10;
/// All large bodies that are arriving or waiting for their turn.
pub(crate) const BODIES: usize = 64 << 20;
/// All large answers that have not been read yet; the largest, a long case, is below this.
pub(crate) const ANSWERS: usize = 96 << 20;
/// What the largest case becomes in memory.
pub(crate) const CASE: usize = 256 << 20;
/// A description while it is read, with copies of its text, or a case while it is written; there is one at a time.
const UNDIVIDED: usize = CASE + 2 * MAX_BODY;
/// The most requests that compute at a time.
pub(crate) const SEATS: usize = 4;
/// What each of them needs for its answer: twenty variables of 16,384 agents as values, and their text.
const SEAT: usize = 24 << 20;
/// All runs that are remembered or in use.
pub(crate) const RUNS: usize = 400 << 20;

/// The most memory that the server takes for its clients, in bytes; the program itself needs some 10 MB more.
pub const MAX_MEMORY: usize = CONNECTIONS * 3 * SMALL + BODIES + ANSWERS + UNDIVIDED + SEATS * SEAT + RUNS;
const _: () = assert!(MAX_MEMORY == 1 << 30, "the documents speak of 1 GiB");

/// The most values of a description beside its case: a thousand edits of whole states.
pub(crate) const MAX_VALUES: usize = 1 << 15;
/// What a value takes at most: an entry of a map, in a list that has just grown.
pub(crate) const VALUE: usize = 160;
/// What an interaction of a schedule takes, as it was written and as it is kept, in lists that have just grown.
const INTERACTION: usize = 80;
/// What the coins of an interaction take.
const DRAW: usize = 112;

/// A text of JSON, and what it becomes; an upper bound that is found without building anything.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    commas: usize,
    brackets: usize,
    /// Brackets that follow a comma.
    following: usize,
}

impl Weight {
    pub(crate) fn of(text: &[u8]) -> Self {
        let (mut weight, mut last) = (Self::default(), 0);
        for &byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            weight.commas += usize::from(byte == b',');
            let bracket = matches!(byte, b'[' | b'{');
            weight.brackets += usize::from(bracket);
            weight.following += usize::from(bracket && last == b',');
            last = byte;
        }
        weight
    }

    /// How many values there are: each but the first follows a comma or a bracket.
    pub(crate) fn values(self) -> usize {
        1 + self.commas + self.brackets
    }

    /// What is left without a part.
    pub(crate) fn without(self, part: Self) -> Self {
        Self {
            commas: self.commas - part.commas,
            brackets: self.brackets - part.brackets,
            following: self.following - part.following,
        }
    }

    /// Bytes of a list of interactions. A pair has a comma of its own and follows another, so nothing else in the list makes it lighter.
    pub(crate) fn as_schedule(self) -> usize {
        INTERACTION * (1 + self.commas - self.following)
    }

    /// Bytes of a list of draws.
    pub(crate) fn as_draws(self) -> usize {
        DRAW * self.brackets + 16 * self.commas
    }

    /// Bytes of anything.
    pub(crate) fn as_values(self) -> usize {
        VALUE * self.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_an_upper_bound() {
        assert_eq!(std::mem::size_of::<(String, ringleader::value::Value)>(), 64);
        let weight = |text: &str| Weight::of(text.as_bytes());
        assert_eq!(weight(r#"{"a":[1,2,{"b":null}]}"#).values(), 6);
        assert_eq!(weight("[0,1,2]").as_schedule(), 3 * INTERACTION);
        assert_eq!(weight("[[0,1],\n [1,2], [2,1]]").as_schedule(), 4 * INTERACTION);
        assert_eq!(weight("[7,[1,2],7]").as_schedule(), 3 * INTERACTION);
        // What is no schedule is found out only when all before it was built.
        assert!(weight(r#"[7,7,7,7,"[[[[,[,[{,{"]"#).as_schedule() >= 5 * INTERACTION);
    }
}
