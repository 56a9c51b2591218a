//! A long list that grows without being copied.

use std::ops::{Index, IndexMut};

/// The number of items in a block: a power of two, so that finding an item takes no division.
const BLOCK: usize = 1 << 12;

/// A list in blocks of equal length. A `Vec` that doubles is copied to new memory, and the memory
/// that it leaves is seldom used again. A list of a million items in blocks takes no more than its
/// items.
#[derive(Clone, Debug)]
pub(crate) struct BlockList<T> {
    /// All blocks but the last are full.
    blocks: Vec<Vec<T>>,
}

impl<T> Default for BlockList<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T> BlockList<T> {
    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// Whether there are no items.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Appends an item.
    pub(crate) fn push(&mut self, item: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(item),
            // The first block grows as it needs, because most lists are short.
            None => self.blocks.push(vec![item]),
            Some(_) => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(item);
                self.blocks.push(block);
            }
        }
    }

    /// Takes the last item away.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let block = self.blocks.last_mut()?;
        let item = block.pop();
        if block.is_empty() {
            self.blocks.pop();
        }
        item
    }

    /// The last item.
    pub(crate) fn last(&self) -> Option<&T> {
        self.blocks.last()?.last()
    }

    /// The item with that index.
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }

    /// The item with that index, to change it.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.blocks.get_mut(index / BLOCK)?.get_mut(index % BLOCK)
    }
}

impl<T: Ord> BlockList<T> {
    /// The index of an item in a list that is sorted. Most searches are for one of the newest.
    pub(crate) fn position(&self, item: &T) -> Option<usize> {
        let is_newest = |block: &Vec<T>| block.first().is_some_and(|first| first <= item);
        let block = match self.blocks.last() {
            Some(last) if is_newest(last) => self.blocks.len() - 1,
            _ => self.blocks.partition_point(|block| block.last() < Some(item)),
        };
        let within = self.blocks.get(block)?.binary_search(item).ok()?;
        Some(block * BLOCK + within)
    }
}

impl<T> Index<usize> for BlockList<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.blocks[index / BLOCK][index % BLOCK]
    }
}

impl<T> IndexMut<usize> for BlockList<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.blocks[index / BLOCK][index % BLOCK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, a call or an event id of a long log is lost at the border of two blocks.
    #[test]
    fn items_are_found_on_both_sides_of_a_border() {
        for many in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            let mut list = BlockList::default();
            assert!(list.is_empty());
            for item in 0..many {
                list.push(2 * item);
                assert_eq!((list.len(), list.last()), (item + 1, Some(&(2 * item))));
            }
            for item in 0..many {
                assert_eq!((list.get(item), list[item]), (Some(&(2 * item)), 2 * item));
                assert_eq!(list.position(&(2 * item)), Some(item));
                assert_eq!(list.position(&(2 * item + 1)), None);
            }
            assert_eq!(list.get(many), None);
            let mut shorter = list.clone();
            for item in (0..many).rev() {
                assert_eq!((shorter.pop(), shorter.len()), (Some(2 * item), item));
            }
            assert_eq!(shorter.pop(), None);
            assert_eq!(list.get_mut(many), None);
        }
    }
}
