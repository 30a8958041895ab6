//! Changes to sketches whose effect on outcomes is known.

use super::{Control, Instruction, Item, PLACES, Sketch, Space, Thread};

/// Scopes, the narrow ones first.
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

impl Sketch {
    /// The same program without copies and phases, each thread in a warp of its own.
    pub fn flat(&self) -> Self {
        let thread = |(index, thread): (usize, &Thread)| {
            let mut body = self.body(index).to_vec();
            if let Some(phase) = &self.phase
                && !body.is_empty()
            {
                let item = Item { instruction: phase.clone(), control: None };
                body.insert(body.len() / 2, item);
            }
            Thread { first_warp: false, copy_of: None, body, ..thread.clone() }
        };
        let threads = self.threads.iter().enumerate().map(thread).collect();
        Self { threads, phase: None, ..self.clone() }
    }

    /// Whether some thread uses a barrier, an mbarrier or a shared variable, whose meaning depends
    /// on which threads there are.
    pub fn depends_on_ctas(&self) -> bool {
        let barrier = |i: &Instruction| match i {
            Instruction::Plain(text) => text.starts_with("bar"),
            Instruction::Form(text, ..) => text.contains("barrier."),
            other => matches!(other, Instruction::Vote(..)),
        };
        self.uses_ctas() || self.items().flat_map(Item::instructions).any(barrier)
    }

    /// Whether there are instances of a variable or mbarrier for each CTA.
    pub fn uses_ctas(&self) -> bool {
        self.variables.contains(&Space::Shared)
            || self.items().flat_map(Item::instructions).any(Instruction::uses_mbarrier)
    }

    /// This instruction as one more of a thread.
    pub fn with(&self, thread: usize, at: usize, instruction: Instruction) -> Self {
        let mut out = self.clone();
        let threads = out.threads.len();
        let body = &mut out.threads[thread % threads].body;
        let at = at % (body.len() + 1);
        body.insert(at, Item { instruction, control: None });
        out
    }

    /// One instruction changed; `None` where the change does not apply.
    pub fn changed(
        &self,
        thread: usize,
        at: usize,
        change: impl FnOnce(&Instruction) -> Option<Instruction>,
    ) -> Option<Self> {
        let mut out = self.clone();
        let threads = out.threads.len();
        let body = &mut out.threads[thread % threads].body;
        let at = at % body.len().max(1);
        let item = body.get_mut(at)?;
        item.instruction = change(&item.instruction)?;
        Some(out)
    }

    /// Every scope changed.
    pub fn scoped(&self, change: &dyn Fn(&str) -> String) -> Self {
        let mut out = self.clone();
        for item in out.threads.iter_mut().flat_map(|t| &mut t.body) {
            item.instruction = item.instruction.requalified(change);
            match &mut item.control {
                Some(Control::Lock(a, b)) => (*a, *b) = (change(a), change(b)),
                Some(Control::Else(_, _, other)) => **other = other.requalified(change),
                _ => {}
            }
        }
        out
    }

    /// All threads of the second CTA in the first one.
    pub fn merged(&self) -> Self {
        let mut out = self.clone();
        for thread in out.threads.iter_mut().filter(|t| t.place == 1) {
            thread.place = 0;
        }
        out
    }

    /// A thread more, which does nothing.
    pub fn joined(&self, place: usize) -> Self {
        let mut out = self.clone();
        let idle = Thread {
            place: place % PLACES.len(),
            first_warp: false,
            copy_of: None,
            task: None,
            host: false,
            body: Vec::new(),
        };
        out.threads.push(idle);
        out
    }

    /// The threads in another order: thread `i` is where thread `i + by` was.
    pub fn rotated(&self, by: usize) -> Self {
        let mut out = self.clone();
        let by = by % out.threads.len();
        out.threads.rotate_left(by);
        out
    }
}

impl Instruction {
    /// With its qualifiers changed.
    fn requalified(&self, change: &dyn Fn(&str) -> String) -> Self {
        match self.clone() {
            Self::Load(q, t) => Self::Load(change(&q), t),
            Self::Store(q, t, s) => Self::Store(change(&q), t, s),
            Self::Atomic(q, f, t, s, c) => Self::Atomic(change(&q), f, t, s, c),
            Self::Reduce(q, f, t, s) => Self::Reduce(change(&q), f, t, s),
            Self::Plain(text) if is_thread_fence(&text) => Self::Plain(change(&text)),
            other => other,
        }
    }

    /// With a stronger order, if there is one; of two the one that `other` does not name.
    pub fn stronger(&self, other: bool) -> Option<Self> {
        let swap = |q: &str, from: &str, to: &str| -> Option<String> {
            q.split('.').any(|word| word == from).then(|| q.replace(from, to))
        };
        let order = |q: &str, read: bool, write: bool| -> Option<String> {
            if q == "weak" {
                return Some(if other { "relaxed.gpu" } else { "relaxed.sys" }.to_owned());
            }
            if q.contains("mmio") {
                return None;
            }
            let relaxed = match (read, write) {
                (true, true) if other => "release",
                (true, _) => "acquire",
                (false, _) => "release",
            };
            let both = |from| if read && write { swap(q, from, "acq_rel") } else { None };
            swap(q, "relaxed", relaxed).or_else(|| both("acquire")).or_else(|| both("release"))
        };
        Some(match self.clone() {
            Self::Load(q, t) => Self::Load(order(&q, true, false)?, t),
            Self::Store(q, t, s) => Self::Store(order(&q, false, true)?, t, s),
            Self::Atomic(q, f, t, s, c) => Self::Atomic(order(&q, true, true)?, f, t, s, c),
            Self::Reduce(q, f, t, s) => Self::Reduce(order(&q, false, true)?, f, t, s),
            Self::Plain(text) if is_thread_fence(&text) => {
                let text = swap(&text, "acquire", "acq_rel")
                    .or_else(|| swap(&text, "release", "acq_rel"))
                    .or_else(|| swap(&text, "acq_rel", "sc"))?;
                Self::Plain(text)
            }
            _ => return None,
        })
    }

    /// With the next wider scope, if there is one.
    pub fn wider(&self) -> Option<Self> {
        let wide = self.requalified(&widened);
        (wide != *self).then_some(wide)
    }
}

/// Whether this is a fence without restriction.
fn is_thread_fence(text: &str) -> bool {
    ["fence.sc.", "fence.acq_rel.", "fence.acquire.", "fence.release."]
        .iter()
        .any(|fence| text.starts_with(fence) && !text.contains("restrict"))
}

/// Qualifiers with the next wider scope.
pub fn widened(qualifiers: &str) -> String {
    let next = |word: &str| match SCOPES.iter().position(|s| *s == word) {
        Some(at) => SCOPES[(at + 1).min(3)].to_owned(),
        None => word.to_owned(),
    };
    qualifiers.split('.').map(next).collect::<Vec<_>>().join(".")
}

/// Qualifiers with the widest scope.
pub fn widest(qualifiers: &str) -> String {
    let widest = |word: &str| if SCOPES.contains(&word) { "sys" } else { word }.to_owned();
    qualifiers.split('.').map(widest).collect::<Vec<_>>().join(".")
}
