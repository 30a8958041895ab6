//! Random litmus tests that obey every rule of their format.

pub mod forms;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use ptxmc::testing::id::FileId;
use ptxmc::testing::litmus::ast::{
    AliasDeclaration, Condition, DeclaredSpace, Dialect, InitialValue, LaunchSize, Metadata, Place,
    Quantifier, RegisterInit, Term, Test, Thread, ThreadPlace, Variable,
};
use ptxmc::testing::ptx::decode;
use ptxmc::testing::ptx::operation::{
    AccessForm, Address, AtomicOp, BarrierMode, BoolOp, Comparison, Destination, FenceRestriction,
    MbarrierOp, Operation, Order, PredicateUse, Proxy, ProxyFenceKind, Register, Scope, Space,
    Statement, Type, TypeKind, Value, WaitPhase,
};
use ptxmc::testing::source::{Span, Spanned};

fn span() -> Span {
    Span::new(FileId::new(0), 0, 0)
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, span())
}

fn name(text: &str) -> Spanned<String> {
    spanned(text.to_owned())
}

const REGISTERS: &[&str] = &["r0", "r1", "rd2", "foo"];
const PREDICATES: &[&str] = &["p0", "p1"];
/// Global variables; `m` is the shared mbarrier object, `y` an alias of `x`.
const LOCATIONS: &[&str] = &["x", "y", "z"];

fn register() -> impl Strategy<Value = Register> {
    select(REGISTERS).prop_map(name)
}

fn predicate() -> impl Strategy<Value = PredicateUse> {
    (any::<bool>(), select(PREDICATES))
        .prop_map(|(negated, register)| PredicateUse { negated, register: name(register) })
}

/// A predicate as an operand.
fn truth() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => predicate().prop_map(|p| if p.negated { Value::Not(p.register) } else { Value::Register(p.register) }),
        1 => (0..2_i128).prop_map(|n| Value::Immediate(spanned(n))),
    ]
}

fn number() -> impl Strategy<Value = i128> {
    prop_oneof![
        4 => 0..4_i128,
        1 => any::<i64>().prop_map(i128::from),
        1 => any::<u64>().prop_map(i128::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        number().prop_map(|n| Value::Immediate(spanned(n))),
        register().prop_map(Value::Register),
    ]
}

fn destination() -> impl Strategy<Value = Destination> {
    register().prop_map(Some)
}

fn scope() -> impl Strategy<Value = Scope> {
    select(&[Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys][..])
}

/// The word that accesses have: 32 bits in blocks, untyped in columns.
fn word(dialect: Dialect) -> Type {
    match dialect {
        Dialect::Blocks => Type::new(TypeKind::Unsigned, 32),
        _ => Type::UNTYPED,
    }
}

fn address() -> impl Strategy<Value = Address> {
    select(LOCATIONS).prop_map(|location| Address {
        base: Value::AddressOf(name(location), 0),
        offset: 0,
        span: span(),
    })
}

fn access(
    dialect: Dialect,
    strong: &'static [Order],
    weak: bool,
) -> impl Strategy<Value = AccessForm> {
    let order = prop_oneof![
        select(strong).prop_map(Some),
        Just(if weak { None } else { Some(strong[0]) }),
    ];
    let space = select(&[Space::Generic, Space::Global][..]);
    (order, scope(), space, address(), 0..8_u8).prop_map(
        move |(order, scope, space, address, rare)| {
            let volatile = rare == 0 && weak;
            let mmio = rare == 1 && weak && order.is_some();
            AccessForm {
                order: if volatile { Order::Relaxed } else { order.unwrap_or(Order::Weak) },
                scope: match order {
                    _ if volatile || mmio => Some(Scope::Sys),
                    Some(_) => Some(scope),
                    None => None,
                },
                space,
                ty: word(dialect),
                elements: 1,
                proxy: Proxy::Generic,
                address,
                mmio,
                volatile,
            }
        },
    )
}

fn atomic(dialect: Dialect) -> impl Strategy<Value = (AtomicOp, Type)> {
    use AtomicOp as A;
    let bits = Type::new(TypeKind::Bits, 32);
    select(&[A::And, A::Or, A::Xor, A::Exch, A::Cas, A::Add, A::Inc, A::Dec, A::Min, A::Max][..])
        .prop_map(move |op| match (dialect, op) {
            (Dialect::Blocks, A::And | A::Or | A::Xor | A::Exch | A::Cas) => (op, bits),
            _ => (op, word(dialect)),
        })
}

fn memory(dialect: Dialect) -> impl Strategy<Value = Operation> {
    const LOAD: &[Order] = &[Order::Relaxed, Order::Acquire];
    const STORE: &[Order] = &[Order::Relaxed, Order::Release];
    const ATOM: &[Order] = &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
    prop_oneof![
        (access(dialect, LOAD, true), destination()).prop_map(|(access, d)| Operation::Load {
            access,
            destinations: vec![d],
            non_coherent: false
        }),
        (access(dialect, STORE, true), value())
            .prop_map(|(access, b)| Operation::Store { access, sources: vec![b] }),
        (access(dialect, ATOM, false), atomic(dialect), option::of(register()), value(), value())
            .prop_map(|(access, (op, ty), d, b, c)| Operation::Atomic {
                access: AccessForm { ty, ..access },
                op,
                destinations: vec![d],
                operands: vec![b],
                swap: (op == AtomicOp::Cas).then_some(c),
            }),
        (access(dialect, STORE, false), atomic(dialect), value()).prop_map(
            |(access, (op, ty), b)| {
                let none = matches!(op, AtomicOp::Cas | AtomicOp::Exch);
                let op = if none { AtomicOp::Or } else { op };
                Operation::Reduce { access: AccessForm { ty, ..access }, op, operands: vec![b] }
            }
        ),
    ]
}

fn fence() -> impl Strategy<Value = Operation> {
    let order = select(&[Order::Acquire, Order::Release, Order::AcqRel, Order::Sc][..]);
    let restricted = select(
        &[
            (Order::Acquire, FenceRestriction::AcquireSharedCluster),
            (Order::Release, FenceRestriction::ReleaseSharedCta),
            (Order::Release, FenceRestriction::MbarrierInit),
        ][..],
    );
    let kind = prop_oneof![
        Just(ProxyFenceKind::Alias),
        option::of(select(&[Space::Global, Space::SharedCta, Space::SharedCluster][..]))
            .prop_map(ProxyFenceKind::Async),
        scope().prop_map(ProxyFenceKind::TensormapRelease),
        Just(ProxyFenceKind::AsyncGenericAcquire),
        Just(ProxyFenceKind::AsyncGenericRelease),
    ];
    prop_oneof![
        (order, scope()).prop_map(|(order, scope)| Operation::Fence {
            order,
            scope,
            restriction: FenceRestriction::None
        }),
        restricted.prop_map(|(order, restriction)| Operation::Fence {
            order,
            scope: Scope::Cluster,
            restriction
        }),
        kind.prop_map(|kind| Operation::ProxyFence { kind, address: None }),
    ]
}

fn barrier() -> impl Strategy<Value = Operation> {
    let number = (0..16_i128).prop_map(|n| Value::Immediate(spanned(n)));
    let count = (1..4_i128).prop_map(|n| Value::Immediate(spanned(32 * n)));
    let mode = prop_oneof![
        Just(BarrierMode::Sync),
        Just(BarrierMode::Arrive),
        (destination(), truth()).prop_map(|(d, p)| BarrierMode::RedPopc(d, p)),
        (select(PREDICATES), any::<bool>(), truth()).prop_map(|(d, and, p)| {
            let op = if and { BoolOp::And } else { BoolOp::Or };
            BarrierMode::RedBool(Some(name(d)), op, p)
        }),
    ];
    prop_oneof![
        (mode, number, option::of(count.clone()), count, any::<bool>()).prop_map(
            |(mode, barrier, count, needed, aligned)| {
                let count = if mode == BarrierMode::Arrive { Some(needed) } else { count };
                Operation::CtaBarrier { mode, barrier, resource: None, count, aligned }
            }
        ),
        value().prop_map(|mask| Operation::WarpBarrier { mask }),
        any::<[bool; 2]>().prop_map(|[relaxed, aligned]| Operation::ClusterArrive {
            order: if relaxed { Order::Relaxed } else { Order::Release },
            aligned,
        }),
        any::<bool>().prop_map(|aligned| Operation::ClusterWait { aligned }),
        Just(Operation::GridDependencyWait),
        Just(Operation::LaunchDependents),
    ]
}

/// Operations on the shared object `m`, which only blocks declare.
fn mbarrier() -> impl Strategy<Value = Operation> {
    let arrive = (option::of(register()), value(), 0..3_u8, any::<bool>());
    let op = prop_oneof![
        (1..100_i128).prop_map(|n| MbarrierOp::Init { count: Value::Immediate(spanned(n)) }),
        Just(MbarrierOp::Inval),
        value().prop_map(|bytes| MbarrierOp::ExpectTx { bytes }),
        value().prop_map(|bytes| MbarrierOp::CompleteTx { bytes }),
        arrive.prop_map(|(state, amount, kind, drop)| {
            let one = Value::Immediate(spanned(1));
            let register = Value::Register(name("r0"));
            MbarrierOp::Arrive {
                state,
                count: if kind == 1 { register } else { one },
                expect_tx: (kind == 0).then_some(amount),
                no_complete: kind == 2,
                drop,
            }
        }),
        (select(PREDICATES), any::<bool>(), any::<bool>()).prop_map(
            |(done, parity, may_time_out)| {
                let done = Some(name(done));
                let phase = if parity {
                    WaitPhase::Parity(Value::Immediate(spanned(1)))
                } else {
                    WaitPhase::State(Value::Register(name("rd2")))
                };
                MbarrierOp::Wait { done, phase, may_time_out }
            }
        ),
    ];
    (op, any::<bool>(), any::<bool>()).prop_map(|(op, relaxed, cluster)| {
        let (order, remote) = match &op {
            MbarrierOp::Init { .. } | MbarrierOp::Inval => (Order::Weak, false),
            MbarrierOp::ExpectTx { .. } | MbarrierOp::CompleteTx { .. } => {
                (Order::Relaxed, cluster)
            }
            MbarrierOp::Arrive { no_complete: true, .. } => (Order::Release, false),
            _ if relaxed => (Order::Relaxed, cluster),
            MbarrierOp::Arrive { .. } => (Order::Release, cluster),
            MbarrierOp::Wait { .. } => (Order::Acquire, cluster),
        };
        let scope = if remote { Scope::Cluster } else { Scope::Cta };
        let access = AccessForm {
            order,
            scope: (order != Order::Weak).then_some(scope),
            space: Space::SharedCta,
            ty: Type::new(TypeKind::Bits, 64),
            elements: 1,
            proxy: Proxy::Generic,
            address: Address { base: Value::AddressOf(name("m"), 0), offset: 0, span: span() },
            mmio: false,
            volatile: false,
        };
        Operation::Mbarrier { access, op }
    })
}

fn arithmetic(dialect: Dialect) -> impl Strategy<Value = Operation> {
    let ty = match dialect {
        Dialect::Blocks => Type::new(TypeKind::Signed, 32),
        _ => Type::UNTYPED,
    };
    let comparison = {
        use Comparison as C;
        select(&[C::Eq, C::Ne, C::Lt, C::Le, C::Gt, C::Ge][..])
    };
    prop_oneof![
        (destination(), value()).prop_map(move |(destination, source)| Operation::Move {
            ty,
            destination,
            source
        }),
        (comparison, select(PREDICATES), value(), value(), option::of(truth())).prop_map(
            move |(comparison, p, a, b, combine)| Operation::Compare {
                comparison,
                ty,
                destination: Some(name(p)),
                complement: None,
                sources: [a, b],
                combine: combine.map(|predicate| (BoolOp::Xor, predicate)),
                result: Type::PREDICATE,
            }
        ),
        Just(Operation::Nothing),
    ]
}

/// What an instruction of the table says, of a form that some numbers choose.
fn tabled(dialect: Dialect, choices: &[u8]) -> Operation {
    let forms = forms::register_forms(dialect == Dialect::Columns);
    let mut choices = choices.iter().copied().cycle();
    let mut pick = |count: usize| usize::from(choices.next().unwrap_or(0)) % count;
    let line = forms::text(forms[pick(forms.len())], &mut pick);
    let dialect = match dialect {
        Dialect::Columns => decode::Dialect::Columns,
        _ => decode::Dialect::Ptx,
    };
    forms::decoded(&line, dialect).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Instructions of the table.
fn integers(dialect: Dialect) -> impl Strategy<Value = Operation> {
    vec(any::<u8>(), 16).prop_map(move |choices| tabled(dialect, &choices))
}

fn control(dialect: Dialect) -> impl Strategy<Value = Operation> {
    let condition = (value(), value()).prop_map(|(a, b)| Some((Comparison::Le, a, b)));
    let condition = match dialect {
        Dialect::Columns => prop_oneof![Just(None), condition].boxed(),
        _ => Just(None).boxed(),
    };
    prop_oneof![
        condition.prop_map(|condition| Operation::Branch { target: name("END"), condition }),
        Just(Operation::Exit),
    ]
}

fn statement(dialect: Dialect) -> impl Strategy<Value = Statement> {
    let operation = match dialect {
        Dialect::Blocks => prop_oneof![
            4 => memory(dialect),
            2 => fence(),
            1 => barrier(),
            1 => mbarrier(),
            2 => arithmetic(dialect),
            2 => integers(dialect),
            1 => control(dialect),
        ]
        .boxed(),
        _ => prop_oneof![
            4 => memory(dialect),
            2 => fence(),
            1 => barrier(),
            2 => arithmetic(dialect),
            2 => integers(dialect),
            1 => control(dialect),
        ]
        .boxed(),
    };
    (option::weighted(0.2, predicate()), operation).prop_map(|(guard, operation)| Statement {
        labels: Vec::new(),
        guard,
        operation,
        span: span(),
    })
}

/// Statements that end in a label which every branch of them goes to.
fn code(dialect: Dialect) -> impl Strategy<Value = Vec<Statement>> {
    vec(statement(dialect), 0..6).prop_map(|mut statements| {
        statements.push(Statement {
            labels: vec![name("END")],
            guard: None,
            operation: Operation::Nothing,
            span: span(),
        });
        statements
    })
}

fn term(threads: usize) -> impl Strategy<Value = Term> {
    prop_oneof![
        3 => (0..threads, select(REGISTERS)).prop_map(|(thread, register)| Term::Register {
            thread,
            register: register.to_owned(),
            span: span()
        }),
        2 => select(LOCATIONS).prop_map(|location| Term::Memory {
            variable: location.to_owned(),
            index: 0,
            instance: None,
            span: span()
        }),
        1 => select(LOCATIONS).prop_map(|location| Term::AddressOf(name(location))),
        3 => number().prop_map(|n| Term::Number(spanned(n))),
    ]
}

fn condition(threads: usize) -> impl Strategy<Value = Condition> {
    use Comparison as C;
    let comparison = select(&[C::Eq, C::Ne, C::Lt, C::Le, C::Gt, C::Ge][..]);
    let leaf = prop_oneof![
        1 => Just(Condition::True),
        1 => Just(Condition::False),
        8 => (comparison, term(threads), term(threads))
            .prop_map(|(comparison, a, b)| Condition::Compare(comparison, a, b)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
            vec(inner.clone(), 2..4).prop_map(Condition::And),
            vec(inner.clone(), 2..4).prop_map(Condition::Or),
            (inner.clone(), inner).prop_map(|(a, b)| Condition::Implies(Box::new(a), Box::new(b))),
        ]
    })
}

fn variables(dialect: Dialect) -> impl Strategy<Value = Vec<Variable>> {
    let initial = || option::of(0..100_i128);
    (initial(), initial(), vec(0..9_i128, 0..3)).prop_map(move |(x, z, list)| {
        let ty = word(dialect);
        let global = |text: &str, elements, initial| Variable {
            name: name(text),
            space: DeclaredSpace::Global,
            ty,
            elements,
            align: u64::from(ty.bytes()),
            initial,
            initial_addresses: Vec::new(),
            span: span(),
        };
        let mut variables = vec![
            global("x", 1, x.map(|value| vec![value])),
            global("z", 1, z.map(|value| vec![value])),
            global("array", 4, Some(list)),
        ];
        if dialect == Dialect::Blocks {
            let ty = Type::new(TypeKind::Bits, 64);
            let space = DeclaredSpace::Shared;
            variables.push(Variable { space, ty, align: 16, ..global("m", 1, None) });
        }
        variables
    })
}

fn place() -> impl Strategy<Value = ThreadPlace> {
    (0..2_u32, 0..3_u32, option::of(0..2_u32)).prop_map(|(gpu, cta, warp)| {
        ThreadPlace::Device(Place { gpu, grid: 0, cluster: cta / 2, cta, warp })
    })
}

/// A test in columns or in blocks: every register has an initial value, every name a meaning.
pub fn test(dialect: Dialect) -> impl Strategy<Value = Test> {
    (1..4_usize).prop_flat_map(move |threads| {
        let parts = (
            vec((code(dialect), place()), threads),
            variables(dialect),
            condition(threads),
            option::of(condition(threads)),
            vec(term(threads), 0..3),
            select(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall][..]),
        );
        parts.prop_map(move |(threads, variables, condition, filter, locations, quantifier)| Test {
            name: "random".to_owned(),
            dialect,
            version: (dialect == Dialect::Blocks).then_some((8, 5)),
            docs: vec!["two\nlines".to_owned()],
            metadata: vec![Metadata { key: name("Expect[ptx-7.5]"), value: name("allowed") }],
            variables,
            tensor_maps: Vec::new(),
            tensor_memory: Vec::new(),
            aliases: vec![AliasDeclaration {
                name: name("y"),
                proxy: Proxy::Generic,
                target: name("x"),
                span: span(),
            }],
            register_inits: register_inits(threads.len()),
            launch: vec![LaunchSize { register: name("ntid.x"), value: 1024 }],
            threads: threads
                .into_iter()
                .enumerate()
                .map(|(at, (statements, place))| Thread {
                    name: name(&format!("P{at}")),
                    place,
                    registers: Vec::new(),
                    statements,
                    task: None,
                })
                .collect(),
            launched: None,
            tasks: Vec::new(),
            task_edges: Vec::new(),
            locations: locations
                .into_iter()
                .filter(|term| matches!(term, Term::Register { .. } | Term::Memory { .. }))
                .collect(),
            filter,
            quantifier,
            condition,
            condition_span: span(),
            span: span(),
        })
    })
}

fn register_inits(threads: usize) -> Vec<RegisterInit> {
    let names = || REGISTERS.iter().chain(PREDICATES);
    (0..threads)
        .flat_map(|thread| {
            names().map(move |register| RegisterInit {
                thread,
                register: name(register),
                value: InitialValue::Number(0),
            })
        })
        .collect()
}
