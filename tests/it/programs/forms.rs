//! Instructions beyond plain loads, stores, atomics and fences, as templates.
//!
//! `<a|b>` stands for one of these words. `$L`, `$S` and `$A` are the qualifiers of a strong load, a
//! store and an atomic; `$x` is a variable in the space `$s`, `$v` a value. `$d` is a new register
//! with 32 bits, `$D`, `$Q` and `$H` are ones with 64, 128 and 16 bits, all of them part of the
//! final state; a lower-case letter otherwise is a register that nobody looks at. `$m` is the token
//! of the last arrival of the thread. The other names are declared in [`EXTRAS`].

/// Templates of one theme.
pub type Forms = &'static [&'static str];

/// Variables that only templates use: name, declaration, what a final state has of them.
pub const EXTRAS: &[(&str, &str, &[&str])] = &[
    ("wide", ".global .align 16 .b64 wide[2] = {0, 0};", &["wide[0]", "wide[1]"]),
    ("half", ".global .align 4 .b16 half[2] = {0, 0};", &["half[0]", "half[1]"]),
    ("byte", ".global .b8 byte = 0;", &["byte"]),
    ("ro", ".global .u32 ro = 5;", &["ro"]),
    ("floats", ".global .align 16 .b32 floats[4] = {0, 0, 0, 0};", &["floats[0]", "floats[1]"]),
    ("big", ".global .align 128 .b64 big[16];", &[]),
    ("block", ".shared .align 8 .b64 block[2] = {1, 2};", &[]),
    ("own", ".local .align 8 .b32 own[2] = {0, 0};", &[]),
    ("fixed", ".const .align 8 .u32 fixed[2] = {3, 4};", &[]),
    ("given", ".param .align 8 .u32 given[2] = {5, 6};", &[]),
    ("rows", ".shared .align 16 .b32 rows[4] = {1, 2, 3, 4};", &[]),
    ("open", ".shared .u32 open;", &[]),
    ("tiny", ".shared .b8 tiny;", &[]),
    ("short", ".shared .align 4 .b16 short;", &[]),
    ("vast", ".shared .align 8 .b64 vast;", &[]),
    ("mine", ".local .align 8 .b32 mine[2];", &[]),
    ("copies", ".multimem .align 16 .u32 copies[4] = {0, 0, 0, 0};", &[]),
];

/// Words of 32 bits.
pub const WORDS: Forms = &[
    "ld.<weak|$L|volatile|mmio.relaxed.sys>.global.<b32|s32|f32> $d, [floats]",
    "st.<weak|$S>.global.<b32|f32> [floats], 0f3F800000",
    "st.<weak|$S>.global.s32 [floats], -1",
    "ld.global.<ca|cg|cs|lu|cv>.u32 $d, [ro]; st.global.<wb|cg|cs|wt>.u32 [ro], 1",
    "ld.global.L1::no_allocate.u32 $d, [ro]; st.global.L1::evict_last.u32 [ro], 2",
    "atom.$A.global.add.s32 $d, [floats], -1",
    "atom.$A.global.add.f32 $d, [floats], 0f3F800000",
    "mov.b32 $t, 0x3C003C00; atom.$A.global.add.noftz.<f16x2|bf16x2> $d, [floats], $t",
    "red.$S.global.add.s32 [floats], -1",
    "red.$S.global.add.f32 [floats], 0f3F800000",
    "mov.b32 $t, 0x3C003C00; red.$S.global.add.noftz.<f16x2|bf16x2> [floats], $t",
    "atom.$A.global.add.u32 _, [floats], 1",
    "red.$S.global.add.u32 [floats], 1",
    "red.$S.global.add.L2::cache_hint.u32 [floats], 1, 7",
    "atom.$A.global.exch.L2::cache_hint.b32 $d, [floats], 1, 7",
];

/// Words of 64 bits.
pub const DOUBLES: Forms = &[
    "ld.<weak|$L|volatile>.global.<b64|u64|s64|f64> $D, [wide]",
    "ld.<weak|$L>.global.<b64|u64> $D, [wide+8]",
    "st.<weak|$S|volatile>.global.<b64|u64|s64> [wide], <1|2>",
    "st.<weak|$S>.global.f64 [wide], 0d3FF0000000000000",
    "atom.$A.global.<and|or|xor|exch>.b64 $D, [wide], 3",
    "atom.$A.global.cas.b64 $D, [wide], 0, <1|2>",
    "atom.$A.global.<add|min|max>.u64 $D, [wide], 1",
    "atom.$A.global.<min|max>.s64 $D, [wide], -1",
    "atom.$A.global.add.f64 $D, [wide], 0d3FF0000000000000",
    "red.$S.global.<and|or|xor>.b64 [wide], 3",
    "red.$S.global.<add|min|max>.u64 [wide], 1",
    "red.$S.global.<min|max>.s64 [wide], -1",
    "red.$S.global.add.f64 [wide], 0d3FF0000000000000",
];

/// Words of 128 bits, and their halves.
pub const QUADS: Forms = &[
    "ld.<weak|$L>.global.b128 $Q, [wide]",
    "ld.weak.global.b128 $q, [wide]; st.<weak|$S>.global.b128 [wide], $q",
    "atom.$A.global.exch.b128 $Q, [wide], <1|2>",
    "mov.b64 $t, <1|2>; mov.b64 $u, 0; mov.b128 $q, {$t, $u}; atom.$A.global.exch.b128 $Q, [wide], $q",
    "ld.<weak|$L>.global.b128 $q, [wide]; mov.b128 <{$D, _}|{_, $D}>, $q",
    "ld.weak.global.b64 $t, [wide]; mov.b64 {$u, $d}, $t; mov.b64 $D, {$d, $u}",
    "atom.$A.global.cas.b128 $Q, [wide], 0, <1|2>",
    "ld.<weak|$L|volatile>.global.<b64|u64|s64|f64> $D, [wide]",
];

/// Words of 16 and 8 bits.
pub const HALVES: Forms = &[
    "ld.<weak|$L|volatile>.global.<b16|u16|s16> $H, [half<|+2>]",
    "st.<weak|$S|volatile>.global.<b16|u16|s16> [half], <1|2>",
    "ld.<weak|$L>.global.<b8|u8|s8> $H, [byte]",
    "st.<weak|$S>.global.<b8|u8|s8> [byte], <1|0x81>",
    "atom.$A.global.cas.b16 $H, [half], 0, <1|2>",
    "mov.b16 $t, 0x3C00; atom.$A.global.add.noftz.<f16|bf16> $H, [half], $t",
    "mov.b16 $t, 0x3C00; red.$S.global.add.noftz.<f16|bf16> [half], $t",
];

/// Vectors.
pub const VECTORS: Forms = &[
    "ld.<weak|$L>.global.v2.<b64|u64|s64|f64> {$D, $u}, [wide]",
    "st.<weak|$S>.global.v2.<b64|u64> [wide], {1, 2}",
    "ld.<weak|$L>.global.v4.<b32|u32|s32|f32> {$t, $u, $k, $d}, [floats]",
    "st.<weak|$S>.global.v4.<b32|f32> [floats], {0f3F800000, 0f40000000, 0f3F800000, \
     0f3F800000}",
    "ld.weak.global.v8.b32 {$t, $d, $k, $l, $n, $o, $y, $z}, [big]",
    "st.weak.global.v8.b32 [big], {1, 2, 3, 4, 5, 6, 7, 8}",
    "atom.$A.global.v2.f32.add {$d, $u}, [floats], {0f3F800000, 0f40000000}",
    "atom.$A.global.v4.f32.add {$d, $u, $k, $l}, [floats], {1.0, 2.0, .5, 1e3}",
    "mov.b16 $t, 0x3C00; mov.b16 $o, 0x4000; \
     atom.$A.global.v2.<add|min|max>.noftz.<f16|bf16> {$H, $u}, [half], {$t, $o}",
    "mov.b16 $t, 1; mov.b16 $o, 2; \
     atom.$A.global.v4.min.noftz.f16 {$H, $u, $k, $l}, [floats], {$t, $o, $t, $o}",
    "mov.b16 $t, 1; mov.b16 $o, 2; \
     atom.$A.global.v8.max.noftz.bf16 {$H, $k, $l, $n, $o, $u, $y, $z}, [floats], \
     {$t, $o, $t, $o, $o, $t, $o, $t}",
    "mov.b32 $t, 0x3C00; mov.b32 $o, 0x40003C00; \
     atom.$A.global.v2.add.noftz.<f16x2|bf16x2> {$d, $u}, [floats], {$t, $o}",
    "red.$S.global.v2.f32.add [floats], {0f3F800000, 0f40000000}",
    "mov.b16 $t, 0x3C00; mov.b16 $o, 0x4000; \
     red.$S.global.v2.<add|min|max>.noftz.<f16|bf16> [half], {$t, $o}",
    "mov.b16 $t, 1; mov.b16 $o, 2; red.$S.global.v4.max.noftz.f16 [floats], {$t, $o, $t, $o}",
    "mov.b16 $t, 1; mov.b16 $o, 2; \
     red.$S.global.v8.min.noftz.bf16 [floats], {$t, $o, $t, $o, $o, $t, $o, $t}",
    "mov.b32 $t, 0x3C00; mov.b32 $o, 0x40003C00; \
     red.$S.global.v2.add.noftz.<f16x2|bf16x2> [floats], {$t, $o}",
];

/// State spaces, addresses, and instructions for data of a special kind.
pub const SPACES: Forms = &[
    "ld.<weak|$L|volatile>.u32 $d, [$x]",
    "st.<weak|$S|volatile>.u32 [$x], $v",
    "atom.$A.add.u32 $d, [$x], 1",
    "red.$S.or.b32 [$x], $v",
    "ld.<weak.|volatile.|>local.u32 $d, [own]",
    "st.<weak.|volatile.|>local.u32 [own], $v",
    "ld.local.v2.u32 {$t, $d}, [own]; st.local.v2.u32 [own], {$t, $v}",
    "ld.const.u32 $d, [fixed<|+4>]",
    "ld.const.v2.u32 {$d, $u}, [fixed]",
    "ld.param<|::entry>.u32 $d, [given<|+4>]",
    "ld.param.v2.u32 {$d, $u}, [given]",
    "ld.global.nc<|.L1::no_allocate>.u32 $d, [<ro|$x>]",
    "ldu.global.<u32|s32|b32|f32> $d, [<ro|$x>]",
    "ldu.global.<u64|s64|b64|f64> $D, [wide]",
    "ldu.global.<b128 $Q|v2.u64 {$D, $u}|v4.b32 {$t, $u, $k, $d}>, [wide]",
    "ldu.global.<b16|u16|s16> $H, [half]",
    "ldu.global.<b8|u8|s8> $H, [byte]",
    "discard.global.L2 [big], 128",
    "ld.weak.global.u64 $D, [big+8]",
    "atom.$A.shared<|::cta>.exch.b64 $D, [block], 1",
    "red.$S.shared<|::cta>.add.u64 [block], 1",
    "st.bulk.weak.shared::cta [block], 16, 0",
    "ld.<weak|$L>.shared.u64 $D, [block]",
    "st.<weak|$S>.shared::cta.u64 [block+8], 7",
    "ld.<weak|$L>.shared::cta.u32 $d, [open]",
    "st.<weak|$S>.shared.u32 [open], 1",
    "mapa.shared::cluster.<u32|s32> $t, block, <0|1>; ld.<weak|$L>.shared::cluster.u64 $D, [$t]",
    "mapa.shared::cluster.u32 $t, block, <0|1>; st.<weak|$S>.shared::cluster.u64 [$t], 3",
    "mapa.shared::cluster.u32 $t, block, <0|1>; atom.$A.shared::cluster.add.u64 $D, [$t], 1",
    "mapa.shared::cluster.u32 $t, block, <0|1>; red.$S.shared::cluster.add.u64 [$t], 1",
    "cvta.shared.u64 $t, block; mapa.u64 $u, $t, <0|1>; st.<weak|$S>.u64 [$u], 4",
    "cvta.shared.u64 $t, block; getctarank.u64 $d, $t",
    "getctarank.shared::cluster.<u32|s32> $d, block",
    "cvta.global.u64 $t, $x; \
     isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> $p, $t; \
     selp.u32 $d, 1, 0, $p",
    "cvta.<shared|shared::cta|shared::cluster>.u64 $t, block; \
     isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> $p, $t; \
     selp.u32 $d, 1, 0, $p",
    "cvta.local.u64 $t, own; \
     isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> $p, $t; \
     selp.u32 $d, 1, 0, $p",
    "cvta.const.u64 $t, fixed; \
     isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> $p, $t; \
     selp.u32 $d, 1, 0, $p",
    "cvta.<param|param::entry>.u64 $t, given; \
     isspacep.<global|shared|shared::cta|shared::cluster|local|const|param|param::entry> $p, $t; \
     selp.u32 $d, 1, 0, $p",
    "cvta.global.u64 $t, wide; cvta.to.global.u64 $u, $t; ld.<weak|$L>.global.u64 $D, [$u]",
    "cvta.shared.u64 $t, block; ld.<weak|$L>.u64 $D, [$t]",
    "cvta.local.u64 $t, own; st.weak.u32 [$t], 1; ld.weak.local.u32 $d, [own]",
    "mov.u32 $d, %<tid.x|ctaid.x|ntid.x|laneid|lanemask_lt|nsmid|cluster_ctarank|clusterid.x>",
    "ldmatrix.sync.aligned.m8n8.x1<|.trans>.shared<|::cta>.b16 {$d}, [rows]",
    "stmatrix.sync.aligned.m8n8.x1<|.trans>.shared<|::cta>.b16 [rows], {$v}",
    "fence.proxy.async<|.global|.shared::cta|.shared::cluster>",
    "fence.proxy.async::generic.<acquire.sync_restrict::shared::cluster|\
     release.sync_restrict::shared::cta>.cluster",
    "fence.proxy.tensormap::generic.release.<cta|cluster|gpu|sys>",
    "fence.proxy.tensormap::generic.acquire.<cta|gpu|sys> [big], 128",
    "membar.proxy.<alias|async>",
    "fence.<cta|gpu|sys>",
    "prefetch.<global.L1|global.L2|local.L1|global.L2::evict_last> [<own|big>]",
    "applypriority.global.L2::evict_normal [big], 128",
    "nanosleep.u32 20",
];

/// Replicas on every device.
pub const MULTIMEM: Forms = &[
    "multimem.ld_reduce.<weak|$L>.global.<add|min|max>.<u32|s32> $d, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.<and|or|xor>.b32 $d, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.<min|max>.<u64|s64> $D, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.<and|or|xor>.b64 $D, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.add.<u64|f64> $D, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.add.f32 $d, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.<add|min|max>.<f16x2|bf16x2> $d, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.add.v2.f32 {$d, $u}, [copies]",
    "multimem.ld_reduce.<weak|$L>.global.max.v4.<f16|bf16|f16x2> {$t, $u, $k, $l}, [copies]",
    "multimem.st.<weak|$S>.global.<b32|u32|s32> [copies], <1|2>",
    "multimem.st.<weak|$S>.global.f32 [copies], <1.0|2.0>",
    "multimem.st.<weak|$S>.global.<b64|u64|s64> [copies], <1|2>",
    "multimem.st.<weak|$S>.global.f64 [copies], 0d3FF0000000000000",
    "mov.b32 $t, 0x3C003C00; multimem.st.<weak|$S>.global.<f16x2|bf16x2> [copies], $t",
    "multimem.st.<weak|$S>.global.v2.f32 [copies], {0f3F800000, 0f40000000}",
    "mov.b16 $t, 1; mov.b16 $o, 2; \
     multimem.st.<weak|$S>.global.v8.<f16|bf16> [copies], {$t, $o, $t, $o, $o, $t, $o, $t}",
    "multimem.red.<$S.|>global.<add|min|max>.<u32|s32> [copies], <1|2>",
    "multimem.red.$S.global.<and|or|xor>.b32 [copies], 3",
    "multimem.red.$S.global.<and|or|xor>.b64 [copies], 3",
    "multimem.red.$S.global.<min|max>.<u64|s64> [copies], 3",
    "multimem.red.$S.global.add.<u64> [copies], 3",
    "multimem.red.$S.global.add.f64 [copies], 0d3FF0000000000000",
    "multimem.red.$S.global.add.f32 [copies], 0f3F800000",
    "mov.b32 $t, 0x3C003C00; multimem.red.$S.global.add.<f16x2|bf16x2> [copies], $t",
    "multimem.red.$S.global.add.v2.f32 [copies], {0f3F800000, 0f40000000}",
    "mov.b16 $t, 1; mov.b16 $o, 2; \
     multimem.red.$S.global.min.v4.<f16|bf16> [copies], {$t, $o, $t, $o}",
];

/// Barriers with counts, constant or computed.
pub const COUNTS: Forms = &[
    "barrier.<sync|arrive> 1, <64|64|64|96>",
    "setp.eq.u32 $p, $v, 1; selp.u32 $t, 64, <32|96>, $p; barrier.<sync|arrive> 1, $t",
    "mov.b32 $t, $v; and.b32 $t, $t, 1; add.u32 $t, $t, 1; shl.b32 $u, $t, 5; barrier.sync 1, $u",
    "setp.eq.u32 $p, $v, 1; barrier.red.popc.u32 $d, 2, 64, $p",
    "setp.eq.u32 $p, $v, 1; barrier.red.<and|or>.pred $n, 2, 64, $p; selp.u32 $d, 1, 0, $n",
];

/// Operations on mbarriers beyond arrivals and waits.
pub const MBARRIERS: Forms = &[
    "mbarrier.expect_tx.relaxed.<cta|cluster>.shared::cta.b64 [bar], 8",
    "mbarrier.complete_tx.relaxed.<cta|cluster>.shared::cta.b64 [bar], 8",
    "mbarrier.arrive.expect_tx<|.release.cta|.relaxed.cluster>.shared.b64 $m, [bar], 8",
    "mbarrier.arrive_drop<|.release.cta|.relaxed.cluster>.shared.b64 $m, [bar]",
    "mbarrier.arrive_drop.expect_tx<|.release.cta>.shared.b64 $m, [bar], 8",
    "mbarrier.arrive<|.release.cta>.shared.b64 $m, [bar], <1|2>",
    "mbarrier.arrive.noComplete<|.release.cta>.shared::cta.b64 $m, [bar], 1; \
     mbarrier.pending_count.b64 $d, $m",
    "mbarrier.arrive_drop.noComplete.shared::cta.b64 $m, [bar], 1",
    "mbarrier.inval.shared.b64 [bar]",
    "mbarrier.inval.shared.b64 [bar]; st.<weak|$S>.shared.b64 [bar], -1; \
     ld.<weak|$L>.shared.b64 $D, [bar]",
    "mbarrier.inval.shared.b64 [bar]; st.weak.shared.b32 [bar<|+4>], -1; \
     mbarrier.init.shared.b64 [bar], 1",
    "mbarrier.arrive.shared.b64 $m, [bar]; <st.$S.shared.b64 [bar], -1|\
     ld.weak.shared.b32 $d, [bar+4]|atom.$A.shared.add.u64 $D, [bar], 1>",
    "mapa.shared::cluster.u32 $t, bar, 0; mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 \
     [$t], 8",
    "mapa.shared::cluster.u32 $t, bar, 0; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 \
     [$t], 8",
    "mapa.shared::cluster.u32 $t, bar, 0; mbarrier.arrive_drop.release.cluster.shared::cluster.b64 \
     _, [$t]",
];

/// Register arithmetic.
pub const REGISTERS: Forms = &[
    "<add|sub|mul.lo|mul.hi|div|rem|min|max>.<u32|s32> $d, $v, <1|2|0>",
    "<and|or|xor|shl>.b32 $d, $v, <1|3>",
    "shr.<b32|u32|s32> $d, $v, 1",
    "<not|cnot>.b32 $d, $v",
    "<neg|abs>.s32 $d, $v",
    "mul.wide.<u32|s32> $D, $v, 3",
    "mad.<lo|hi>.<u32|s32> $d, $v, 2, 1",
    "mad.wide.<u32|s32> $D, $v, 2, 1",
    "cvt.<u64.u32|s64.s32> $t, $v; <add|sub|mul.lo|mul.hi|div|rem|min|max>.<u64|s64> $D, $t, 3",
    "cvt.u64.u32 $t, $v; <and|or|xor|shl|shr>.b64 $D, $t, 3",
    "cvt.u64.u32 $t, $v; shr.<u64|s64> $D, $t, 1",
    "cvt.u64.u32 $t, $v; <not|cnot>.b64 $D, $t",
    "cvt.s64.s32 $t, $v; <neg|abs>.s64 $D, $t",
    "cvt.u64.u32 $t, $v; mad.<lo|hi>.<u64|s64> $D, $t, 2, 1",
    "cvt.<u16.u32|s16.s32> $t, $v; <add|sub|mul.lo|mul.hi|div|rem|min|max>.<u16|s16> $H, $t, 3",
    "cvt.u16.u32 $t, $v; <and|or|xor|shl|shr>.b16 $H, $t, 3",
    "cvt.u16.u32 $t, $v; shr.<u16|s16> $H, $t, 1",
    "cvt.u16.u32 $t, $v; <not|cnot>.b16 $H, $t",
    "cvt.s16.s32 $t, $v; <neg|abs>.s16 $H, $t",
    "cvt.u16.u32 $t, $v; mul.wide.<u16|s16> $d, $t, 3",
    "cvt.u16.u32 $t, $v; mad.<lo|hi>.<u16|s16> $H, $t, 2, 1",
    "cvt.u16.u32 $t, $v; mad.wide.<u16|s16> $d, $t, 2, 1",
    "cvt.<u8|s8>.u32 $t, $v; cvt.<u32|s32>.<u8|s8> $d, $t",
    "setp.<eq|ne|lt|le|gt|ge>.<u32|s32> $p, $v, 1; selp.<b32|u32|s32> $d, 1, 0, $p",
    "setp.<lo|ls|hi|hs>.u32 $p, $v, 1; selp.<u64|s64|b64> $D, 1, 0, $p",
    "setp.<eq|ne>.b32 $p|$n, $v, 1; selp.<u16|s16|b16> $H, 1, 0, $n",
    "setp.eq.u32 $p, $v, 1; setp.ne.<and|or|xor>.u32 $n, $v, 2, $p; selp.f32 $d, 1.0, 0f00000000, $n",
    "cvt.u64.u32 $t, $v; setp.<lt.u64|gt.s64|eq.b64> $p, $t, 2; selp.f64 $D, 0d3FF0000000000000, 0.0, $p",
    "cvt.u16.u32 $t, $v; setp.<lt.u16|gt.s16|eq.b16> $p, $t, 2; selp.u32 $d, 1, 0, $p",
    "setp.eq.u32 $p, $v, 1; setp.lt.u32 $q, $v, 3; <and|or|xor>.pred $n, $p, $q; \
     selp.u32 $d, 1, 0, $n",
    "setp.eq.u32 $p, $v, 1; not.pred $n, $p; selp.u32 $d, 1, 0, $n",
    "setp.eq.u32 $p, $v, 1; <and|or|xor>.pred $n, <!$p|2>, <!$p|0>; selp.u32 $d, 1, 0, $n",
    "setp.eq.<and|or|xor>.u32 $p|$q, $v, 1, <0|!0>; mov.pred $n, !$q; selp.u32 $d, $v, 2, $n",
    "add.u32 $d, $v, <(1+2)*3 & ~1|7 % 4 << 1|1 ? 2 : 3|-7 / 2|!1>; selp.u32 $d, $d, 1, <1|!1>",
    "setp.eq.u32 $p, $v, 1; mov.pred $n, $p; selp.u32 $d, 1, 0, $n",
    "set.<eq|ne|lt|le|gt|ge>.<u32|s32>.<u32|s32> $d, $v, 1",
    "set.<lo|ls|hi|hs>.u32.u32 $d, $v, 1",
    "set.eq.u32.b32 $d, $v, 1",
    "setp.eq.u32 $p, $v, 1; set.lt.<and|or|xor>.u32.u32 $d, $v, 2, $p",
    "cvt.u64.u32 $t, $v; set.<eq.u32.b64|lt.u32.u64|gt.u32.s64> $d, $t, 1",
    "cvt.u16.u32 $t, $v; set.<eq.u32.b16|lt.u32.u16|gt.u32.s16> $d, $t, 1",
    "mov.<b32|u32|s32> $d, $v",
    "mov.b32 $t, $v; mov.f32 $d, $t",
    "mov.<b64|u64|s64> $D, <1|2>",
    "mov.f64 $D, <1.0|0f40000000>",
    "mov.<b16|u16|s16> $H, <1|2>",
    "mov.b128 $Q, <1|2>",
    "mov.b32 $t, $v; mov.b32 $o, 1; mov.v2.<b32|u32|s32> {$o, $t}, {$t, $o}; mov.b32 $d, $o",
    "mov.b32 $t, $v; mov.v4.u32 {$d, $t, $o, $u}, {$t, 1, $t, 2}; add.u32 $d, $d, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0x3C003C00; <add|min|max>.<f32|f16x2|bf16x2> $d, $t, $o",
    "<add|min|max>.f64 $D, 0d3FF0000000000000, 0d4000000000000000",
    "mov.b16 $t, 0x3C00; mov.b16 $o, 0x4000; <add|min|max>.<f16|bf16> $H, $t, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0x3C003C00; add.rn.<f32|f16x2> $d, $t, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0x3C003C00; add<|.rz|.rm|.rp>.ftz<|.sat>.f32 $d, $t, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0x3C003C00; <min|max>.<ftz|NaN|xorsign.abs>.<f32|f16x2> $d, $t, $o",
    "mov.b32 $t, $v; <min|max>.f32 $d, $t, 2.0, 1.0",
    "mov.b32 $t, $v; <fma.rn|mad.rz|fma.rn.ftz>.f32 $o, $t, $t, $t; st.weak.global.f32 [floats], $o",
    "shfl.sync.<up|down|bfly|idx>.b32 $d, $v, 1, 31, 0xffffffff",
    "setp.eq.u32 $p, $v, 1; vote.sync.<all|any|uni>.pred $n, $p, 0xffffffff; selp.u32 $d, 1, 0, $n",
    "setp.eq.u32 $p, $v, 1; vote.sync.ballot.b32 $d, $p, 0xffffffff",
    "match.<any|all>.sync.b32 $d, $v, 0xffffffff",
    "match.<any|all>.sync.b64 $d, 1, 0xffffffff",
    "redux.sync.<add|min|max>.<u32|s32> $d, $v, 0xffffffff",
    "redux.sync.<and|or|xor>.b32 $d, $v, 0xffffffff",
    "mov.b32 $o, $v; redux.sync.<min|max><|.abs>.NaN.f32 $t, $o, 0xffffffff",
    "elect.sync $d|$p, 0xffffffff",
    "activemask.b32 $d",
    "stacksave.u64 $D; stackrestore.u64 $D",
    "setp.eq.u32 $p, $v, 1; barrier.cta.red.popc<|.aligned>.u32 $d, 0, !$p",
    "barrier.cta.red.popc<|.aligned>.u32 $d, 0 + 0, <1|0|!1>",
    "setp.eq.u32 $p, $v, 1; barrier.red.<and|or>.pred $n, 0, $p; selp.u32 $d, 1, 0, $n",
    "setp.eq.u32 $p, $v, 1; bar.cta.red.<and|or>.pred $n, 1, $p; selp.u32 $d, 1, 0, $n",
];

/// Integer and bit instructions beyond plain arithmetic.
pub const INTEGERS: Forms = &[
    "<popc|clz|brev>.b32 $d, $v",
    "cvt.u64.u32 $t, $v; <popc|clz>.b64 $d, $t",
    "cvt.u64.u32 $t, $v; brev.b64 $D, $t",
    "bfind<|.shiftamt>.<u32|s32> $d, $v",
    "cvt.s64.s32 $t, $v; bfind<|.shiftamt>.<u64|s64> $d, $t",
    "bfe.<u32|s32> $d, $v, <0|1|31>, <0|1|2|255>",
    "mov.b32 $t, $v; bfe.<u32|s32> $d, 0x80000006, $t, <1|2|31>",
    "mov.b32 $t, $v; bfe.<u32|s32> $d, 0x80000006, <1|31>, $t",
    "cvt.s64.s32 $t, $v; bfe.<u64|s64> $D, $t, <0|63>, <2|$v>",
    "bfi.b32 $d, $v, 5, <0|1|31>, <0|1|2>",
    "mov.b32 $t, $v; bfi.b32 $d, 7, 0x18, $t, <1|2>",
    "cvt.u64.u32 $t, $v; bfi.b64 $D, $t, -1, <1|62>, 3",
    "prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> $d, $v, 0x80, <0x3210|0x4440|0x9C40>",
    "prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> $d, 0x81020304, 0x05060788, $v",
    "shf.<l|r>.<clamp|wrap>.b32 $d, $v, 5, <0|1|32|33>",
    "shf.<l|r>.<clamp|wrap>.b32 $d, 0x80000001, 5, $v",
    "lop3.b32 $d, $v, <1|3>, 2, <0x96|0xE8|0xCA|0xF0|0xCC|0x40>",
    "mov.b32 $t, $v; lop3.b32 $d, $t, $t, 1, <0x3C|0x96|0xC3>",
    "setp.eq.u32 $p, $v, 1; lop3.<and|or>.b32 $d|$n, $v, 3, 1, 0x60, $p",
    "lop3.<and|or>.b32 $d|$n, $v, 3, 1, 0x60, <0|1>; selp.u32 $d, 1, $d, !$n",
    "setp.eq.u32 $p, $v, 1; lop3.<and|or>.b32 _|$n, $v, 3, 1, 0x40, $p; selp.u32 $d, 1, 0, $n",
    "sad.<u32|s32> $d, $v, <1|3>, 2",
    "cvt.s64.s32 $t, $v; sad.<u64|s64> $D, $t, 3, 1",
    "cvt.u16.u32 $t, $v; sad.<u16|s16> $H, $t, 3, 1",
    "slct.<b32|u32|s32>.s32 $d, 1, 2, $v",
    "mov.b32 $t, $v; slct<|.ftz>.<b32|f32>.f32 $d, 0f3F800000, 0f40000000, $t",
    "slct.<b64|u64|s64>.s32 $D, 1, 2, $v",
    "mov.b32 $t, $v; slct<|.ftz>.f64.f32 $D, 1.0, 2.0, $t",
    "slct.<b16|u16|s16>.s32 $H, 1, 2, $v",
    "mul24.<lo|hi>.<u32|s32> $d, $v, 0x30001",
    "mad24.<lo|hi>.<u32|s32> $d, $v, 0x30001, 2",
    "mad24.hi.sat.s32 $d, $v, 0x30001, 0x7FFFFFFF",
    "dp4a.<u32|s32>.<u32|s32> $d, $v, 0x01FF0203, 1",
    "dp2a.<lo|hi>.<u32|s32>.<u32|s32> $d, $v, 0x01FF0203, 1",
    "szext.<clamp|wrap>.<u32|s32> $d, <0x87654321|$v>, <0|7|32|33>",
    "szext.<clamp|wrap>.<u32|s32> $d, 0x87654321, $v",
    "bmsk.<clamp|wrap>.b32 $d, <0|30|32>, $v",
    "bmsk.<clamp|wrap>.b32 $d, $v, <2|32>",
    "add.sat.<u32|s32> $d, $v, 0x7FFFFFFE",
    "sub.sat.s32 $d, $v, 0x7FFFFFFF",
    "mad.hi.sat.s32 $d, $v, 0x7FFFFFFF, 0x7FFFFFFF",
    "<min|max>.relu.s32 $d, $v, -1",
    "mov.b32 $t, $v; mov.b32 $o, 0xFFFF7FFF; <add|add.sat|min|max>.<u16x2|s16x2> $d, $t, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0xFFFF7FFF; <min|max>.relu.s16x2 $d, $t, $o",
    "mov.b32 $t, $v; mov.b32 $o, 0xFF7F8001; <add|add.sat|sub|sub.sat|min|max>.<u8x4|s8x4> $d, $t, $o",
    "mov.b32 $t, $v; neg.s8x4 $d, $t",
    "cvt.sat.<u8.s32|s8.u32|u16.s32|s16.s32> $t, $v; cvt.u32.u16 $d, $t",
    "cvt.sat.<u32.s32|s32.u32> $d, $v",
    "cvt.sat.u64.s32 $D, $v",
    "cvt.s64.s32 $t, $v; cvt.sat.<u16|s16>.<s64|u64> $H, $t",
    "cvt.s64.s32 $t, $v; cvt.sat.s64.u64 $D, $t",
    "cvt.pack.sat.<u16|s16>.s32 $d, $v, -1",
    "cvt.pack.sat.<u2|s2|u4|s4|u8|s8>.s32.b32 $d, $v, -3, 9",
    "<add|sub>.cc.<u32|s32> $d, $v, -1; <addc|subc>.<u32|s32> $d, $v, 0",
    "cvt.u64.u32 $t, $v; <add|sub>.cc.<u64|s64> $t, $t, -1; <addc|subc>.cc.<u64|s64> $D, $t, 0; \
     addc.<u16|s16> $H, 0, 0",
    "sub.cc.u32 $t, $v, 1; subc.<u16|s16> $H, 0, 0",
    "mad.<lo|hi>.cc.<u32|s32> $t, $v, 3, -1; madc.<lo|hi>.<u32|s32> $d, $v, 3, 1",
    "cvt.u64.u32 $t, $v; mad.<lo|hi>.cc.<u64|s64> $u, $t, 3, -1; \
     madc.<lo|hi>.cc.<u64|s64> $D, $t, 3, -1; madc.<lo|hi>.u16 $H, 1, 2, 3",
];

/// Unknown initial values, copied whole and compared for equality: every engine can tell what
/// follows from them.
pub const UNKNOWN: Forms = &[
    "ld.<weak|$L>.shared.<b8|u8> $t, [tiny]; setp.<eq|ne>.u32 $p, $t, <0|1|0x81>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<b16|u16> $t, [short]; setp.<eq|ne>.u32 $p, $t, <0|1|0x8001>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<b32|u32|s32> $t, [open]; setp.<eq|ne>.u32 $p, $t, <0|1>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.u32 $t, [open]; setp.<eq|ne>.u64 $p, $t, <0|1|0x100000001>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<b64|u64|s64> $t, [vast]; setp.<eq|ne>.u64 $p, $t, <0|1>; \
     selp.u32 $d, 1, 0, $p",
    "ld.weak.local.<u32|s32> $t, [mine<|+4>]; setp.<eq|ne>.u32 $p, $t, <0|1>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.u8 $t, [tiny]; ld.<weak|$L>.shared.u16 $u, [short]; \
     setp.eq.u32 $p, $t, $u; selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.u32 $t, [open]; ld.<weak|$L>.shared.u32 $u, [open]; \
     setp.eq.u32 $p, $t, $u; selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.u32 $t, [open]; st.<weak|$S>.shared.u64 [vast], $t",
    "ld.<weak|$L>.shared.u8 $t, [tiny]; st.<weak|$S>.<shared.u16 [short]|shared.u32 [open]>, $t",
    "ld.<weak|$L>.shared.u8 $t, [tiny]; st.<weak|$S>.$s.u32 [$x], $t",
    "ld.<weak|$L>.shared.<u8 $d, [tiny]|u16 $H, [short]|u32 $d, [open]|u64 $D, [vast]>",
    "atom.$A.shared.<exch.b32 $d, [open], 1|cas.b32 $d, [open], 0, 1|cas.b32 $d, [open], 1, $v>",
    "atom.$A.shared.cas.b32 $t, [open], <0|1>, 1; setp.eq.u32 $p, $t, <0|1>; \
     selp.u32 $d, 1, 0, $p",
    "atom.$A.shared.cas.b64 $t, [vast], 1, 0; setp.ne.u64 $p, $t, 0; selp.u32 $d, 1, 0, $p",
    "st.<weak|$S>.shared.u8 [tiny], <1|0x81>",
    "st.<weak|$S>.shared.u16 [short], <1|0x8001>",
    "st.<weak|$S>.shared.u32 [open], $v",
    "st.<weak|$S>.shared.u64 [vast], <1|0x100000001>",
    "st.weak.local.u32 [mine<|+4>], 1; ld.weak.local.u32 $d, [mine]",
];

/// Unknown initial values, in part, sign-extended, computed with: engines can tell what follows
/// where a write or a cancelled bit takes their place.
pub const UNKNOWN_PARTS: Forms = &[
    "ld.<weak|$L>.shared.s8 $t, [tiny]; setp.<eq|ne|lt|ge>.s32 $p, $t, <0|1|-127>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s8|u8> $t, [short<|+1>]; setp.<eq|lt|gt>.s32 $p, $t, <0|1|-128>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s16|u16> $t, [open<|+2>]; setp.<eq|ne|lt>.s32 $p, $t, <0|1|-32768>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s32|u32> $t, [vast<|+4>]; setp.<eq|lt>.s64 $p, $t, <0|1|-1>; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s16|u16> $t, [short]; setp.lt.<s64|u64> $p, $t, 0x10000; \
     selp.u32 $d, 1, 0, $p",
    "ld.weak.local.<s16|u16|s8> $t, [mine<|+2|+4>]; setp.<eq|lt>.s32 $p, $t, 0; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.s8 $t, [tiny]; ld.<weak|$L>.shared.u8 $u, [tiny]; \
     setp.<eq|le>.<s32|u32> $p, $t, $u; selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s32|u32> $t, [vast]; ld.<weak|$L>.shared.u64 $u, [vast]; \
     setp.eq.u64 $p, $t, $u; selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s8|u8> $t, [tiny]; add.s32 $u, $t, <1|-1>; \
     st.<weak|$S>.shared.<u8 [tiny]|u8 [short+1]|u16 [short]|u32 [open]>, $u",
    "ld.<weak|$L>.shared.<s16|u16> $t, [short]; add.s64 $u, $t, <1|-1>; \
     st.<weak|$S>.shared.<u8 [tiny]|u32 [open]|u64 [vast]>, $u",
    "ld.<weak|$L>.shared.<s16|u16> $t, [open]; st.<weak|$S>.shared.<u16 [open+2]|u32 [open]>, $t",
    "ld.<weak|$L>.shared.<s8|u8> $t, [tiny]; st.<weak|$S>.$s.u32 [$x], $t",
    "ld.<weak|$L>.shared.<s8|u8> $t, [short]; and.b32 $d, $t, <0|1|0x80000001>",
    "ld.<weak|$L>.shared.s16 $t, [short]; or.b32 $u, $t, 0x8000; shr.<s32|u32> $d, $u, 15",
    "ld.<weak|$L>.shared.s8 $t, [tiny]; shr.s32 $u, $t, 8; setp.eq.u32 $p, $u, -1; \
     selp.u32 $d, 1, 0, $p",
    "ld.<weak|$L>.shared.<s8 $d, [tiny]|s8 $H, [short+1]|s16 $d, [open]|s32 $D, [open]>",
    "ld.<weak|$L>.shared.v2.<s8|u8> {$t, $d}, [short]",
    "atom.$A.shared.<add.u32|max.s32|min.u32|inc.u32> $t, [open], 1; setp.lt.s32 $p, $t, 0; \
     selp.u32 $d, 1, 0, $p",
    "red.$S.shared.<add.u32|and.b32|or.b32> [open], $v",
    "atom.$A.shared.cas.b16 $t, [short], <0|1>, 0x8001; setp.eq.u16 $p, $t, 0; \
     selp.u32 $d, 1, 0, $p",
    "st.<weak|$S>.shared.u8 [tiny], <1|0x81>; ld.<weak|$L>.shared.s8 $d, [tiny]",
    "st.<weak|$S>.shared.u8 [short<|+1>], <1|0x81>; ld.<weak|$L>.shared.s8 $d, [short+1]",
    "st.<weak|$S>.shared.u8 [short+1], <1|0x81>; ld.<weak|$L>.shared.s16 $t, [short]; \
     shr.s32 $d, $t, 8",
    "st.<weak|$S>.shared.u8 [tiny], <1|0x81>",
    "st.<weak|$S>.shared.u16 [short], <1|0x8001>",
    "st.<weak|$S>.shared.u16 [open<|+2>], <1|0x8001>",
    "st.<weak|$S>.shared.u32 [open], $v",
    "st.<weak|$S>.shared.<u32 [vast]|u32 [vast+4]|u64 [vast]>, <1|0x80000001>",
    "st.weak.local.u8 [mine<|+1>], <1|0x81>; ld.weak.local.<s8|u8|s16> $d, [mine]",
    "st.weak.local.u16 [mine], 0x8001; ld.weak.local.<s16 $d|s32 $D|v2.s16 {$t, $d}>, [mine]",
];

/// Around kernels and the host.
pub const TASKS: Forms = &[
    "griddepcontrol.wait",
    "griddepcontrol.launch_dependents",
    "ld.<weak|$L>.global.u32 $d, [$x]",
    "st.<weak|$S>.global.u32 [$x], $v",
    "ld.global.nc.u32 $d, [$x]",
];

/// Instructions of the ISA that the standard's model is asked nothing about, or that end a thread.
pub const ENDS: Forms = &["exit", "ret<|.uni>", "trap", "brkpt", "prefetchu.L1 [$x]"];
