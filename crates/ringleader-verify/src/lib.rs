//! What every protocol must keep, whatever it is: laws on samples ([`laws`]), both forms equal ([`forms`]), all configurations of a
//! small ring ([`explicit`]), exact hitting times ([`exact`]). Nothing here needs more of a protocol than its blueprint.

pub mod exact;
pub mod explicit;
pub mod forms;
pub mod laws;
