//! Writes runs in the formats of other programs.

mod one_run;

pub(crate) use one_run::{RunFormat, render_run};
