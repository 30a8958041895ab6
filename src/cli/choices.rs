//! The choices that the options of `ptxmc generate` give, and the options without any effect.

use super::args::{
    FenceName, GenerateArguments, OrderName, PlaceName, ScopeName, SpaceName, WidthName,
};
use crate::generate::edge::{FenceOrder, Link};
use crate::generate::family::Places;
use crate::generate::place::{Apart, Levels};
use crate::generate::variation::{Memory, Through, Width};
use crate::generate::{Choices, Collection, Family, Member};
use crate::ptx::operation::{Order, Scope};
use clap::ValueEnum;
use itertools::Itertools;

/// The choices given by the options.
pub(super) fn choices(arguments: &GenerateArguments) -> Choices {
    let order = |name: &OrderName| match name {
        OrderName::Weak => Order::Weak,
        OrderName::Relaxed => Order::Relaxed,
        OrderName::Acquire => Order::Acquire,
        OrderName::Release => Order::Release,
    };
    let scope = |name: &ScopeName| match name {
        ScopeName::Cta => Scope::Cta,
        ScopeName::Cluster => Scope::Cluster,
        ScopeName::Gpu => Scope::Gpu,
        ScopeName::Sys => Scope::Sys,
    };
    let mut orders: Vec<Order> = arguments.orders.iter().map(order).unique().collect();
    let mut scopes: Vec<Scope> = arguments.scopes.iter().map(scope).unique().collect();
    let mut fences = arguments.fences.clone();
    if arguments.frontier {
        if orders.is_empty() {
            orders = vec![Order::Weak, Order::Relaxed, Order::Acquire, Order::Release];
        }
        if scopes.is_empty() {
            scopes = vec![Scope::Cta, Scope::Gpu];
        }
        if fences.is_empty() {
            fences = vec![FenceName::None, FenceName::AcqRel, FenceName::Sc];
        }
    }
    let scopes = if scopes.is_empty() { vec![Scope::Gpu] } else { scopes };
    let orders = if orders.is_empty() { vec![Order::Relaxed] } else { orders };
    let fence_scopes: Vec<Scope> = match arguments.fence_scopes.is_empty() {
        true => scopes.clone(),
        false => arguments.fence_scopes.iter().map(scope).unique().collect(),
    };
    let mut links = Vec::new();
    for fence in &fences {
        let with = |order| fence_scopes.iter().map(move |scope| Link::Fence(order, *scope));
        match fence {
            FenceName::None => links.push(Link::Plain),
            FenceName::AcqRel => links.extend(with(FenceOrder::AcqRel)),
            FenceName::Sc => links.extend(with(FenceOrder::Sc)),
            FenceName::Alias => links.push(Link::Alias),
            FenceName::Data => links.push(Link::Data),
            FenceName::Ctrl => links.push(Link::Control),
        }
    }
    let links = match links.is_empty() {
        true => vec![Link::Plain],
        false => links.into_iter().unique().collect(),
    };
    let memory = match arguments.space {
        SpaceName::Global => Memory::Global,
        SpaceName::Shared => Memory::Shared,
    };
    let names = match arguments.aliases && memory == Memory::Global {
        true => vec![Through::Name, Through::Alias],
        false => vec![Through::Name],
    };
    let width = |name: &WidthName| match name {
        WidthName::W16 => Width::W16,
        WidthName::W32 => Width::W32,
        WidthName::W64 => Width::W64,
    };
    let widths = arguments.widths.iter().map(width).unique().collect();
    let places = places(&arguments.places);
    Choices { orders, scopes, links, names, places, widths, memory }
}

fn places(names: &[PlaceName]) -> Places {
    if names.contains(&PlaceName::Separate) {
        return Places::Separate;
    }
    let apart = |wanted: &[PlaceName]| match names.iter().any(|name| wanted.contains(name)) {
        true => Apart::May,
        false => Apart::Never,
    };
    Places::All(Levels {
        ctas: apart(&[PlaceName::Cta, PlaceName::Cluster]),
        clusters: apart(&[PlaceName::Cluster]),
        gpus: apart(&[PlaceName::Gpu]),
    })
}

/// The options that no test is made of, each in a line with the reason.
pub(super) fn unused(arguments: &GenerateArguments, collection: &Collection) -> Vec<String> {
    let families: Vec<&Family> = collection
        .members()
        .iter()
        .filter_map(|member| match member {
            Member::Family(family) => Some(family),
            Member::Test(_) => None,
        })
        .collect();
    let mut out = Vec::new();
    if families.len() < collection.members().len() {
        let given = multiplying(arguments);
        if !given.is_empty() {
            let given = given.join(", ");
            out.push(format!("a name says all of its test: {given} is about shapes and cycles"));
        }
    }
    if families.is_empty() {
        return out;
    }
    // Each value is turned to a choice by itself, so that the fits of one value are seen.
    let alone = |change: &dyn Fn(&mut GenerateArguments)| {
        let mut one = arguments.clone();
        change(&mut one);
        choices(&one)
    };
    for &name in arguments.orders.iter().unique_by(|name| **name as usize) {
        let order = alone(&|one| one.orders = vec![name]).orders[0];
        if !families.iter().any(|family| family.has_order(order)) {
            let why = match name {
                OrderName::Acquire => "it is for reads",
                OrderName::Release => "it is for writes",
                OrderName::Weak | OrderName::Relaxed => "the cycles say what every event is",
            };
            out.push(format!("--orders {} fits nowhere: {why}", word(name)));
        }
    }
    for &name in arguments.fences.iter().unique_by(|name| **name as usize) {
        let links = alone(&|one| one.fences = vec![name]).links;
        if !families.iter().any(|family| links.iter().any(|link| family.has_link(*link))) {
            let why = match name {
                FenceName::Data | FenceName::Ctrl => {
                    "a dependency leads from a read to a write, and the cycles leave no such pair open"
                }
                _ => "the cycles leave open no two events of a thread",
            };
            out.push(format!("--fences {} fits nowhere: {why}", word(name)));
        }
    }
    out
}

/// The given options that multiply tests.
fn multiplying(arguments: &GenerateArguments) -> Vec<&'static str> {
    let given = [
        ("--orders", !arguments.orders.is_empty()),
        ("--scopes", !arguments.scopes.is_empty()),
        ("--fences", !arguments.fences.is_empty()),
        ("--fence-scopes", !arguments.fence_scopes.is_empty()),
        ("--places", arguments.places != [PlaceName::Cta]),
        ("--widths", arguments.widths != [WidthName::W32]),
        ("--aliases", arguments.aliases),
        ("--space", arguments.space != SpaceName::Global),
    ];
    given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}

/// The word of a value of an option.
fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// The reason why no variation fits any placement.
pub(super) fn nothing_fits(arguments: &GenerateArguments) -> &'static str {
    match arguments.space {
        SpaceName::Shared => {
            "no placement of --places has all threads in one cluster, which shared memory and barriers \
             need; --places cluster has"
        }
        SpaceName::Global => {
            "no placement of --places has the threads of each barrier in one CTA; --places cta has"
        }
    }
}
