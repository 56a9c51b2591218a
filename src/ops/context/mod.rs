//! The context of a run: what a model needs to continue it, within a budget of tokens.
//!
//! | module | purpose |
//! |---|---|
//! | [`settings`] | what is wanted |
//! | [`scan`] | the summaries, the chapters and the rounds of a run |
//! | [`load`] | the texts of what fits |
//! | [`make`] | all of it together |

mod load;
mod make;
mod scan;
mod settings;

pub(crate) use make::{MadeContext, context};
pub(crate) use settings::{BudgetSource, ContextSettings};
