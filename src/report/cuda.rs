//! PTX fences, atomic accesses, proxy fences and barriers in the notation of CUDA C++.

use crate::ptx::operation::{
    AccessForm, AtomicOp, BarrierMode, FenceRestriction, MbarrierOp, Operation, Order,
    ProxyFenceKind, Scope, Space, Type, TypeKind, Value,
};

/// The CUDA C++ notation of an operation, for operations that CUDA C++ can express.
///
/// The notation for accesses is `cuda::atomic_ref`, which has no weak accesses; `p` denotes an address that
/// is not a variable.
#[must_use]
pub fn spelling(operation: &Operation) -> Option<String> {
    Some(match operation {
        Operation::Fence { order, scope, restriction: FenceRestriction::None } => {
            fence(*order, *scope)
        }
        Operation::ProxyFence { kind, .. } => match kind {
            ProxyFenceKind::Alias => "cuda::ptx::fence_proxy_alias()".to_owned(),
            ProxyFenceKind::Async(None) => "cuda::ptx::fence_proxy_async()".to_owned(),
            ProxyFenceKind::Async(Some(space)) => {
                let space = match space {
                    Space::Global => "space_global",
                    Space::SharedCluster => "space_cluster",
                    _ => "space_shared",
                };
                format!("cuda::ptx::fence_proxy_async(cuda::ptx::{space})")
            }
            _ => return None,
        },
        Operation::Load { access, non_coherent: false, .. } => {
            format!("{}.load({})", atomic(access)?, order(access.order)?)
        }
        Operation::Store { access, sources } => {
            let value = value(sources.first()?);
            format!("{}.store({value}, {})", atomic(access)?, order(access.order)?)
        }
        Operation::Atomic { access, op, operands, swap, .. } => {
            read_modify_write(access, *op, operands, swap.as_ref())?
        }
        Operation::Reduce { access, op, operands } => {
            read_modify_write(access, *op, operands, None)?
        }
        Operation::CtaBarrier {
            mode: BarrierMode::Sync,
            barrier: Value::Immediate(number),
            resource: None,
            count: None,
            aligned: true,
        } if number.value == 0 => "__syncthreads()".to_owned(),
        Operation::WarpBarrier { mask: Value::Immediate(mask) } => match mask.value {
            0xffff_ffff => "__syncwarp()".to_owned(),
            mask => format!("__syncwarp({mask:#x})"),
        },
        Operation::ClusterArrive { order, .. } => match order {
            Order::Relaxed => {
                "cuda::ptx::barrier_cluster_arrive(cuda::ptx::sem_relaxed)".to_owned()
            }
            _ => "cuda::ptx::barrier_cluster_arrive(cuda::ptx::sem_release)".to_owned(),
        },
        Operation::ClusterWait { .. } => {
            "cuda::ptx::barrier_cluster_wait(cuda::ptx::sem_acquire)".to_owned()
        }
        Operation::Mbarrier { access, op } => {
            let name = match op {
                MbarrierOp::Arrive { expect_tx: Some(_), .. } => "mbarrier_arrive_expect_tx",
                MbarrierOp::Arrive { .. } => "mbarrier_arrive",
                MbarrierOp::Wait { phase, may_time_out, .. } => match (phase, may_time_out) {
                    (crate::ptx::operation::WaitPhase::Parity(_), true) => {
                        "mbarrier_try_wait_parity"
                    }
                    (crate::ptx::operation::WaitPhase::Parity(_), false) => {
                        "mbarrier_test_wait_parity"
                    }
                    (_, true) => "mbarrier_try_wait",
                    (_, false) => "mbarrier_test_wait",
                },
                _ => return None,
            };
            let scope = if access.scope? == Scope::Cluster { "cluster" } else { "cta" };
            format!(
                "cuda::ptx::{name}(cuda::ptx::sem_{}, cuda::ptx::scope_{scope}, ...)",
                access.order
            )
        }
        _ => return None,
    })
}

/// A thread fence; the three fences of CUDA C are `fence.sc`.
fn fence(order: Order, scope: Scope) -> String {
    match (order, scope) {
        (Order::Sc, Scope::Cta) => "__threadfence_block()".to_owned(),
        (Order::Sc, Scope::Gpu) => "__threadfence()".to_owned(),
        (Order::Sc, Scope::Sys) => "__threadfence_system()".to_owned(),
        (order, Scope::Cluster) => {
            format!("cuda::ptx::fence(cuda::ptx::sem_{order}, cuda::ptx::scope_cluster)")
        }
        (order, scope) => {
            let scope = thread_scope(scope).unwrap_or_default();
            format!("cuda::atomic_thread_fence(cuda::memory_order_{order}, {scope})")
        }
    }
}

fn thread_scope(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Cta => Some("cuda::thread_scope_block"),
        Scope::Gpu => Some("cuda::thread_scope_device"),
        Scope::Sys => Some("cuda::thread_scope_system"),
        // Atomic objects of libcu++ have no cluster scope.
        Scope::Cluster => None,
    }
}

fn order(order: Order) -> Option<String> {
    (order != Order::Weak).then(|| format!("cuda::memory_order_{order}"))
}

/// `cuda::atomic_ref<unsigned, cuda::thread_scope_device>(x)`
fn atomic(access: &AccessForm) -> Option<String> {
    let (ty, scope) = (type_name(access.ty)?, thread_scope(access.scope?)?);
    let object = match (&access.address.base, access.address.offset) {
        (Value::AddressOf(name, 0), 0) => name.value.clone(),
        _ => "*p".to_owned(),
    };
    (access.elements == 1).then(|| format!("cuda::atomic_ref<{ty}, {scope}>({object})"))
}

fn type_name(ty: Type) -> Option<&'static str> {
    Some(match (ty.kind, ty.bits) {
        (TypeKind::Signed, 32) => "int",
        (TypeKind::Unsigned | TypeKind::Bits, 32) => "unsigned",
        (TypeKind::Signed, 64) => "long long",
        (TypeKind::Unsigned | TypeKind::Bits, 64) => "unsigned long long",
        (TypeKind::Float, 32) => "float",
        (TypeKind::Float, 64) => "double",
        (TypeKind::Signed, 16) => "short",
        (TypeKind::Unsigned | TypeKind::Bits, 16) => "unsigned short",
        (TypeKind::Unsigned | TypeKind::Bits, 8) => "unsigned char",
        _ => return None,
    })
}

fn read_modify_write(
    access: &AccessForm,
    op: AtomicOp,
    operands: &[Value],
    swap: Option<&Value>,
) -> Option<String> {
    let (object, order) = (atomic(access)?, order(access.order)?);
    let first = value(operands.first()?);
    let name = match op {
        AtomicOp::Cas => {
            let swap = value(swap?);
            // The expected value is a variable, which receives the old value.
            return Some(format!(
                "expected = {first}; {object}.compare_exchange_strong(expected, {swap}, {order})"
            ));
        }
        AtomicOp::Exch => "exchange",
        AtomicOp::Add => "fetch_add",
        AtomicOp::And => "fetch_and",
        AtomicOp::Or => "fetch_or",
        AtomicOp::Xor => "fetch_xor",
        AtomicOp::Min => "fetch_min",
        AtomicOp::Max => "fetch_max",
        AtomicOp::Sub | AtomicOp::Mul | AtomicOp::Div | AtomicOp::Inc | AtomicOp::Dec => {
            return None;
        }
    };
    Some(format!("{object}.{name}({first}, {order})"))
}

fn value(value: &Value) -> String {
    match value {
        Value::Register(register) => register.value.clone(),
        Value::Immediate(number) => number.value.to_string(),
        Value::AddressOf(name, _) => format!("&{}", name.value),
        _ => "v".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::parse::parse_bytes;
    use crate::source::Files;

    /// The notations of statements, `-` for statements without one.
    fn spelled(code: &str) -> Vec<String> {
        let text = format!(
            "PTX t\n.global .u32 x;\n.shared .align 8 .b64 b;\nP0 @ gpu 0, cta 0 {{ {code} }}\n\
             exists (true)"
        );
        let parsed = parse_bytes(&mut Files::default(), "t.litmus", text.as_bytes());
        assert_eq!(parsed.tests.len(), 1, "{:?}", parsed.diagnostics);
        let statements = &parsed.tests[0].threads[0].statements;
        let spell = |s: &crate::ptx::operation::Statement| spelling(&s.operation);
        statements.iter().map(|s| spell(s).unwrap_or_else(|| "-".to_owned())).collect()
    }

    #[test]
    fn operations_are_spelled() {
        let code = "fence.sc.gpu; fence.acq_rel.sys; fence.acquire.cluster; fence.proxy.async; \
                    bar.sync 0; bar.sync 1; ld.acquire.gpu.global.u32 %r1, [x]; ld.weak.global.u32 %r1, [x]; \
                    atom.cas.release.cta.global.b32 %r2, [x], 0, 1; bar.warp.sync 3;";
        assert_eq!(
            spelled(code),
            [
                "__threadfence()",
                "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_system)",
                "cuda::ptx::fence(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster)",
                "cuda::ptx::fence_proxy_async()",
                "__syncthreads()",
                "-",
                "cuda::atomic_ref<unsigned, cuda::thread_scope_device>(x).load(cuda::memory_order_acquire)",
                "-",
                "expected = 0; cuda::atomic_ref<unsigned, cuda::thread_scope_block>(x)\
                 .compare_exchange_strong(expected, 1, cuda::memory_order_release)",
                "__syncwarp(0x3)",
            ]
        );
    }
}
