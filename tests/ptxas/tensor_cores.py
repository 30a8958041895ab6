"""Forms of the tensor cores: products of warpgroups, and Tensor Memory with its products."""
from vocabulary import P, j, table, vec

GROUPS = ["cta_group::1", "cta_group::2"]
GUARDS = ["@%p1 ", "@!%p1 "]


def words(count):
    """So many registers of 32 bits."""
    return "{" + ", ".join("%%t%d" % at for at in range(count)) + "}"


def ops(*operands):
    return " " + ", ".join(x for x in operands if x)


def warpgroups():
    t = table("wgmma", target="sm_90a")
    t.section("fence, commit, wait")
    for what, sy, al, n in P(["fence", "commit_group", "wait_group", "wait_all", "commit", "wait", ""], ["sync", ""], ["aligned", ""],
                             ["", "0", "1", "7", "8", "-1", "4294967296", "%r1", "0, 1"]):
        t.add(j("wgmma", what, sy, al) + " " + n)
    for what, n in [("fence", ""), ("commit_group", ""), ("wait_group", "0")]:
        t.orders("wgmma", [what, "sync", "aligned"], n)
        for g in GUARDS:
            t.add(g + "wgmma." + what + ".sync.aligned " + n)
    t.section("products: shape x types")
    floats = ["f16.f16.f16", "f32.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32", "f16.e4m3.e4m3", "f32.e5m2.e4m3", "s32.s8.s8", "s32.u8.s8", "s32.b1.b1",
              "f16.bf16.bf16", "f32.f32.f32", "f64.f64.f64", "s32.s4.s4", "f32.f16.bf16"]
    for n, k, ty in P(["8", "24", "16", "12"], ["8", "16", "32", "64", "256"], floats):
        f16 = ty.startswith("f16")
        count = max(int(n) // (4 if f16 else 2), 1)
        d = words(count) if f16 or ty.startswith("s32") else vec("f32", count) if count < 20 else words(count)
        scales = {"f16": "%p1, 1, 1, 0, 0", "bf16": "%p1, 1, 1, 0, 0", "s8": "%p1", "b1": "%p1", "s4": "%p1"}.get(ty.split(".")[2], "%p1, 1, 1")
        pop = ".and.popc" if "b1" in ty else ""
        t.add("wgmma.mma_async.sync.aligned.m64n%sk%s.%s%s " % (n, k, ty, pop) + d + ", %rd1, %rd2, " + scales)
        if n == "8":
            t.add("wgmma.mma_async.sp.sync.aligned.m64n8k%s.%s " % (k, ty) + d + ", %rd1, %rd2, %r1, 0, " + scales)
    t.section("products: operands")
    head = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    d = vec("f32", 4)
    for a, b in P(["%rd1", "%r1", "{%r1, %r2, %r3, %r4}", "{%r1, %r2}", "[sx]", "sx", "1"], ["%rd2", "%r2", "sx", "1"]):
        t.add(head + ops(d, a, b, "%p1, 1, 1, 0" if a.startswith("{") else "%p1, 1, 1, 0, 0").strip())
    for tail in ["%p1", "%p1, 1", "%p1, 1, 1", "%p1, 1, 1, 0", "%p1, -1, -1, 1, 1", "%p1, 0, 1, 0, 0", "%p1, 1, 2, 0, 0", "%p1, 1, 1, 2, 0", "0, 1, 1, 0, 0", "%r1, 1, 1, 0, 0", "!%p1, 1, 1, 0, 0"]:
        t.add(head + ops(d, "%rd1", "%rd2", tail).strip())
    for d in ["%f1", "{%f1}", vec("f32", 3), vec("f32", 5), vec("b32", 4), "{%f1, %f1, %f2, %f3}", "{_, %f1, %f2, %f3}"]:
        t.add(head + ops(d, "%rd1", "%rd2", "%p1, 1, 1, 0, 0").strip())
    t.swaps("wgmma", ["mma_async", "sync", "aligned", "m64n8k16", "f32", "f16", "f16"], vec("f32", 4) + ", %rd1, %rd2, %p1, 1, 1, 0, 0")


def allocation(t):
    t.section("allocation")
    columns = ["32", "64", "128", "256", "512", "0", "16", "48", "1024", "-32", "%r1", "%rd1", "%rs1", ""]
    for g, sy, al, sp, ty in P(GROUPS + ["cta_group::3", ""], ["sync", ""], ["aligned", ""], ["", "shared::cta", "shared", "shared::cluster", "global"], ["b32", "u32", ""]):
        t.add(j("tcgen05.alloc", g, sy, al, sp, ty) + " %s, 32" % ("[%rd1]" if not sp else "[gx]" if sp == "global" else "[sx]"))
    for sp, n in P(["", "shared::cta"], columns):
        t.add(j("tcgen05.alloc.cta_group::1.sync.aligned", sp, "b32") + ops("[sx]", n))
    for sp, x in P(["", "shared::cta"], ["[sx]", "[%r1]", "[%rd1]", "[gx]", "[sx+4]", "sx", "%r1"]):
        t.add(j("tcgen05.alloc.cta_group::2.sync.aligned", sp, "b32") + ops(x, "64"))
    for g, sy, al, ty in P(GROUPS + ["cta_group::3", ""], ["sync", ""], ["aligned", ""], ["b32", "u32", ""]):
        t.add(j("tcgen05.dealloc", g, sy, al, ty) + " %r1, 32")
        t.add(j("tcgen05.relinquish_alloc_permit", g, sy, al, ty))
    for x, n in P(["%r1", "%rd1", "[%r1]", "sx", "0", "_"], columns):
        t.add("tcgen05.dealloc.cta_group::1.sync.aligned.b32" + ops(x, n))
    for what, rest in [("alloc", "[%rd1], 32"), ("dealloc", "%r1, 32")]:
        t.swaps("tcgen05", [what, "cta_group::1", "sync", "aligned", "b32"], rest)
        t.twice("tcgen05", [what, "cta_group::1", "sync", "aligned", "b32"], rest)


SHAPES = {"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1, "8x64b": 1}
NUMBERS = ["x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128", "x3", "x256", ""]


def moves(t):
    t.section("loads and stores: shape x number x packing")
    for shape, n, pack in P(SHAPES, NUMBERS, [0, 1]):
        count = SHAPES[shape] * int(n[1:] or 1)
        split = "16" if shape == "16x32bx2" else ""
        r = words(min(count, 128))
        t.add(j("tcgen05.ld.sync.aligned", shape, n, "pack::16b" if pack else "", "b32") + ops(r, "[%r1]", split))
        t.add(j("tcgen05.st.sync.aligned", shape, n, "unpack::16b" if pack else "", "b32") + ops("[%r1]", split, r))
    t.section("loads and stores: operands")
    for r in ["{%r1}", "%r1", "{%r1, %r2}", "{%r1, %r2, %r3, %r4}", "{%rd1, %rd2}", "{%f1, %f2}", "{1, 2}", "{_, %r1}", "{%r1, 1}"]:
        for a in ["[%r5]", "[%rd5]", "[sx]", "[%r5+2]", "%r5", "[4]", "[%r5+-2]"]:
            t.add("tcgen05.ld.sync.aligned.32x32b.x2.b32" + ops(r, a))
            t.add("tcgen05.st.sync.aligned.32x32b.x2.b32" + ops(a, r))
    for split in ["0", "1", "16", "-1", "%r2", "%rd2", ""]:
        t.add("tcgen05.ld.sync.aligned.16x32bx2.x1.b32" + ops("{%r1}", "[%r5]", split))
        t.add("tcgen05.st.sync.aligned.16x32bx2.x1.b32" + ops("[%r5]", split, "{%r1}"))
        t.add("tcgen05.ld.sync.aligned.32x32b.x1.b32" + ops("{%r1}", "[%r5]", split))
    for sy, al, ty in P(["sync", ""], ["aligned", ""], ["b32", "u32", "f32", "b64", ""]):
        t.add(j("tcgen05.ld", sy, al, "32x32b.x1", ty) + " {%r1}, [%r5]")
        t.add(j("tcgen05.st", sy, al, "32x32b.x1", ty) + " [%r5], {%r1}")
    t.add("tcgen05.ld.sync.aligned.32x32b.x1.unpack::16b.b32 {%r1}, [%r5]")
    t.add("tcgen05.st.sync.aligned.32x32b.x1.pack::16b.b32 [%r5], {%r1}")
    t.swaps("tcgen05", ["ld", "sync", "aligned", "32x32b", "x1", "pack::16b", "b32"], "{%r1}, [%r5]")
    t.twice("tcgen05", ["ld", "sync", "aligned", "32x32b", "x1", "pack::16b", "b32"], "{%r1}, [%r5]")
    t.section("loads with a reduction")
    for shape, n, o, ab, nan, ty in P(["32x32b", "16x32bx2", "16x64b", "16x128b"], ["x1", "x2", "x8", "x64"], ["min", "max", "add", ""], ["", "abs"], ["", "NaN"],
                                      ["f32", "u32", "s32", "b32"]):
        r = words(SHAPES[shape] * int(n[1:]))
        t.add(j("tcgen05.ld.red.sync.aligned", shape, n, o, ab, nan, ty) + ops(r, "%r3", "[%r5]", "16" if shape == "16x32bx2" else ""))
    for d in ["%f1", "_", "%rd1", "{%r1}", ""]:
        t.add("tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32" + ops("{%r1, %r2}", d, "[%r5]"))
    t.section("waits")
    for what, sy, al in P(["wait::ld", "wait::st", "wait::mma", "wait", "wait::ld::st"], ["sync", ""], ["aligned", ""]):
        t.add(j("tcgen05", what, sy, al))
        t.add(j("tcgen05", what, sy, al) + " 0")
    t.section("copies")
    shapes = ["128x256b", "4x256b", "128x128b", "64x128b", "32x128b", "16x128b"]
    for g, shape, m, f in P(GROUPS + [""], shapes, ["", "warpx2::02_13", "warpx2::01_23", "warpx4", "warpx2"],
                            ["", "b8x16.b6x16_p32", "b8x16.b4x16_p64", "b8x16", "b4x16_p64.b8x16"]):
        t.add(j("tcgen05.cp", g, shape, m, f) + " [%r1], %rd1")
    for d, s in P(["[%r1]", "[%rd1]", "%r1", "[sx]", "[%r1+4]"], ["%rd1", "%r1", "sx", "[sx]", "1", ""]):
        t.add("tcgen05.cp.cta_group::1.128x256b" + ops(d, s))
    t.swaps("tcgen05", ["cp", "cta_group::1", "32x128b", "warpx4", "b8x16", "b6x16_p32"], "[%r1], %rd1")
    t.section("shifts")
    for g, w, a in P(GROUPS + [""], ["down", "up", ""], ["[%r1]", "[%rd1]", "%r1", "[%r1+4]", "[sx]", ""]):
        t.add(j("tcgen05.shift", g, w) + " " + a)
    t.orders("tcgen05", ["shift", "cta_group::1", "down"], "[%r1]")


KINDS = ["kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8"]
SCALED = ["kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"]
VECTORS = ["", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"]
STEPS = ["fill", "use", "lastuse", "discard"]


def products(t):
    collectors = ["", "collector::a::fill", "collector::a::use", "collector::a::lastuse", "collector::a::discard", "collector::b0::fill"]
    for sp, meta in [("", ""), ("sp", "[%r4]")]:
        t.section("products" + (" of sparse matrices" if sp else "") + ": kind x options x operands")
        for g, kind, a, shift, c in P(GROUPS + [""], KINDS + ["kind::f64", ""], ["%rd1", "[%r2]"], ["", "ashift"], collectors):
            if g == "cta_group::1" or not shift and not c:
                t.add(j("tcgen05.mma", sp, g, kind, shift, c) + ops("[%r1]", a, "%rd2", meta, "%r3", "%p1"))
        for g, kind, n, scale in P(GROUPS, KINDS, [0, 1, 4, 8], ["", "0", "15", "16", "-1", "%r1"]):
            lanes = vec("b32", n, 5) if n else ""
            t.add(j("tcgen05.mma", sp, g, kind) + ops("[%r1]", "%rd1", "%rd2", meta, "%r3", lanes, "%p1", scale))
        for g, kind, v, c, a in P(GROUPS, SCALED + ["kind::f16"], VECTORS, ["", "collector::a::use"], ["%rd1", "[%r2]"]):
            if not c or v in ("", "block32"):
                t.add(j("tcgen05.mma", sp, g, kind, "block_scale", v, c) + ops("[%r1]", a, "%rd2", meta, "%r3", "[%r5]", "[%r6]", "%p1"))
        for kind in SCALED:
            t.add(j("tcgen05.mma", sp, "cta_group::1", kind) + ops("[%r1]", "%rd1", "%rd2", meta, "%r3", "[%r5]", "[%r6]", "%p1"))
            t.add(j("tcgen05.mma", sp, "cta_group::1", kind) + ops("[%r1]", "%rd1", "%rd2", meta, "%r3", "%p1"))
        t.section("products" + (" of sparse matrices" if sp else "") + " that keep one of them: kind x buffer x operands")
        buffers = [""] + ["collector::b%d::%s" % (b, s) for b in range(5) for s in STEPS] + ["collector::a::fill"]
        for kind, c in P(KINDS + SCALED, buffers):
            t.add(j("tcgen05.mma.ws", sp, "cta_group::1", kind, c) + ops("[%r1]", "%rd1", "%rd2", meta, "%r3", "%p1"))
        for g, a, zero in P(GROUPS + [""], ["%rd1", "[%r2]"], ["", "%rd3", "%r3", "1"]):
            t.add(j("tcgen05.mma.ws", sp, g, "kind::f16") + ops("[%r1]", a, "%rd2", meta, "%r3", "%p1", zero))
    t.section("products: operands")
    for d in ["[%r1]", "%r1", "[%rd1]", "[sx]", "[%r1+4]"]:
        t.add("tcgen05.mma.cta_group::1.kind::f16" + ops(d, "%rd1", "%rd2", "%r3", "%p1"))
    for a, b in P(["%rd1", "%r1", "[%r1]", "[%rd1]", "sx", "[sx]", "1"], ["%rd2", "%r2", "[%r2]", "sx", "1"]):
        t.add("tcgen05.mma.cta_group::1.kind::f16" + ops("[%r1]", a, b, "%r3", "%p1"))
    for i, p in P(["%r3", "%rd3", "1", ""], ["%p1", "!%p1", "1", "%r1", "0", ""]):
        t.add("tcgen05.mma.cta_group::1.kind::f16" + ops("[%r1]", "%rd1", "%rd2", i, p))
    t.swaps("tcgen05", ["mma", "sp", "cta_group::1", "kind::f16", "collector::a::fill"], "[%r1], %rd1, %rd2, [%r4], %r3, %p1")
    t.swaps("tcgen05", ["mma", "ws", "cta_group::1", "kind::f16", "collector::b0::fill"], "[%r1], %rd1, %rd2, %r3, %p1")
    t.swaps("tcgen05.mma", ["cta_group::1", "kind::mxf4", "block_scale", "scale_vec::2X", "collector::a::use"], "[%r1], %rd1, %rd2, %r3, [%r5], [%r6], %p1")


def synchronization(t):
    t.section("commit")
    for g, c, sp, m, ty in P(GROUPS + [""], ["mbarrier::arrive::one", "mbarrier::complete_tx::bytes", ""], ["", "shared::cluster", "shared::cta", "shared", "global"],
                             ["", "multicast::cluster"], ["b64", "b32", ""]):
        a = "[%rd1]" if not sp else "[gm]" if sp == "global" else "[sm]"
        t.add(j("tcgen05.commit", g, c, sp, m, ty) + ops(a, "%rs1" if m else ""))
    for x, k in P(["[sm]", "[%r1]", "[%rd1]", "[gm]", "[sm+8]", "sm"], ["", "%rs1", "%r1", "1", "65536", "_"]):
        for m in ["", "multicast::cluster"]:
            t.add(j("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster", m, "b64") + ops(x, k))
            t.add(j("tcgen05.commit.cta_group::1.mbarrier::arrive::one", m, "b64") + ops(x, k))
    for r in ["sync_restrict::shared::read::mma::a", "sync_restrict::shared::read", "sync_restrict::shared::cta"]:
        t.add(j("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster", r, "b64") + " [sm]")
        t.add(j("tcgen05.commit.cta_group::1", r, "mbarrier::arrive::one.shared::cluster.b64") + " [sm]")
        t.add(j("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", r) + " [sm]")
    quals = ["commit", "cta_group::1", "mbarrier::arrive::one", "shared::cluster", "multicast::cluster", "b64"]
    t.swaps("tcgen05", quals, "[sm], %rs1")
    t.twice("tcgen05", quals, "[sm], %rs1")
    t.section("fences")
    for f, x in P(["fence::before_thread_sync", "fence::after_thread_sync", "fence", "fence::thread_sync", "fence::before_thread_sync.sync.aligned",
                   "fence::before_thread_sync.cta", "fence::before_thread_sync.fence::after_thread_sync"], ["", "0", "[sm]"]):
        t.add("tcgen05." + f + " " + x)
    for g, f in P(GUARDS, ["fence::before_thread_sync", "wait::ld.sync.aligned", "shift.cta_group::1.down [%r1]", "commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1]"]):
        t.add(g + "tcgen05." + f)


def build():
    warpgroups()
    # The usual target has no products of integers.
    t = table("tcgen05", target="sm_110a")
    allocation(t)
    moves(t)
    products(t)
    synchronization(t)
