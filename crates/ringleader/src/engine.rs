//! What runs a protocol: the stepper (one ring, clear form), the sliced engine (many rings at once, circuit), and the exact first
//! step of whatever is looked for.

pub mod hitting;
pub mod seek;
pub mod sliced;
pub mod stepper;
pub mod tracker;
pub(crate) mod whole;
