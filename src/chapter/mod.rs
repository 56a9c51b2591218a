//! Chapters: finished tasks folded under a name and a message; nothing is lost
//! (seed *agex-chapters*).

pub mod answer;
pub mod ask;
pub mod folded;
pub mod index;
pub mod page;
pub mod plan;
pub mod propose;
pub mod spans;
pub mod work_markers;

pub mod tree;
