//! Summaries: a run read for its overview, and its missing summaries filled in.

mod fill;
mod patience;
mod reading;
mod served;
mod worker;

pub(crate) use fill::{Service, fill_run};
pub(crate) use reading::RunReading;
pub(crate) use served::Served;
pub(crate) use worker::Worker;
