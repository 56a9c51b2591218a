//! Chapters: finished tasks folded under a name and a message. No event is lost (seed
//! *agex-chapters*).

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod due;
pub(crate) mod folded;
pub(crate) mod index;
pub(crate) mod outline;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod propose;
pub(crate) mod spans;
pub(crate) mod work_markers;

pub(crate) mod tree;
