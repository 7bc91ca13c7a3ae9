//! What the paper claims, decided on all configurations by SAT.
//!
//! A circuit of the library is read with bits that are literals ([`bits`]), a ring of agents becomes a list of such bits
//! ([`machine`]), a set of configurations a circuit over them ([`sets`]), and a claim a formula without solution ([`claims`]).

pub mod bits;
pub mod claims;
pub mod cnf;
pub mod court;
pub mod machine;
pub mod play;
pub mod sets;
pub mod solve;
pub mod table;
