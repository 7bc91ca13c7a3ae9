//! What runs a protocol: the stepper (one ring, clear form), and the exact first step of events.

pub mod hitting;
pub(crate) mod lanes;
pub mod seek;
pub mod sliced;
pub mod stepper;
pub mod tracker;
