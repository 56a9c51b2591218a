//! How detailed and how long a transcript is.

/// The level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// An outline.
    Brief,
    /// Enough for a reader who did not follow the run.
    #[default]
    Normal,
    /// Every message and every call.
    Full,
}

impl Detail {
    /// All levels, the least detailed first.
    pub(crate) const ALL: [Self; 3] = [Self::Brief, Self::Normal, Self::Full];

    /// The name used in options and in the footer of a transcript.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::Normal => "normal",
            Self::Full => "full",
        }
    }

    pub(super) fn limits(self) -> Limits {
        match self {
            Self::Brief => Limits::BRIEF,
            Self::Normal => Limits::NORMAL,
            Self::Full => Limits::FULL,
        }
    }
}

/// The level of detail and the maximum size of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The level of detail. `None`: normal, or brief if `transcript.md` would otherwise pass
    /// [`LONGEST_NORMAL`].
    pub detail: Option<Detail>,
    /// The maximum size in bytes.
    pub max_bytes: Option<usize>,
}

/// The size in bytes up to which a transcript is of normal detail if no level is chosen. A forge
/// shows a file of this size quickly, and a person can read it.
pub(super) const LONGEST_NORMAL: usize = 64 << 10;

/// The maximum amount shown of each kind of content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Maximum number of characters of a prompt and of the last message of a task.
    pub(super) long: usize,
    /// Maximum number of columns of other messages.
    pub(super) short: usize,
    /// Maximum number of consecutive calls listed; in a longer series, the middle is only counted.
    pub(super) calls: usize,
    /// Maximum number of items shown per task; in a longer task, the middle is only counted.
    pub(super) items: usize,
    /// Maximum number of errors and warnings.
    pub(super) troubles: usize,
    /// Maximum number of files.
    pub(super) files: usize,
    /// Whether thoughts are shown.
    pub(super) thoughts: bool,
    /// Whether minor remarks are shown, and the content that the line of a remark omits.
    pub(super) minor: bool,
    /// Maximum number of calls in the timeline.
    pub(super) bars: usize,
    /// Maximum number of characters of the last answer, shown at the top.
    pub(super) answer: usize,
}

/// Maximum duration of a call that the Timeline draws, in milliseconds: 30 days. Next to a call of
/// several years, no other call would be visible.
pub(super) const LONGEST_BAR: u64 = 30 * 86_400_000;

const ALL: usize = usize::MAX;

impl Limits {
    #[rustfmt::skip]
    pub(super) const BRIEF: Self = Self { long: 800, short: 100, calls: 3, items: 8, troubles: 15, files: 10, thoughts: false, minor: false, bars: 0, answer: 1200 };
    #[rustfmt::skip]
    pub(super) const NORMAL: Self = Self { long: 4000, short: 280, calls: 12, items: 60, troubles: 50, files: 40, thoughts: true, minor: false, bars: 40, answer: 4000 };
    #[rustfmt::skip]
    pub(super) const FULL: Self = Self { long: 20_000, short: 2000, calls: ALL, items: ALL, troubles: ALL, files: ALL, thoughts: true, minor: true, bars: 200, answer: 8000 };
    /// The minimum, for transcripts with a small size limit.
    #[rustfmt::skip]
    pub(super) const LEAST: Self = Self { long: 160, short: 80, calls: 2, items: 3, troubles: 3, files: 3, thoughts: false, minor: false, bars: 0, answer: 0 };

    /// The limits for a spawned agent: stricter than for the run itself, except at full detail.
    pub(super) fn nested(self) -> Self {
        let part = |most: usize| if most == usize::MAX { most } else { (most / 3).max(2) };
        Self { long: part(self.long), calls: part(self.calls), items: part(self.items), ..self }
    }
}
