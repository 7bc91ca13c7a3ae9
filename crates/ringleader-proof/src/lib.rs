//! What the paper claims, decided on all configurations by SAT.
//!
//! A circuit of the library is read with bits that are literals ([`ringleader_notation::graph`]), so that an agent is in any state ([`symbolic`]) and a ring of
//! them in any configuration ([`unrolling`]). The sets of the paper are the library's own, read with literals, and a claim is a formula
//! without solution ([`claims`], [`query`]). What a solution shows is confirmed by the clear form ([`witness`]).

pub mod claims;
pub mod cnf;
pub mod diagram;
pub mod domains;
pub mod miter;
pub mod query;
pub mod solve;
pub mod symbolic;
pub mod texts;
pub mod unrolling;
pub mod witness;
