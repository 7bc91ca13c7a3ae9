//! What runs a protocol: the stepper (one ring, clear form), and the exact first step of events.

pub mod hitting;
pub mod stepper;
pub mod tracker;
