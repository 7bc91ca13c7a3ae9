//! The protocols, one file each. They know nothing of each other's place in any list.

pub mod aaf;
pub mod aaf_colouring;
pub mod aaf_orientation;
pub mod aaf_token;
pub mod coloring;
pub mod elim;
pub mod fj;
pub mod pcl;
pub mod por;
pub mod ppl;
pub mod thue_morse;
pub mod undirected;
pub mod ysm;
