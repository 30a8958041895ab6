//! The residual program of a thread: blocks of statements, and their linearization.

use crate::ptx::asynchronous::AsyncOp;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Operation, Reach, Statement};
use crate::ptx::row::Op;
use crate::source::Spanned;
use rustc_hash::FxHashSet;

/// A basic block: statements without jumps among them.
pub(super) struct Block {
    /// The label in front of the block.
    pub(super) label: Option<Spanned<String>>,
    /// The executed statements.
    pub(super) statements: Vec<Statement>,
    /// Where control goes then.
    pub(super) end: End,
}

/// Where control goes from a block.
pub(super) enum End {
    /// The thread ends.
    Exit,
    /// To a block.
    Goto(usize),
    /// To one of two, as the predicate of the branch says.
    Branch {
        /// The original branch statement.
        branch: Statement,
        /// The block to which the branch leads.
        taken: usize,
        /// The next block if the branch is not taken.
        other: usize,
    },
    /// The thread ends if the predicate of the statement holds.
    MayExit {
        /// The original statement.
        branch: Statement,
        /// The next block if the thread does not exit.
        other: usize,
    },
}

impl End {
    fn successors(&self) -> impl Iterator<Item = usize> {
        let list = match *self {
            Self::Exit => [None, None],
            Self::Goto(next) => [Some(next), None],
            // The fall-through block comes first, so that it is laid out behind the block.
            Self::Branch { taken, other, .. } => [Some(taken), Some(other)],
            Self::MayExit { other, .. } => [Some(other), None],
        };
        list.into_iter().flatten()
    }

    fn redirect(&mut self, to: impl Fn(usize) -> usize) {
        match self {
            Self::Exit => {}
            Self::Goto(next) | Self::MayExit { other: next, .. } => *next = to(*next),
            Self::Branch { taken, other, .. } => {
                *taken = to(*taken);
                *other = to(*other);
                let to = *taken;
                if to == *other {
                    *self = Self::Goto(to);
                }
            }
        }
    }
}

/// The blocks of a thread; the first block is the entry.
pub(super) struct Residual {
    pub(super) blocks: Vec<Block>,
    /// Labels that the source uses.
    pub(super) labels: FxHashSet<String>,
}

impl Residual {
    /// The linearized statements without dead computations. The registers in `kept` are live at the
    /// end.
    pub(super) fn statements(mut self, kept: &FxHashSet<String>) -> Vec<Statement> {
        loop {
            let removed = self.without_dead(kept);
            let shorter = self.without_empty();
            if !removed && !shorter {
                break;
            }
        }
        self.in_a_row()
    }

    /// Removes computations of dead registers; gives whether some statement was removed.
    fn without_dead(&mut self, kept: &FxHashSet<String>) -> bool {
        let count = self.blocks.len();
        let in_use = in_flight(self.blocks.iter().flat_map(|block| &block.statements));
        let mut live: Vec<FxHashSet<String>> = vec![FxHashSet::default(); count];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                let now = self.live_before(at, &live, kept, &in_use, &mut |_, _| {});
                if now.len() != live[at].len() {
                    live[at] = now;
                    changed = true;
                }
            }
        }
        let mut removed = false;
        for at in 0..count {
            let mut dead = FxHashSet::default();
            self.live_before(at, &live, kept, &in_use, &mut |index, is_dead| {
                if is_dead {
                    dead.insert(index);
                }
            });
            removed |= !dead.is_empty();
            let mut index = 0;
            self.blocks[at].statements.retain(|_| {
                index += 1;
                !dead.contains(&(index - 1))
            });
        }
        removed
    }

    /// The live registers at the start of a block. Reports for each statement, from the last to the
    /// first, whether it is dead.
    fn live_before(
        &self,
        at: usize,
        live: &[FxHashSet<String>],
        kept: &FxHashSet<String>,
        in_use: &FxHashSet<String>,
        tell: &mut dyn FnMut(usize, bool),
    ) -> FxHashSet<String> {
        let block = &self.blocks[at];
        let mut now = FxHashSet::default();
        for next in block.end.successors() {
            now.extend(live[next].iter().cloned());
        }
        match &block.end {
            End::Exit => now.extend(kept.iter().cloned()),
            End::MayExit { branch, .. } => {
                now.extend(kept.iter().cloned());
                now.extend(branch.guard.iter().map(|guard| guard.register.value.clone()));
            }
            End::Branch { branch, .. } => {
                now.extend(branch.guard.iter().map(|guard| guard.register.value.clone()));
            }
            End::Goto(_) => {}
        }
        for (index, statement) in block.statements.iter().enumerate().rev() {
            let Mentions { reads, writes, .. } = Mentions::of(statement);
            let used = writes.iter().any(|register| now.contains(&register.value))
                || reads.iter().chain(&writes).any(|register| in_use.contains(&register.value));
            if !used && computes(&statement.operation, is_pure) {
                tell(index, true);
                continue;
            }
            tell(index, false);
            if statement.guard.is_none() {
                writes.iter().for_each(|register| _ = now.remove(&register.value));
            }
            now.extend(reads.iter().map(|register| register.value.clone()));
        }
        now
    }

    /// Skips blocks without statements; whether there were any. A loop without statements ends: nothing
    /// that other threads see depends on how many rounds it has.
    fn without_empty(&mut self) -> bool {
        let count = self.blocks.len();
        let mut changed = false;
        for block in 0..count {
            if let End::Branch { taken, other, .. } = self.blocks[block].end
                && self.blocks[block].statements.is_empty()
                && (taken == block) != (other == block)
            {
                let way_out = if taken == block { other } else { taken };
                self.blocks[block].end = End::Goto(way_out);
                changed = true;
            }
        }
        let leads = |start: usize| {
            let mut at = start;
            for _ in 0..count {
                match self.blocks[at].end {
                    End::Goto(next) if self.blocks[at].statements.is_empty() && next != at => {
                        at = next;
                    }
                    _ => break,
                }
            }
            at
        };
        let leads: Vec<usize> = (0..count).map(leads).collect();
        for block in &mut self.blocks {
            let before: Vec<usize> = block.end.successors().collect();
            block.end.redirect(|to| leads[to]);
            changed |= before != block.end.successors().collect::<Vec<_>>();
        }
        changed
    }

    fn in_a_row(self) -> Vec<Statement> {
        let order = self.order();
        let mut position = vec![None; self.blocks.len()];
        order.iter().enumerate().for_each(|(at, &block)| position[block] = Some(at));
        let labels = self.label_names(&order);
        let mut out: Vec<Statement> = Vec::new();
        let mut blocks: Vec<Option<Block>> = self.blocks.into_iter().map(Some).collect();
        for (at, &block) in order.iter().enumerate() {
            let Some(Block { statements, end, .. }) = blocks[block].take() else { continue };
            let start = out.len();
            out.extend(statements);
            let next = order.get(at + 1).copied();
            let last = at + 1 == order.len();
            match end {
                End::Exit if last => {}
                End::Exit => out.push(bare(Operation::Exit, &labels[block])),
                End::Goto(to) if Some(to) == next => {}
                End::Goto(to) => out.push(jump(to, &labels)),
                End::MayExit { branch, other } => {
                    out.push(Statement {
                        labels: Vec::new(),
                        operation: Operation::Exit,
                        ..branch
                    });
                    if Some(other) != next {
                        out.push(jump(other, &labels));
                    }
                }
                End::Branch { branch, taken, other } => {
                    let target = labels[taken].clone();
                    let operation = Operation::Branch { target, condition: None };
                    out.push(Statement { labels: Vec::new(), operation, ..branch });
                    if Some(other) != next {
                        out.push(jump(other, &labels));
                    }
                }
            }
            if out.len() == start {
                out.push(bare(Operation::Nothing, &labels[block]));
            }
            out[start].labels = vec![labels[block].clone()];
        }
        let targets: FxHashSet<String> = out
            .iter()
            .filter_map(|statement| match &statement.operation {
                Operation::Branch { target, .. } => Some(target.value.clone()),
                _ => None,
            })
            .collect();
        for statement in &mut out {
            statement.labels.retain(|label| targets.contains(&label.value));
        }
        // Placeholders for labels that are not jump targets.
        out.retain(|code| !code.labels.is_empty() || code.operation != Operation::Nothing);
        out
    }

    /// The reachable blocks in topological order, except for the back edges of loops.
    fn order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, self.blocks[0].end.successors().collect::<Vec<_>>())];
        seen[0] = true;
        while let Some((block, rest)) = stack.last_mut() {
            match (!rest.is_empty()).then(|| rest.remove(0)) {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    stack.push((next, self.blocks[next].end.successors().collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// A name for each block: that of the source for the first visit, with a number for others.
    fn label_names(&self, order: &[usize]) -> Vec<Spanned<String>> {
        let file_start = |block: &Block| {
            block.statements.first().map(|statement| statement.span).or(match &block.end {
                End::Branch { branch, .. } | End::MayExit { branch, .. } => Some(branch.span),
                _ => None,
            })
        };
        let any = order.iter().find_map(|&block| file_start(&self.blocks[block]));
        let any = any.or_else(|| {
            self.blocks.iter().find_map(|block| block.label.as_ref().map(|label| label.span))
        });
        let span = any.unwrap_or(crate::source::Span::new(crate::id::FileId::new(0), 0, 0));
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut names = vec![Spanned::new(String::new(), span); self.blocks.len()];
        for (number, &block) in order.iter().enumerate() {
            let own = self.blocks[block].label.clone();
            let mut name = own.unwrap_or_else(|| {
                let span = file_start(&self.blocks[block]).unwrap_or(span);
                Spanned::new(format!("at_{number}"), span)
            });
            let base = name.value.clone();
            let mut copy = 1;
            while !taken.insert(name.value.clone()) || copy > 1 && self.labels.contains(&name.value)
            {
                copy += 1;
                name.value = format!("{base}_{copy}");
            }
            names[block] = name;
        }
        names
    }
}

fn bare(operation: Operation, label: &Spanned<String>) -> Statement {
    Statement { labels: Vec::new(), guard: None, operation, span: label.span }
}

fn jump(to: usize, labels: &[Spanned<String>]) -> Statement {
    let target = labels[to].clone();
    bare(Operation::Branch { target, condition: None }, &labels[to])
}

/// Whether an operation only computes registers of its thread. `is_pure` answers this for forms
/// without accesses.
pub(super) fn computes(operation: &Operation, is_pure: impl Fn(Op) -> bool) -> bool {
    use Operation as O;
    match operation {
        O::Move { .. } | O::Compare { .. } | O::Unknown { reach: Reach::Registers, .. } => true,
        O::Form(written) => written.accesses().next().is_none() && is_pure(written.op()),
        _ => false,
    }
}

/// Whether a form without accesses only computes registers, so that it may be removed if they are
/// dead.
fn is_pure(op: Op) -> bool {
    matches!(
        op,
        Op::Arithmetic(_)
            | Op::Product
            | Op::MultiplyAdd
            | Op::Carry(_)
            | Op::Convert
            | Op::MoveVector
            | Op::Pack
            | Op::Unpack
            | Op::Integer(_)
            | Op::Logic
            | Op::Float(_)
            | Op::Select
            | Op::ToGeneric
            | Op::FromGeneric
            | Op::MapAddress
            | Op::IsSpace
            | Op::CtaRank
            | Op::StackSave
            | Op::PendingCount
            | Op::IsCanceled
            | Op::FirstCta
    )
}

/// The registers that asynchronous operations use: those of products of matrices, and those that Tensor Memory is
/// loaded into. Even a computation that nothing depends on may not touch them before the operation is waited
/// for (PTX-9.7.15.7.1, PTX-9.7.16.8).
pub(super) fn in_flight<'s>(statements: impl Iterator<Item = &'s Statement>) -> FxHashSet<String> {
    let mut out = FxHashSet::default();
    for statement in statements {
        let Operation::Form(written) = &statement.operation else { continue };
        let Mentions { reads, writes, .. } = Mentions::of(statement);
        match written.op() {
            Op::Async(AsyncOp::Multiply) => {
                out.extend(reads.iter().chain(&writes).map(|register| register.value.clone()));
            }
            Op::Async(AsyncOp::TensorLoad) => {
                out.extend(writes.iter().map(|register| register.value.clone()));
            }
            _ => {}
        }
    }
    out
}
