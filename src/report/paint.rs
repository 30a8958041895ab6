//! Colour for renderers with output to terminals.

use crate::verdict::Kind;
use anstyle::{AnsiColor, Style};

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    #[default]
    Plain,
    /// With ANSI escapes.
    Ansi,
}

impl Paint {
    /// `text` in the colour of errors.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.styled(text, AnsiColor::BrightRed.on_default().bold())
    }

    /// `text` in the colour of doubts.
    #[must_use]
    pub fn doubtful(self, text: &str) -> String {
        self.styled(text, AnsiColor::Yellow.on_default())
    }

    /// `text` in the colour of details.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.styled(text, Style::new().dimmed())
    }

    /// `text` in the colour of the verdict's kind.
    #[must_use]
    pub fn verdict(self, kind: Kind, text: &str) -> String {
        match kind {
            Kind::Allowed => self.styled(text, AnsiColor::Green.on_default()),
            Kind::Forbidden => self.styled(text, AnsiColor::Cyan.on_default()),
            Kind::Undefined | Kind::OutOfModel | Kind::Deadlock => {
                self.styled(text, AnsiColor::Magenta.on_default())
            }
            Kind::Unknown => self.doubtful(text),
            Kind::Error => self.bad(text),
        }
    }

    fn styled(self, text: &str, style: Style) -> String {
        match self {
            Self::Ansi if !text.is_empty() => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }
}
