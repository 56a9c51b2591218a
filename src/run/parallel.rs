//! Work on many items by two threads at once.

/// From so many items on, a second thread pays.
const MANY: usize = 256;

/// Says that memory will be used again and again: glibc's allocator gives what is free above
/// a threshold back to the system, and sets that by the largest piece that was ever freed.
/// Others may do as they like.
pub(super) fn keep_memory() {
    const LARGE: usize = 16 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}

/// Works on the items in order: all at once, or each half by a thread of its own when they
/// are many.
pub(super) fn chunks<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(&'i [T]) -> R + Sync,
) -> Vec<R> {
    if items.len() < MANY {
        return vec![work(items)];
    }
    let (first, second) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| work(second));
        let first = work(first);
        match second.join() {
            Ok(second) => vec![first, second],
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Maps the items, in order.
pub(super) fn map<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    let mut halves = chunks(items, |items| items.iter().map(&work).collect::<Vec<R>>());
    let rest = halves.split_off(1);
    let mut all = halves.pop().unwrap_or_default();
    all.extend(rest.into_iter().flatten());
    all
}
