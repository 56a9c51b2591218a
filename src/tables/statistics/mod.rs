//! Statistics over the rows of runs: what `runlog stats` prints. The definitions are those of the
//! tables, so another engine over the exported tables gives the same numbers.

mod dimension;
mod groups;
mod measures;

pub(crate) use dimension::{Dimension, DimensionScope};
pub(crate) use groups::{GroupKey, Groups, StatisticsSink, scope};
pub(crate) use measures::{IN_EACH_ROW, MEASURES, Measure, MeasureValue, Measures};
