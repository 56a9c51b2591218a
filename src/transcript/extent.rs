//! How much a Markdown transcript tells.

/// How much is told of what there is to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The outlines.
    Brief,
    /// What a reader needs who was not there.
    #[default]
    Normal,
    /// Everything that was said and called.
    Full,
}

impl Detail {
    /// All of them, the shortest first.
    pub(crate) const ALL: [Self; 3] = [Self::Brief, Self::Normal, Self::Full];

    /// The name in options and at the end of a transcript.
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

/// How much a transcript may tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Of what there is.
    pub detail: Detail,
    /// The most bytes that it may have.
    pub max_bytes: Option<usize>,
}

/// How much is shown of each kind of thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Characters of a prompt and of a closing message.
    pub(super) long: usize,
    /// Columns of what is said on the way.
    pub(super) short: usize,
    /// Calls listed one by one in a stretch; of a longer one, the middle is counted.
    pub(super) calls: usize,
    /// Things shown of one task; of a longer one, the middle is counted.
    pub(super) items: usize,
    /// Errors and warnings.
    pub(super) troubles: usize,
    /// Files.
    pub(super) files: usize,
    /// Whether thoughts are shown.
    pub(super) thoughts: bool,
    /// Whether minor remarks are shown, and what remarks leave out.
    pub(super) minor: bool,
    /// Calls in the timeline.
    pub(super) bars: usize,
    /// Columns of the last answer at the top.
    pub(super) answer: usize,
}

const ALL: usize = usize::MAX;

impl Limits {
    #[rustfmt::skip]
    pub(super) const BRIEF: Self = Self { long: 240, short: 100, calls: 3, items: 8, troubles: 15, files: 10, thoughts: false, minor: false, bars: 0, answer: 160 };
    #[rustfmt::skip]
    pub(super) const NORMAL: Self = Self { long: 2000, short: 280, calls: 12, items: 60, troubles: 50, files: 40, thoughts: true, minor: false, bars: 40, answer: 400 };
    #[rustfmt::skip]
    pub(super) const FULL: Self = Self { long: 20_000, short: 2000, calls: ALL, items: ALL, troubles: ALL, files: ALL, thoughts: true, minor: true, bars: 200, answer: 400 };
    /// Hardly anything: where there is little room.
    #[rustfmt::skip]
    pub(super) const LEAST: Self = Self { long: 160, short: 80, calls: 2, items: 3, troubles: 3, files: 3, thoughts: false, minor: false, bars: 0, answer: 0 };

    /// For what a spawned agent did: less than for the run itself, unless all is told.
    pub(super) fn nested(self) -> Self {
        let part = |most: usize| if most == usize::MAX { most } else { (most / 3).max(2) };
        Self { long: part(self.long), calls: part(self.calls), items: part(self.items), ..self }
    }
}
