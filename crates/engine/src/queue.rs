//! Requests that wait: by priority, then users in turn, then in order.

use crate::Priority;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// How much a user may take in a turn, in tokens. Less than a request costs, and the user's next turn comes
/// to more: nobody has to wait for ever.
const QUANTUM: usize = 256;

type User = Option<Arc<str>>;

/// A queue that is fair among users, by what their requests cost (deficit round robin).
pub(crate) struct Queue<T> {
    /// The most important first.
    levels: [Level<T>; 3],
    len: usize,
}

struct Level<T> {
    users: HashMap<User, Line<T>>,
    /// Users with requests that wait; the first one's turn it is.
    turns: VecDeque<User>,
}

struct Line<T> {
    waiting: VecDeque<(T, usize)>,
    /// What the user may still take in this turn.
    credit: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        let level = || Level { users: HashMap::new(), turns: VecDeque::new() };
        Queue { levels: [level(), level(), level()], len: 0 }
    }
}

impl<T> Queue<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a request that costs about so many tokens.
    pub(crate) fn push(&mut self, item: T, cost: usize, user: User, priority: Priority) {
        let level = match priority {
            Priority::High => &mut self.levels[0],
            Priority::Normal => &mut self.levels[1],
            Priority::Low => &mut self.levels[2],
        };
        let line = level.users.entry(user.clone()).or_insert_with(|| {
            level.turns.push_back(user);
            Line { waiting: VecDeque::new(), credit: 0 }
        });
        line.waiting.push_back((item, cost));
        self.len += 1;
    }

    /// The request whose turn it is.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let popped = self.levels.iter_mut().find_map(Level::pop)?;
        self.len -= 1;
        Some(popped)
    }

    /// Takes out all for which `unwanted` holds.
    pub(crate) fn remove(&mut self, mut unwanted: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut removed = Vec::new();
        for level in &mut self.levels {
            for line in level.users.values_mut() {
                let (out, left): (VecDeque<_>, VecDeque<_>) =
                    line.waiting.drain(..).partition(|(item, _)| unwanted(item));
                line.waiting = left;
                removed.extend(out.into_iter().map(|(item, _)| item));
            }
            let Level { users, turns } = level;
            users.retain(|_, line| !line.waiting.is_empty());
            turns.retain(|user| users.contains_key(user));
        }
        self.len -= removed.len();
        removed
    }
}

impl<T> Level<T> {
    fn pop(&mut self) -> Option<T> {
        loop {
            let user = self.turns.front()?;
            let line = self.users.get_mut(user)?;
            let cost = line.waiting.front().map_or(0, |(_, cost)| *cost);
            if self.turns.len() > 1 && line.credit < cost {
                line.credit += QUANTUM;
                self.turns.rotate_left(1);
                continue;
            }
            line.credit = line.credit.saturating_sub(cost);
            let (item, _) = line.waiting.pop_front()?;
            if line.waiting.is_empty() {
                // Who has nothing to ask for saves nothing up.
                let user = self.turns.pop_front()?;
                self.users.remove(&user);
            }
            return Some(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> User {
        Some(Arc::from(name))
    }

    fn all<T>(queue: &mut Queue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn the_important_go_first_and_one_user_in_order() {
        let mut queue = Queue::default();
        for (item, priority) in
            [(1, Priority::Low), (2, Priority::Normal), (3, Priority::High), (4, Priority::Normal)]
        {
            queue.push(item, 100, None, priority);
        }
        assert_eq!(queue.len(), 4);
        assert_eq!(all(&mut queue), [3, 2, 4, 1]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_user_with_many_requests_does_not_hold_up_one_with_few() {
        let mut queue = Queue::default();
        (0..100).for_each(|i| queue.push(("greedy", i), 256, user("greedy"), Priority::Normal));
        (0..3).for_each(|i| queue.push(("modest", i), 256, user("modest"), Priority::Normal));
        let order = all(&mut queue);
        let last = order.iter().rposition(|(name, _)| *name == "modest").unwrap();
        assert!(last <= 6, "{last}");
    }

    #[test]
    fn turns_are_by_cost_not_by_number() {
        let mut queue = Queue::default();
        (0..50).for_each(|i| queue.push(("long", i), 1024, user("long"), Priority::Normal));
        (0..50).for_each(|i| queue.push(("short", i), 128, user("short"), Priority::Normal));
        let order = all(&mut queue);
        let short_before = order
            .iter()
            .take_while(|(name, i)| (*name, *i) != ("long", 3))
            .filter(|x| x.0 == "short");
        let count = short_before.count();
        assert!((20..=40).contains(&count), "{count}");
    }

    #[test]
    fn what_is_removed_does_not_come() {
        let mut queue = Queue::default();
        (0..10).for_each(|i| queue.push(i, 1, user(&(i % 3).to_string()), Priority::Normal));
        let mut removed = queue.remove(|i| i % 2 == 0);
        removed.sort_unstable();
        assert_eq!(removed, [0, 2, 4, 6, 8]);
        let mut left = all(&mut queue);
        left.sort_unstable();
        assert_eq!(left, [1, 3, 5, 7, 9]);
    }
}
