//! What a set of configurations asks of an agent, so that each set is written once for every reading of a bit.
//!
//! In the clear form an agent is its state, and every answer is a `bool`. In a proof an agent stands for all states at once, and an
//! answer is a literal; the proof learns what a question means by asking it of plain states. It tabulates each question once, so a
//! question has a name, and it says which variables it reads, so that the table is small.

use super::Bit;

/// A question: its name, a number that is part of it (or 0), and the variables that it reads. Two questions of the same name, number and
/// variables are one; they may depend on the parameters of the protocol, but on nothing else.
pub type Question = (&'static str, isize, &'static [&'static str]);

/// A variable by its name, and how to read it.
pub type Read<S, T> = (&'static str, fn(&S) -> T);

/// An agent that can be asked.
pub trait Agent {
    /// The state of an agent in the clear form.
    type State;
    /// The truth of an answer.
    type Bit: Bit;

    /// Where this holds.
    fn ask(&self, question: Question, holds: impl Fn(&Self::State) -> bool) -> Self::Bit;

    /// A number of the agent, if it has it: which one of `among` it may be, each with where it is that one. The number of the question is
    /// not used.
    fn cases(
        &self,
        question: Question,
        among: impl Iterator<Item = isize>,
        number: impl Fn(&Self::State) -> Option<isize>,
    ) -> impl Iterator<Item = (isize, Self::Bit)>;

    /// Where a variable of this agent is equal to one of the other, which has the same domain.
    fn same<T: Eq>(&self, mine: Read<Self::State, T>, other: &Self, theirs: Read<Self::State, T>) -> Self::Bit;
}

/// A state answers for itself. (An agent of a proof is no plain data, so it is not one of these.)
impl<S: Copy> Agent for S {
    type State = S;
    type Bit = bool;

    #[inline(always)]
    fn ask(&self, _: Question, holds: impl Fn(&S) -> bool) -> bool {
        holds(self)
    }

    #[inline(always)]
    fn cases(
        &self,
        _: Question,
        _: impl Iterator<Item = isize>,
        number: impl Fn(&S) -> Option<isize>,
    ) -> impl Iterator<Item = (isize, bool)> {
        number(self).map(|number| (number, true)).into_iter()
    }

    #[inline(always)]
    fn same<T: Eq>(&self, mine: Read<S, T>, other: &S, theirs: Read<S, T>) -> bool {
        mine.1(self) == theirs.1(other)
    }
}
