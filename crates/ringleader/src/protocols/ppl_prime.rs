//! P'_PL of Section 4.2: P_PL that always executes the branch for construction mode.
//!
//! It creates no leader, so it converges only from configurations that keep one (C_PB). The paper uses it in
//! Lemma "srl_variant": as long as all agents are in construction mode, P_PL and P'_PL behave identically.
//! The code is P_PL's own with one constant changed, so that the two cannot drift apart.

/// P'_PL.
pub type PplPrime = super::ppl::PplOf<true>;
