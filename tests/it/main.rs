//! The tests that use the library and the command from outside, as one program: it links once.
//!
//! Tests that end or starve processes have a program of their own (`faults`), and so has each shipped
//! litmus test a name of its own (`litmus`).

mod axioms;
mod comparison;
mod programs;
mod strategies;
mod support;

mod addresses;
mod advise;
mod asynchronous;
mod barriers;
mod cat;
mod cli;
mod cli_single;
mod codes;
mod coverage;
mod differential;
mod equivalence;
mod explain;
mod forms;
mod front;
mod gates;
mod generate;
mod generators;
mod hangs;
mod hardware;
mod integers;
mod interleavings;
mod judge;
mod kernels;
mod language;
mod launches;
mod laws;
mod library;
mod limits;
mod mangled;
mod mutants;
mod near;
mod pages;
mod pictures;
mod pipelines;
mod races;
mod readings;
mod reference;
mod schema;
mod second_opinion;
mod table;
mod tidy;
mod traces;
mod unusual_models;
mod waiting;
mod workbench;
