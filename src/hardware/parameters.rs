//! The parameters that load a launch and spread its instances. They are drawn at random, tuned and
//! saved.

/// The order of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of their numbers.
    Kept,
    /// By a permutation that is drawn at random.
    Shuffled,
}

/// How the global variables of an instance lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Adjacent.
    Together,
    /// Each in a separate region, next to the same variable of other instances.
    Apart,
}

/// The parameters of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Warps of a CTA, where many instances share one.
    pub warps: u32,
    /// How many of a hundred CTAs run instances; the others load memory.
    pub test_percent: u32,
    /// The number of instances that a thread runs in sequence, if allowed.
    pub rounds: u32,
    /// Bytes from an instance to the next, a multiple of 4; more where variables are larger or aligned to
    /// more.
    pub stride: u32,
    /// How the variables of an instance lie.
    pub spread: Spread,
    /// The order of CTAs: whether neighbouring CTAs run instances together.
    pub units: Order,
    /// The order of lanes: whether neighbouring lanes run neighbouring instances.
    pub lanes: Order,
    /// The order of groups: whether the instances of a CTA have their other threads in one other
    /// CTA or in many.
    pub groups: Order,
    /// How many of a hundred instances begin together.
    pub start_percent: u32,
    /// The number of polls for the other threads of an instance before the start.
    pub start_polls: u32,
    /// How often the threads of other CTAs access memory.
    pub stress_rounds: u32,
    /// The pattern of accesses: bit 0 makes the first access of a pair a load, bit 1 the second.
    pub stress_pattern: u32,
    /// The number of accesses of a thread to the same memory before its statements.
    pub pre_rounds: u32,
    /// The pattern of these accesses, as in `stress_pattern`.
    pub pre_pattern: u32,
    /// The number of lines that these accesses touch.
    pub lines: u32,
    /// Bytes between these places, a multiple of 4.
    pub line_stride: u32,
}

impl Default for Parameters {
    /// Many instances, some load, and a common start: the settings that show most weak outcomes.
    fn default() -> Self {
        Self {
            warps: 8,
            test_percent: 80,
            rounds: 4,
            stride: 64,
            spread: Spread::Apart,
            units: Order::Shuffled,
            lanes: Order::Shuffled,
            groups: Order::Shuffled,
            start_percent: 100,
            start_polls: 256,
            stress_rounds: 64,
            stress_pattern: 0,
            pre_rounds: 2,
            pre_pattern: 2,
            lines: 32,
            line_stride: 128,
        }
    }
}

impl Parameters {
    /// Bytes of the memory that is accessed to load the memory system.
    pub const SCRATCH: u64 = 1 << 20;

    /// Draws parameters at random; the same seed gives the same.
    #[must_use]
    pub fn draw(random: &mut fastrand::Rng) -> Self {
        let order = |random: &mut fastrand::Rng| match random.u32(..4) {
            0 => Order::Kept,
            _ => Order::Shuffled,
        };
        let sometimes = |random: &mut fastrand::Rng, most: u32| match random.bool() {
            true => random.u32(1..=most),
            false => 0,
        };
        Self {
            warps: 1 << random.u32(..=5),
            test_percent: random.u32(20..=100),
            rounds: 1 << random.u32(..=3),
            stride: 4 << random.u32(..=7),
            spread: if random.bool() { Spread::Together } else { Spread::Apart },
            units: order(random),
            lanes: order(random),
            groups: order(random),
            start_percent: if random.u32(..4) == 0 { random.u32(..=100) } else { 100 },
            start_polls: 1 << random.u32(4..=10),
            stress_rounds: sometimes(random, 512),
            stress_pattern: random.u32(..4),
            pre_rounds: sometimes(random, 16),
            pre_pattern: random.u32(..4),
            lines: 1 << random.u32(..=9),
            line_stride: 4 << random.u32(..=9),
        }
    }

    /// The parameters by name, as stored in files.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u32); 16] {
        let shuffled = |order| u32::from(order == Order::Shuffled);
        [
            ("warps", self.warps),
            ("test_percent", self.test_percent),
            ("rounds", self.rounds),
            ("stride", self.stride),
            ("apart", u32::from(self.spread == Spread::Apart)),
            ("shuffle_units", shuffled(self.units)),
            ("shuffle_lanes", shuffled(self.lanes)),
            ("shuffle_groups", shuffled(self.groups)),
            ("start_percent", self.start_percent),
            ("start_polls", self.start_polls),
            ("stress_rounds", self.stress_rounds),
            ("stress_pattern", self.stress_pattern),
            ("pre_rounds", self.pre_rounds),
            ("pre_pattern", self.pre_pattern),
            ("lines", self.lines),
            ("line_stride", self.line_stride),
        ]
    }

    /// Sets a parameter by its name.
    ///
    /// # Errors
    /// When no parameter has this name, or when the value is invalid.
    pub fn set(&mut self, name: &str, value: u32) -> Result<(), String> {
        let order = |value| match value {
            0 => Ok(Order::Kept),
            1 => Ok(Order::Shuffled),
            _ => Err(format!("`{name}` is 0 or 1")),
        };
        let within = |least: u32, most: u32| match (least..=most).contains(&value) {
            true => Ok(value),
            false => Err(format!("`{name}` is at least {least} and at most {most}")),
        };
        let whole_words = |bytes: u32| match bytes % 4 {
            0 => Ok(bytes),
            _ => Err(format!("`{name}` is a multiple of 4 bytes")),
        };
        match name {
            "warps" => self.warps = within(1, 32)?,
            "test_percent" => self.test_percent = within(1, 100)?,
            "rounds" => self.rounds = within(1, 1 << 16)?,
            "stride" => self.stride = whole_words(within(4, 1 << 20)?)?,
            "apart" => {
                self.spread = match order(value)? {
                    Order::Kept => Spread::Together,
                    Order::Shuffled => Spread::Apart,
                }
            }
            "shuffle_units" => self.units = order(value)?,
            "shuffle_lanes" => self.lanes = order(value)?,
            "shuffle_groups" => self.groups = order(value)?,
            "start_percent" => self.start_percent = within(0, 100)?,
            "start_polls" => self.start_polls = within(0, 1 << 20)?,
            "stress_rounds" => self.stress_rounds = within(0, 1 << 20)?,
            "stress_pattern" => self.stress_pattern = within(0, 3)?,
            "pre_rounds" => self.pre_rounds = within(0, 1 << 20)?,
            "pre_pattern" => self.pre_pattern = within(0, 3)?,
            "lines" => self.lines = within(1, 1 << 16)?,
            "line_stride" => self.line_stride = whole_words(within(4, 1 << 16)?)?,
            _ => {
                let names = Self::default().named().map(|(name, _)| name);
                return Err(format!("no parameter `{name}`; there are {}", names.join(", ")));
            }
        }
        Ok(())
    }

    /// How many places the accesses that load memory go to, which lie in the scratch memory.
    #[must_use]
    pub(super) fn places(&self) -> u64 {
        u64::from(self.lines).min(Self::SCRATCH / u64::from(self.line_stride.max(4))).max(1)
    }
}
