//! Summaries: reads a run for its overview, and adds its missing summaries.

mod fill;
mod patience;
mod reading;
mod served;
mod worker;

pub(crate) use fill::{Service, fill_run};
pub(crate) use reading::RunReading;
pub(crate) use served::Served;
pub(crate) use worker::Worker;
