//! A variation into the text of a test in blocks.

use super::cycle::location_name;
use super::edge::{Direction, Edge, FenceOrder, Link};
use super::variation::{Annotation, Memory, Through, Variation, Width};
use crate::ptx::operation::Scope;
use std::collections::HashMap;
use std::fmt::Write;

impl Variation<'_> {
    /// The text of the test: variables, a block for each thread, the condition of the cycle.
    #[must_use]
    pub fn text(&self) -> String {
        let cycle = self.cycle;
        let mut out = format!("PTX {self}\nCycle={cycle}\n");
        let ty = self.width.ty();
        for location in 0..cycle.locations {
            let space = match self.memory {
                Memory::Global => "global",
                Memory::Shared => "shared",
            };
            let _ = writeln!(out, ".{space} .{ty} {} = 0;", location_name(location));
        }
        for location in 0..cycle.locations {
            let aliased = |event: usize| {
                cycle.events[event].location == location
                    && self.annotations[event].through == Through::Alias
            };
            if (0..cycle.events.len()).any(aliased) {
                let name = location_name(location);
                let _ = writeln!(out, ".alias {name}_alias = {name};");
            }
        }
        let mut terms = Vec::new();
        let mut warps: HashMap<u32, u32> = HashMap::new();
        for thread in 0..cycle.threads {
            let spot = self.placement.0[thread];
            let warp = warps.entry(spot.cta).or_insert(0);
            let _ = writeln!(
                out,
                "P{thread} @ gpu {}, cluster {}, cta {}, warp {warp} {{",
                spot.gpu, spot.cluster, spot.cta
            );
            *warp += 1;
            self.thread(thread, &mut out, &mut terms);
            out.push_str("}\n");
        }
        for (location, value) in cycle.finals.iter().enumerate() {
            if let Some(value) = value {
                let owner = match self.memory {
                    Memory::Global => String::new(),
                    Memory::Shared => format!("P{}:", self.home(location)),
                };
                terms.push(format!("{owner}{} == {value}", location_name(location)));
            }
        }
        let condition = if terms.is_empty() { "true".to_owned() } else { terms.join(" /\\ ") };
        out + &format!("exists ({condition})\n")
    }

    fn thread(&self, thread: usize, out: &mut String, terms: &mut Vec<String>) {
        let cycle = self.cycle;
        let count = cycle.edges.len();
        let peers = self.memory == Memory::Shared && self.placement.0.iter().any(|s| s.cta > 0);
        let meet = "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";
        if peers {
            for location in self.remote(thread) {
                let (name, rank) =
                    (location_name(location), self.placement.0[self.home(location)].cta);
                let _ = writeln!(out, "  mapa.shared::cluster.u32 %a{location}, {name}, {rank};");
            }
            // The memory of a peer is there from the first of these to the second.
            out.push_str(meet);
        }
        // Two warps come to a barrier between two threads.
        if cycle.barrier_before(thread) {
            let before = (cycle.first_of(thread) + count - 1) % count;
            let _ = writeln!(out, "  bar.sync {}, 64;", self.barrier(before));
        }
        let (mut reads, mut last) = (0, None);
        let events: Vec<usize> = cycle.of_thread(thread).collect();
        for &event in &events {
            let what = cycle.events[event];
            let before = event.checked_sub(1).filter(|before| events.contains(before));
            let link = before.map_or(Link::Plain, |before| self.links[before]);
            match what.direction {
                Direction::Read => {
                    reads += 1;
                    let register = format!("%{}{reads}", prefix(self.width));
                    let _ = writeln!(
                        out,
                        "  {} {register}, [{}];",
                        self.access("ld", event),
                        self.place(event)
                    );
                    if let Some(value) = what.value {
                        terms.push(format!("P{thread}:{register} == {value}"));
                    }
                    last = Some((register, what.value.unwrap_or(0)));
                }
                Direction::Write => self.write(event, link, last.as_ref(), out),
            }
            if let Some(fence) = fence(self.links[event]) {
                let _ = writeln!(out, "  {fence};");
            }
        }
        if let Some(&event) = events.last()
            && matches!(cycle.edges[event], Edge::Barrier { .. })
        {
            let _ = writeln!(out, "  bar.sync {}, 64;", self.barrier(event));
        }
        if peers {
            out.push_str(meet);
        }
    }

    /// The thread whose CTA contains a location in its shared memory: the first thread that
    /// accesses the location.
    fn home(&self, location: usize) -> usize {
        let mut events = self.cycle.events.iter();
        events.find(|event| event.location == location).map_or(0, |event| event.thread)
    }

    /// The locations in the shared memory of other CTAs that a thread accesses.
    fn remote(&self, thread: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self
            .cycle
            .of_thread(thread)
            .map(|event| self.cycle.events[event].location)
            .filter(|&location| !self.placement.together(self.home(location), thread))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn is_remote(&self, event: usize) -> bool {
        let event = &self.cycle.events[event];
        self.memory == Memory::Shared
            && !self.placement.together(self.home(event.location), event.thread)
    }

    /// Writes a store of the event's value, which may depend on the last read.
    fn write(&self, event: usize, link: Link, read: Option<&(String, u32)>, out: &mut String) {
        let value = self.cycle.events[event].value.unwrap_or(1);
        let (store, place) = (self.access("st", event), self.place(event));
        let ty = self.width.ty();
        match (link, read) {
            (Link::Data, Some((register, seen))) => {
                let source = format!("%{}9", prefix(self.width));
                let _ = match value.cmp(seen) {
                    std::cmp::Ordering::Equal => {
                        writeln!(out, "  {store} [{place}], {register};")
                    }
                    std::cmp::Ordering::Greater => writeln!(
                        out,
                        "  add.{ty} {source}, {register}, {};\n  {store} [{place}], {source};",
                        value - seen
                    ),
                    std::cmp::Ordering::Less => writeln!(
                        out,
                        "  sub.{ty} {source}, {register}, {};\n  {store} [{place}], {source};",
                        seen - value
                    ),
                };
            }
            (Link::Control, Some((register, seen))) => {
                let _ = writeln!(
                    out,
                    "  setp.eq.{ty} %p{event}, {register}, {seen};\n  @%p{event} {store} [{place}], {value};"
                );
            }
            _ => {
                let _ = writeln!(out, "  {store} [{place}], {value};");
            }
        }
    }

    fn access(&self, opcode: &str, event: usize) -> String {
        let Annotation { order, scope, .. } = self.annotations[event];
        let scope = scope.map_or(String::new(), |scope: Scope| format!(".{scope}"));
        let space = match self.memory {
            Memory::Global => "global",
            Memory::Shared if self.is_remote(event) => "shared::cluster",
            Memory::Shared => "shared",
        };
        format!("{opcode}.{order}{scope}.{space}.{}", self.width.ty())
    }

    fn place(&self, event: usize) -> String {
        let name = location_name(self.cycle.events[event].location);
        if self.is_remote(event) {
            return format!("%a{}", self.cycle.events[event].location);
        }
        match self.annotations[event].through {
            Through::Name => name,
            Through::Alias => format!("{name}_alias"),
        }
    }

    /// The number of the barrier of an edge.
    fn barrier(&self, edge: usize) -> usize {
        let barriers = self.cycle.edges[..edge].iter();
        barriers.filter(|edge| matches!(edge, Edge::Barrier { .. })).count()
    }
}

/// The prefix of register names for a width.
fn prefix(width: Width) -> &'static str {
    match width {
        Width::W16 => "rs",
        Width::W32 => "r",
        Width::W64 => "rd",
    }
}

/// The fence of a link.
fn fence(link: Link) -> Option<String> {
    match link {
        Link::Fence(FenceOrder::AcqRel, scope) => Some(format!("fence.acq_rel.{scope}")),
        Link::Fence(FenceOrder::Sc, scope) => Some(format!("fence.sc.{scope}")),
        Link::Alias => Some("fence.proxy.alias".to_owned()),
        Link::Plain | Link::Data | Link::Control => None,
    }
}
