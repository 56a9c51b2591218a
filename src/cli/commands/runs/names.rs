//! Names of runs that are short and still name one run.

/// The least width of the beginning of a run's name.
const NAME: usize = 16;

/// Shortens names to beginnings that only one run has. A beginning still names the run.
pub(in crate::cli::commands) fn shorten(names: &mut [String], all: &[String]) {
    let mut sorted: Vec<&str> = all.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let common = |one: &str, other: &str| {
        let pairs = one.char_indices().zip(other.chars());
        let same = pairs.take_while(|((_, one), other)| one == other);
        same.last().map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    for name in names {
        let Ok(at) = sorted.binary_search(&name.as_str()) else { continue };
        let neighbours = [at.checked_sub(1), at.checked_add(1)];
        let neighbours = neighbours.into_iter().flatten().filter_map(|at| sorted.get(at));
        let longest = neighbours.map(|other| common(name, other)).max().unwrap_or(0);
        let length = (longest + 1).max(NAME);
        // A few characters less are not worth it.
        if name.len() > length + 4 {
            name.truncate(name.ceil_char_boundary(length));
        }
    }
}
