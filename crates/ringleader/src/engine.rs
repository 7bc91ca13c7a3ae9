//! What runs a protocol: the stepper (one ring, clear form), the sliced engine (many rings at once, circuits), what they
//! observe, and the exact first step of events.

pub mod hitting;
pub mod seek;
pub mod sliced;
pub mod stepper;
pub mod tracker;
