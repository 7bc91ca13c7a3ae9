//! The protocols, one file each. To add one: write the file, name it here, and add it to the list in
//! [`crate::lab::PROTOCOLS`].

pub mod aaf;
pub mod aaf_colouring;
pub mod aaf_orientation;
pub mod aaf_token;
pub mod elim;
pub mod fj;
pub mod pcl;
pub mod por;
pub mod ppl;
pub mod ppl_prime;
pub mod thue_morse;
pub mod undirected;
pub mod ysm;
