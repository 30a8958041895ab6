//! The Z3 engine.
