//! Token tailoring: whole rounds are left out until the rest fits the budget.

/// Which rounds are left out first. The newest one always stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tailoring {
    /// The middle one, again and again.
    #[default]
    Middle,
    /// The oldest one.
    Head,
    /// The newest one before the last.
    Tail,
}

impl Tailoring {
    /// How many of the first and of the last rounds stay if `kept` rounds stay.
    fn split(self, kept: usize) -> (usize, usize) {
        match self {
            _ if kept <= 1 => (0, kept),
            Self::Middle => (kept.div_ceil(2), kept / 2),
            Self::Head => (0, kept),
            Self::Tail => (kept - 1, 1),
        }
    }
}

/// The rounds that stay: that many of the first ones and that many of the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptEnds {
    /// From the beginning.
    pub(crate) first: usize,
    /// From the end.
    pub(crate) last: usize,
}

/// Leaves out rounds until their tokens fit the budget. `costs` are the tokens of the rounds. With
/// `gap`, rounds that cannot stay are already missing after that many rounds.
#[must_use]
pub(crate) fn tailored(
    strategy: Tailoring,
    costs: &[u64],
    gap: Option<usize>,
    budget: u64,
) -> KeptEnds {
    let count = costs.len();
    let (most_first, most_last) = gap.map_or((count, count), |gap| (gap, count - gap));
    let mut sums = vec![0_u64];
    for cost in costs {
        sums.push(sums[sums.len() - 1].saturating_add(*cost));
    }
    for kept in (2..=count).rev() {
        let (first, last) = strategy.split(kept);
        if first > most_first || last > most_last {
            continue;
        }
        let dropped = sums[count - last] - sums[first];
        if sums[count].saturating_sub(dropped) <= budget {
            return KeptEnds { first, last };
        }
    }
    KeptEnds { first: 0, last: count.min(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds that stay, by their numbers from 1.
    fn kept(strategy: Tailoring, costs: &[u64], budget: u64) -> Vec<usize> {
        let KeptEnds { first, last } = tailored(strategy, costs, None, budget);
        let count = costs.len();
        (1..=count).filter(|round| *round <= first || *round > count - last).collect()
    }

    /// If this fails, the beginning of the work or the newest round is lost, or more than needed.
    #[test]
    fn fact_18_middle_out_drops_the_middle_round_again_and_again() {
        let rounds = [10; 6];
        for (budget, expected) in [
            (60, &[1, 2, 3, 4, 5, 6][..]),
            (59, &[1, 2, 3, 5, 6]),
            (49, &[1, 2, 5, 6]),
            (39, &[1, 2, 6]),
            (29, &[1, 6]),
            (19, &[6]),
            (0, &[6]),
        ] {
            assert_eq!(kept(Tailoring::Middle, &rounds, budget), expected, "{budget}");
        }
        assert_eq!(kept(Tailoring::Middle, &[1, 1, 100, 1, 1], 50), [1, 2, 4, 5]);
    }

    /// If this fails, the oldest rounds stay although the newest are wanted, or the other way round.
    #[test]
    fn fact_18_the_newest_round_always_stays() {
        assert_eq!(kept(Tailoring::Head, &[10; 5], 35), [3, 4, 5]);
        assert_eq!(kept(Tailoring::Tail, &[10; 5], 35), [1, 2, 5]);
        for strategy in [Tailoring::Middle, Tailoring::Head, Tailoring::Tail] {
            assert_eq!(kept(strategy, &[10, 10, 1000], 50), [3]);
            assert_eq!(kept(strategy, &[10, 10, 1000], 1020), [1, 2, 3]);
            assert_eq!(kept(strategy, &[], 50), [0_usize; 0]);
        }
    }

    /// If this fails, rounds that are not there any more count as kept.
    #[test]
    fn rounds_that_are_missing_already() {
        let ends = |strategy, budget| tailored(strategy, &[10, 10, 10, 10], Some(2), budget);
        assert_eq!(ends(Tailoring::Middle, 35), KeptEnds { first: 2, last: 1 });
        assert_eq!(ends(Tailoring::Head, 1000), KeptEnds { first: 0, last: 2 });
        assert_eq!(ends(Tailoring::Tail, 1000), KeptEnds { first: 2, last: 1 });
        assert_eq!(ends(Tailoring::Middle, 1000), KeptEnds { first: 2, last: 2 });
        let newest = tailored(Tailoring::Head, &[10, 10], Some(0), 1000);
        assert_eq!(newest, KeptEnds { first: 0, last: 2 });
    }
}
