//! Chapters: finished tasks folded under a name and a message; nothing is lost
//! (seed *agex-chapters*).

pub mod fold;
pub mod index;
pub mod page;
pub mod plan;
pub mod tree;
