//! Work on many items by two threads at once.

/// From so many items on, a second thread pays.
const MANY: usize = 256;

/// Maps the items, in order; each half by a thread of its own when they are many.
pub(super) fn map<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    if items.len() < MANY {
        return items.iter().map(work).collect();
    }
    let (first, second) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| second.iter().map(&work).collect::<Vec<R>>());
        let mut all: Vec<R> = first.iter().map(&work).collect();
        match second.join() {
            Ok(rest) => all.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}
