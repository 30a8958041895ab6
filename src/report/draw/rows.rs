//! Rows for the cells of a grid: program order leads downwards, and communication between threads leads
//! downwards or sideways as far as possible.

use super::grid::Grid;

/// The relations that should lead downwards, in order of importance.
const DOWNWARDS: [&[&str]; 3] = [
    &["", "rf", "issue", "done"],
    &["synchronizes", "observation", "syncbar", "phase", "base-causality", "api"],
    &["co", "sc", "causality"],
];

/// Assigns a row to each cell.
pub(super) fn assign(grid: &mut Grid) {
    let mut order = Order::along_lanes(grid);
    for relations in DOWNWARDS {
        for link in &grid.links {
            let is_one = |name: &&str| match name.is_empty() {
                true => link.relations.is_empty(),
                false => link.relations.iter().any(|relation| relation == *name),
            };
            if relations.iter().any(is_one) {
                order.add(link.from, link.to);
                if link.both {
                    order.add(link.to, link.from);
                }
            }
        }
    }
    let rows = order.rows();
    let mut used: Vec<usize> = rows.clone();
    used.sort_unstable();
    used.dedup();
    for (cell, row) in grid.cells.iter_mut().zip(rows) {
        cell.row = used.binary_search(&row).expect("every row of a cell is used");
    }
    grid.rows = used.len();
}

/// For each cell the cells that must not be above it: those at least one row below, and those in the same
/// row or below.
struct Order {
    below: Vec<Vec<(usize, usize)>>,
}

impl Order {
    fn along_lanes(grid: &Grid) -> Self {
        let mut below = vec![Vec::new(); grid.cells.len()];
        for lane in &grid.lanes {
            for pair in lane.cells.windows(2) {
                below[pair[0]].push((pair[1], 1));
            }
        }
        Self { below }
    }

    /// Requires that `to` is not above `from`, unless this contradicts earlier requirements.
    fn add(&mut self, from: usize, to: usize) {
        if !self.is_strictly_below(to, from) {
            self.below[from].push((to, 0));
        }
    }

    /// Whether `low` has to be in a lower row than `high`.
    fn is_strictly_below(&self, high: usize, low: usize) -> bool {
        let mut seen = vec![[false; 2]; self.below.len()];
        let mut open = vec![(high, 0)];
        while let Some((cell, strict)) = open.pop() {
            if std::mem::replace(&mut seen[cell][strict], true) {
                continue;
            }
            if cell == low && strict == 1 {
                return true;
            }
            open.extend(self.below[cell].iter().map(|&(next, rows)| (next, strict.max(rows))));
        }
        false
    }

    /// The highest possible rows.
    fn rows(&self) -> Vec<usize> {
        let mut rows = vec![0; self.below.len()];
        // All cells of a cycle are in one row, so the iteration terminates.
        loop {
            let mut is_stable = true;
            for cell in 0..rows.len() {
                for &(next, by) in &self.below[cell] {
                    if rows[next] < rows[cell] + by {
                        rows[next] = rows[cell] + by;
                        is_stable = false;
                    }
                }
            }
            if is_stable {
                return rows;
            }
        }
    }
}
