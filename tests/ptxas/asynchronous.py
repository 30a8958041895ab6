"""Forms of asynchronous copies, stores, reductions, tensor maps, launch control and what waits for them."""
import itertools

from vocabulary import LDST, SCOPES, P, j, reg, table, vec

BYTES = "mbarrier::complete_tx::bytes"
GROUP = "bulk_group"
HINT = "L2::cache_hint"
SEMS = ["", "weak", "relaxed", "relaxed.cta", "relaxed.cluster", "relaxed.gpu", "relaxed.sys", "weak.gpu", "gpu",
        "acquire.gpu", "release.gpu", "volatile"]
SHARED = ["shared::cta", "shared::cluster", "shared"]
REDUCTIONS = ["and", "or", "xor", "add", "inc", "dec", "min", "max"]
GUARDS = ["@%p1 ", "@!%p1 "]


def place(space):
    return "[gx]" if space == "global" else "[sx]" if space.startswith("shared") else "[%rd9]"


def ops(*operands):
    return " " + ", ".join(x for x in operands if x)


def few_bytes():
    t = table("cp_async")
    t.section("cache operator x spaces x size")
    for cop, d, s, n in P(["ca", "cg", "cs", ""], SHARED + ["global", ""], ["global", "shared::cta", "const", ""], ["4", "8", "16"]):
        t.add(j("cp.async", cop, d, s) + ops(place(d), place(s), n))
    t.section("hints x operands")
    for cop, h, p, n, b in P(["ca", "cg"], ["", HINT], ["", "L2::64B", "L2::128B", "L2::256B", "L2::512B"], ["4", "8", "16"],
                             ["", "8", "%r1", "%p1"]):
        for policy in ["", "%rd8"]:
            t.add(j("cp.async", cop, "shared.global", h, p) + ops("[sx]", "[gx]", n, b, policy))
    t.section("sizes")
    for cop, n, b in P(["ca", "cg"], ["0", "1", "2", "3", "4", "8", "12", "16", "32", "-4", "%r1", ""],
                       ["", "0", "4", "15", "16", "17", "-1", "%r1", "%rd1", "%rs1", "!%p1", "%p1", "%f1", "_"]):
        t.add(j("cp.async", cop, "shared::cta.global") + ops("[sx]", "[gx]", n, b))
    for policy in ["%rd8", "%r8", "%rs8", "1", "%fd1", "%rd8, %rd9"]:
        t.add("cp.async.ca.shared.global.L2::cache_hint" + ops("[sx]", "[gx]", "4", policy))
        t.add("cp.async.ca.shared.global.L2::cache_hint" + ops("[sx]", "[gx]", "4", "%r1", policy))
    t.section("addresses")
    for d, s in P(["[sx]", "[%r1]", "[%rd1]", "[sx+16]", "sx", "[gx]", "[4]", "[lx]"], ["[gx]", "[%rd1]", "[%r1]", "[gx+16]", "gx", "[sx]", "[cx]"]):
        t.add("cp.async.ca.shared.global" + ops(d, s, "4"))
    t.section("other qualifiers")
    for q in ["weak", "relaxed.gpu", "gpu", "bulk", "b32", "u32", "v2", "nc", "mbarrier::complete_tx::bytes", "bulk_group", "L1::evict_last", "L2::evict_last"]:
        t.add(j("cp.async.ca", q, "shared.global") + ops("[sx]", "[gx]", "4"))
        t.add(j("cp.async.ca.shared.global", q) + ops("[sx]", "[gx]", "4"))
    t.orders("cp", ["async", "ca", "shared", "global"], "[sx], [gx], 4")
    t.swaps("cp.async", ["cg", "shared::cta", "global", HINT, "L2::128B"], "[sx], [gx], 16, %rd8")
    t.twice("cp.async", ["cg", "shared::cta", "global", HINT, "L2::128B"], "[sx], [gx], 16, %rd8")
    for g in GUARDS:
        t.add(g + "cp.async.ca.shared.global [sx], [gx], 4")
    t.section("groups")
    for q, n in P(["commit_group", "wait_group", "wait_all", "commit", "wait", "wait_group.read", "commit_group.sync", "wait_all.read", "commit_all"],
                  ["", "0", "1", "8", "-1", "4294967295", "4294967296", "%r1", "_", "0, 1"]):
        t.add("cp.async." + q + " " + n)
    t.section("arrival behind copies")
    for no, sp, ty in P(["", "noinc"], ["", "shared", "shared::cta", "shared::cluster", "global"], ["b64", "u64", "b32", ""]):
        t.add(j("cp.async.mbarrier.arrive", no, sp, ty) + (" [%rd9]" if not sp else " [gm]" if sp == "global" else " [sm]"))
    for q, a in P(["", "noinc"], ["[sm]", "[%rd1]", "[%r1]", "[sm+8]", "[gm]", "sm", "[sm], 1", "_, [sm]", ""]):
        t.add(j("cp.async.mbarrier.arrive", q, "shared.b64") + " " + a)
        t.add(j("cp.async.mbarrier.arrive", q, "b64") + " " + a)
    for q in ["release", "relaxed", "release.cta", "release.cluster", "relaxed.cta", "expect_tx", "noComplete"]:
        t.add(j("cp.async.mbarrier.arrive", q, "shared.b64") + " [sm]")
    t.orders("cp.async.mbarrier.arrive", ["noinc", "shared", "b64"], "[sm]")
    t.orders("cp.async", ["mbarrier", "arrive", "noinc"], "[%rd1]")


def bulk():
    t = table("bulk")
    t.section("spaces x completion x operands")
    for d, s, c, m in P(SHARED + ["global", ""], SHARED + ["global", ""], [BYTES, GROUP, "", "mbarrier::arrive::one", "mbarrier::complete_tx::16B"],
                        ["[sm]", ""]):
        t.add(j("cp.async.bulk", d, s, c) + ops(place(d), place(s), "16", m))
    pairs = [("shared::cta", "global", BYTES, "[sm]"), ("shared::cluster", "global", BYTES, "[sm]"),
             ("shared::cluster", "shared::cta", BYTES, "[sm]"), ("global", "shared::cta", GROUP, "")]
    t.section("options x semantics x type")
    for (d, s, c, m), cast, hint, mask, oob, sem, ty in P(
            pairs, ["", "multicast::cluster"], ["", HINT], ["", "cp_mask"], ["", "ignore_oob"], SEMS, ["", "b128"]):
        if (cast and mask or cast and oob or mask and oob) and sem not in ("", "relaxed.gpu"):
            continue
        t.add(j("cp.async.bulk", d, s, c, cast, oob, sem, ty, hint, mask)
              + ops(place(d), place(s), "16", "0, 0" if oob else "", m, "%rs1" if cast else "", "%rd8" if hint else "", "%rs2" if mask else ""))
    t.section("types")
    for (d, s, c, m), sem, ty in P(pairs, ["", "relaxed.cta", "weak"], ["b8", "b16", "b32", "b64", "u128", "u32", "v4.b32", "f32"]):
        t.add(j("cp.async.bulk", d, s, c, sem, ty) + ops(place(d), place(s), "16", m))
    t.section("sizes")
    for (d, s, c, m), n in P(pairs, ["0", "8", "15", "16", "48", "-16", "%r1", "%rd1", "%rs1", "%f1", "%p1", "1048576", "4294967296", "gx", "_"]):
        t.add(j("cp.async.bulk", d, s, c) + ops(place(d), place(s), n, m))
    t.section("operands of options")
    for x in ["%rs1", "%r1", "%rd1", "1", "0xffff", "65536", "-1", "%p1", "_", ""]:
        t.add(j("cp.async.bulk.shared::cluster.global", BYTES, "multicast::cluster") + ops("[sx]", "[gx]", "16", "[sm]", x))
        t.add("cp.async.bulk.global.shared::cta.bulk_group.cp_mask" + ops("[gx]", "[sx]", "16", x))
        t.add("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint" + ops("[gx]", "[sx]", "16", x))
        t.add("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask" + ops("[gx]", "[sx]", "16", "%rd8", x))
        t.add("cp.async.bulk.global.shared::cta.bulk_group" + ops("[gx]", "[sx]", "16", x))
        t.add(j("cp.async.bulk.shared::cta.global", BYTES) + ops("[sx]", "[gx]", "16", "[sm]", x))
        t.add(j("cp.async.bulk.shared::cta.global", BYTES, HINT) + ops("[sx]", "[gx]", "16", "[sm]", x))
        for y in ["0", "15", "16", "%r1"]:
            t.add(j("cp.async.bulk.shared::cta.global", BYTES, "ignore_oob") + ops("[sx]", "[gx]", "16", x, y, "[sm]"))
            t.add(j("cp.async.bulk.shared::cta.global", BYTES, "ignore_oob") + ops("[sx]", "[gx]", "16", y, x, "[sm]"))
    t.add(j("cp.async.bulk.shared::cluster.global", BYTES, "multicast::cluster", HINT) + " [sx], [gx], 16, [sm], %rd8, %rs1")
    t.section("addresses")
    addresses = ["[sx]", "[%r1]", "[%rd1]", "[sx+16]", "sx", "[gx]", "[16]", "[lx]"]
    for x in addresses + ["[gx+16]", "gx", "[cx]"]:
        for d, s, c, m in pairs:
            t.add(j("cp.async.bulk", d, s, c) + ops(x, place(s), "16", m))
            t.add(j("cp.async.bulk", d, s, c) + ops(place(d), x, "16", m))
            if m:
                t.add(j("cp.async.bulk", d, s, c) + ops(place(d), place(s), "16", x))
    t.section("orders and repetitions of qualifiers")
    t.swaps("cp.async.bulk", ["shared::cluster", "global", BYTES, "multicast::cluster", HINT], "[sx], [gx], 16, [sm], %rs1, %rd8")
    t.twice("cp.async.bulk", ["shared::cluster", "global", BYTES, "multicast::cluster", HINT], "[sx], [gx], 16, [sm], %rs1, %rd8")
    t.swaps("cp", ["async", "bulk", "global", "shared::cta", GROUP, HINT, "cp_mask"], "[gx], [sx], 16, %rd8, %rs1")
    t.twice("cp", ["async", "bulk", "global", "shared::cta", GROUP, HINT, "cp_mask"], "[gx], [sx], 16, %rd8, %rs1")
    t.swaps("cp.async.bulk", ["shared::cta", "global", BYTES, "relaxed", "gpu", "b128", HINT], "[sx], [gx], 16, [sm], %rd8")
    t.twice("cp.async.bulk", ["shared::cta", "global", BYTES, "relaxed", "gpu", "b128", HINT], "[sx], [gx], 16, [sm], %rd8")
    for g, (d, s, c, m) in P(GUARDS, pairs):
        t.add(g + j("cp.async.bulk", d, s, c) + ops(place(d), place(s), "16", m))
    t.section("prefetches")
    for lv, s, h, n in P(["L2", "L1", ""], ["global", "shared::cta", ""], ["", HINT], ["16", "%r1", "%rd1", "8", ""]):
        t.add(j("cp.async.bulk.prefetch", lv, s, h) + ops(place(s), n, "%rd8" if h else ""))
    for q in [BYTES, GROUP, "tile", "weak", "b128"]:
        t.add(j("cp.async.bulk.prefetch.L2.global", q) + " [gx], 16")
    for sp, x in P(["", "const", "param", "global", "shared", "local"], ["[%rd1]", "[gx]", "[cx]", "[px]", "[sx]", "[%r1]"]):
        t.add(j("prefetch", sp, "tensormap") + " " + x)
    for sp, c, n in P(["global", "", "shared::cta"], [GROUP, "", BYTES], ["16", "%r1", ""]):
        t.add(j("applypriority.async.bulk", sp, c, "L2::evict_normal") + ops(place(sp), n))
    t.section("groups")
    for q, n in P(["commit_group", "wait_group", "wait_group.read", "wait_group.write", "wait_all", "commit_group.read", "read.wait_group", "wait_group.reads"],
                  ["", "0", "1", "8", "-1", "4294967295", "4294967296", "%r1", "_", "0, 1"]):
        t.add("cp.async.bulk." + q + " " + n)


def bulk_reductions():
    t = table("bulk_reduce")
    types = "b16 b32 b64 b128 u8 u16 u32 u64 s16 s32 s64 f16 bf16 f16x2 f32 f64".split()
    pairs = [("shared::cluster", "shared::cta", BYTES, "[sm]"), ("global", "shared::cta", GROUP, "")]
    t.section("operation x type")
    for (d, s, c, m), o, ty in P(pairs, REDUCTIONS + ["exch", "cas", "sub", ""], types + [""]):
        t.add(j("cp.reduce.async.bulk", d, s, c, o, ty) + ops(place(d), place(s), "16", m))
    for o, nf, ty, h in P(["add", "min", "and"], ["noftz", "ftz"], ["f16", "bf16", "f32", "u32"], ["", HINT]):
        t.add(j("cp.reduce.async.bulk.global.shared::cta.bulk_group", h, o, nf, ty) + ops("[gx]", "[sx]", "16", "%rd8" if h else ""))
    t.section("spaces x completion")
    for d, s, c, m in P(SHARED + ["global", ""], SHARED + ["global", ""], [BYTES, GROUP, ""], ["[sm]", ""]):
        t.add(j("cp.reduce.async.bulk", d, s, c, "add.u32") + ops(place(d), place(s), "16", m))
    t.section("options x semantics")
    for (d, s, c, m), h, sem in P(pairs, ["", HINT, "multicast::cluster", "cp_mask"], SEMS + ["release.sys", "acq_rel.gpu"]):
        extra = {"": "", HINT: "%rd8"}.get(h, "%rs1")
        t.add(j("cp.reduce.async.bulk", d, s, c, sem, h, "add.u32") + ops(place(d), place(s), "16", m, extra))
    t.section("operands")
    for (d, s, c, m), n in P(pairs, ["0", "8", "16", "-16", "%r1", "%rd1", "%rs1", "_", ""]):
        t.add(j("cp.reduce.async.bulk", d, s, c, "min.s32") + ops(place(d), place(s), n, m))
    for (d, s, c, m), x in P(pairs, ["[sx]", "[gx]", "[%r1]", "[%rd1]", "[sx+16]", "sx", "[16]"]):
        t.add(j("cp.reduce.async.bulk", d, s, c, "or.b32") + ops(x, place(s), "16", m))
        t.add(j("cp.reduce.async.bulk", d, s, c, "or.b32") + ops(place(d), x, "16", m))
    t.section("orders and repetitions of qualifiers")
    t.swaps("cp", ["reduce", "async", "bulk", "global", "shared::cta", GROUP, HINT, "add", "noftz", "f16"], "[gx], [sx], 16, %rd8")
    t.twice("cp.reduce.async.bulk", ["global", "shared::cta", GROUP, HINT, "add", "noftz", "f16"], "[gx], [sx], 16, %rd8")
    for g, (d, s, c, m) in P(GUARDS, pairs):
        t.add(g + j("cp.reduce.async.bulk", d, s, c, "add.u32") + ops(place(d), place(s), "16", m))
    t.section("multimem: copies")
    for d, s, c, k, n in P(["global", "shared::cluster", ""], ["shared::cta", "shared", "global"], [GROUP, BYTES, ""], ["", "cp_mask", HINT],
                           ["16", "%r1"]):
        extra = {"": "", HINT: "%rd8", "cp_mask": "%rs1"}[k]
        t.add(j("multimem.cp.async.bulk", d, s, c, k) + ops(place(d), place(s), n, "[sm]" if c == BYTES else "", extra))
    for sem in SEMS[1:]:
        t.add(j("multimem.cp.async.bulk.global.shared::cta.bulk_group", sem) + " [gx], [sx], 16")
        t.add(j("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group", sem, "add.u32") + " [gx], [sx], 16")
    for x in ["%rs1", "%r1", "1", "0xffff", "65536", "_", ""]:
        t.add("multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask" + ops("[gx]", "[sx]", "16", x))
    t.section("multimem: reductions")
    for o, nf, ty in P(REDUCTIONS + ["exch", ""], ["", "noftz"], types):
        if not nf or ty in ("f16", "bf16", "f32", "u32"):
            t.add(j("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group", o, nf, ty) + " [gx], [sx], 16")
    for d, s, c in P(["global", "shared::cluster"], ["shared::cta", "global"], [GROUP, BYTES, ""]):
        t.add(j("multimem.cp.reduce.async.bulk", d, s, c, "add.u32") + ops(place(d), place(s), "16", "[sm]" if c == BYTES else ""))
    t.add("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [gx], [sx], 16, %rd8")
    t.swaps("multimem", ["cp", "async", "bulk", "global", "shared::cta", GROUP, "cp_mask"], "[gx], [sx], 16, %rs1")
    t.swaps("multimem.cp.reduce.async.bulk", ["global", "shared::cta", GROUP, "add", "u32"], "[gx], [sx], 16")


DIMENSIONS = ["1d", "2d", "3d", "4d", "5d"]
LOADS = ["", "tile", "tile::gather4", "tile::scatter4", "im2col", "im2col::w", "im2col::w::128", "im2col_no_offs", "im2col::h"]
STORES = ["", "tile", "tile::scatter4", "tile::gather4", "im2col_no_offs", "im2col", "im2col::w"]


def box(dimension, mode, tensor="%rd1"):
    """A tensor map and as many coordinates as the mode has of a dimension."""
    count = 5 if mode.endswith("4") else int(dimension[0]) if dimension else 1
    return "[%s, %s]" % (tensor, vec("b32", count))


def offsets(dimension, mode):
    """The offsets of an im2col mode."""
    if mode == "im2col":
        return vec("b16", max(int(dimension[0]) - 2, 1))
    return vec("b16", 2) if mode.startswith("im2col::") else ""


def tensors():
    t = table("tensor")
    load = lambda d, s, dst="shared::cta": j("cp.async.bulk.tensor", d, dst, "global", s, BYTES)
    t.section("loads: dimension x mode x destination")
    for d, s, dst in P(DIMENSIONS + ["0d", "6d", ""], LOADS, SHARED + ["global", ""]):
        natural = d if d in DIMENSIONS else "2d"
        t.add(load(d, s, dst) + ops(place(dst), box(natural, s), "[sm]", offsets(natural, s)))
    t.section("loads: completion and source")
    for c, s, m, dst in P([BYTES, GROUP, "", "mbarrier::arrive::one"], ["global", "shared::cta", ""], ["[sm]", ""], ["shared::cta", "shared::cluster"]):
        t.add(j("cp.async.bulk.tensor.2d", dst, s, "tile", c) + ops("[sx]", box("2d", "tile"), m))
    t.section("loads: options")
    for d, s, dst, cast, group, h in P(["2d", "4d"], ["", "tile", "tile::gather4", "im2col", "im2col::w", "im2col::w::128"], ["shared::cta", "shared::cluster"],
                                       ["", "multicast::cluster"], ["", "cta_group::1", "cta_group::2", "cta_group::3"], ["", HINT]):
        t.add(j(load(d, s, dst), cast, group, h)
              + ops("[sx]", box(d, s), "[sm]", offsets(d, s), "%rs1" if cast else "", "%rd8" if h else ""))
    for x in ["%rs1", "%r1", "%rd1", "1", "65536", "_", ""]:
        t.add(j(load("2d", "tile", "shared::cluster"), "multicast::cluster") + ops("[sx]", box("2d", "tile"), "[sm]", x))
        t.add(j(load("2d", "tile"), HINT) + ops("[sx]", box("2d", "tile"), "[sm]", x))
    for q in ["cp_mask", "ignore_oob", "relaxed.gpu", "weak", "b128", "add", "sync.aligned"]:
        t.add(j(load("2d", "tile"), q) + ops("[sx]", box("2d", "tile"), "[sm]"))
    t.section("coordinates and offsets")
    for d, n, s in P(DIMENSIONS, range(1, 7), ["", "tile::gather4"]):
        t.add(load(d, s) + " [sx], [%%rd1, %s], [sm]" % vec("b32", n))
    for d, n, s in P(["3d", "4d", "5d"], range(0, 5), ["im2col", "im2col::w", "im2col::w::128"]):
        t.add(load(d, s) + ops("[sx]", box(d, s), "[sm]", vec("b16", n) if n else ""))
    for c in ["{1, 2}", "{%r1, 2}", "{%rd1, %rd2}", "{%rs1, %rs2}", "{%s1, %s2}", "{%u1, %u2}", "{%f1, %f2}", "{_, %r1}", "%r1", "%rd1", "{-1, 0}", "{%r1, %rd2}", "{gx, 0}"]:
        t.add(load("2d", "") + " [sx], [%rd1, " + c + "], [sm]")
    for c in ["{%r1}", "{%rs1}", "{1}", "{65536}", "%rs1", "{%us1}", "{_}"]:
        t.add(load("3d", "im2col") + ops("[sx]", box("3d", "im2col"), "[sm]", c))
    t.section("maps")
    for m in ["gx", "%rd1", "%r1", "px", "cx", "sx", "lx", "gx+128", "%rd1+128", "4", "%rs1", "fx"]:
        t.add(load("2d", "") + ops("[sx]", box("2d", "", m), "[sm]"))
        t.add(j("cp.async.bulk.tensor.2d.global.shared::cta", GROUP) + ops(box("2d", "", m), "[sx]"))
    for b in ["[%rd1, {%r1, %r2}, %r3]", "[%rd1], {%r1, %r2}", "[%rd1]", "{%rd1, %r1, %r2}", "[{%r1, %r2}, %rd1]", "%rd1, {%r1, %r2}"]:
        t.add(load("2d", "") + ops("[sx]", b, "[sm]"))
    t.section("addresses")
    for x in ["[sx]", "[gx]", "[%r1]", "[%rd1]", "[sx+16]", "sx", "[16]"]:
        t.add(load("1d", "") + ops(x, box("1d", ""), "[sm]"))
        t.add(load("1d", "") + ops("[sx]", box("1d", ""), x))
        t.add(j("cp.async.bulk.tensor.1d.global.shared::cta", GROUP) + ops(box("1d", ""), x))
    t.section("stores: dimension x mode x hint")
    for d, s, h in P(DIMENSIONS + ["0d", "6d", ""], STORES, ["", HINT]):
        natural = d if d in DIMENSIONS else "2d"
        t.add(j("cp.async.bulk.tensor", d, "global.shared::cta", s, GROUP, h) + ops(box(natural, s), "[sx]", "%rd8" if h else ""))
    for dst, src, c in P(["global", "shared::cluster", ""], ["shared::cta", "shared", "shared::cluster", ""], [GROUP, BYTES, ""]):
        t.add(j("cp.async.bulk.tensor.2d", dst, src, c) + ops(box("2d", ""), "[sx]"))
    for q in ["cp_mask", "multicast::cluster", "cta_group::1", "relaxed.gpu", "b128"]:
        t.add(j("cp.async.bulk.tensor.2d.global.shared::cta", GROUP, q) + ops(box("2d", ""), "[sx]"))
    t.section("reductions: operation x dimension x mode")
    for o, d, s in P(REDUCTIONS + ["exch", "cas", ""], DIMENSIONS, ["", "tile", "im2col_no_offs", "im2col", "tile::scatter4"]):
        t.add(j("cp.reduce.async.bulk.tensor", d, "global.shared::cta", o, s, GROUP) + ops(box(d, s), "[sx]"))
    for q, c in P(["add.u32", "add.noftz", "add", "relaxed.gpu.add"], [GROUP, BYTES, ""]):
        t.add(j("cp.reduce.async.bulk.tensor.2d.global.shared::cta", q, c) + ops(box("2d", ""), "[sx]"))
    t.add("cp.reduce.async.bulk.tensor.2d.shared::cluster.shared::cta.add." + BYTES + ops("[sx]", box("2d", ""), "[sm]"))
    t.section("prefetches: dimension x mode x hint")
    for d, s, h in P(DIMENSIONS + [""], LOADS, ["", HINT]):
        natural = d or "2d"
        t.add(j("cp.async.bulk.prefetch.tensor", d, "L2.global", s, h) + ops(box(natural, s), offsets(natural, s), "%rd8" if h else ""))
    for lv, s in P(["L1", "L2", ""], ["global", "shared::cta", ""]):
        t.add(j("cp.async.bulk.prefetch.tensor.2d", lv, s) + ops(box("2d", "")))
    t.section("orders and repetitions of qualifiers")
    quals = ["tensor", "2d", "shared::cluster", "global", "tile", BYTES, "multicast::cluster", "cta_group::1", HINT]
    t.swaps("cp.async.bulk", quals, "[sx], [%rd1, {%r1, %r2}], [sm], %rs1, %rd8")
    t.twice("cp.async.bulk", quals, "[sx], [%rd1, {%r1, %r2}], [sm], %rs1, %rd8")
    quals = ["tensor", "2d", "global", "shared::cta", "add", "tile", GROUP, HINT]
    t.swaps("cp.reduce.async.bulk", quals, "[%rd1, {%r1, %r2}], [sx], %rd8")
    t.twice("cp.reduce.async.bulk", quals, "[%rd1, {%r1, %r2}], [sx], %rd8")
    for g in GUARDS:
        t.add(g + load("2d", "") + ops("[sx]", box("2d", ""), "[sm]"))


def maps():
    t = table("tensormap")
    plain = ["global_address", "rank", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"]
    ordered = ["box_dim", "global_dim", "global_stride", "element_stride"]
    t.section("replace: field x space x type x operands")
    for f, sp, ty, o in P(plain + ordered + ["nosuch", ""], ["global", "shared::cta", "shared", "shared::cluster", ""], ["b32", "b64", "u32", ""], ["", "1"]):
        value = "%rd2" if ty == "b64" else "%r2"
        t.add(j("tensormap.replace.tile", f, sp, "b1024", ty) + ops(place(sp), o, value))
    t.section("replace: values")
    for f, x in P(plain, ["0", "1", "2", "4", "5", "15", "16", "-1", "%r1", "%rd1", "%rs1", "4294967296", "_", "gx"]):
        t.add(j("tensormap.replace.tile", f, "global.b1024", "b64" if f == "global_address" else "b32") + ops("[gx]", x))
    for f, o, x in P(ordered, ["0", "1", "4", "5", "-1", "%r1", "%rd1"], ["0", "16", "%r2", "%rd2"]):
        t.add(j("tensormap.replace.tile", f, "shared::cta.b1024", "b64" if f == "global_stride" else "b32") + ops("[sx]", o, x))
    t.section("replace: mode, size, addresses")
    for m, s in P(["tile", "im2col", "im2col::w", ""], ["b1024", "b128", ""]):
        t.add(j("tensormap.replace", m, "rank.global", s, "b32") + " [gx], 1")
    for a in ["[gx]", "[%rd1]", "[%r1]", "[sx]", "[gx+128]", "gx", "[4]"]:
        t.add("tensormap.replace.tile.rank.global.b1024.b32 " + a + ", 1")
        t.add("tensormap.replace.tile.rank.b1024.b32 " + a + ", 1")
    t.swaps("tensormap", ["replace", "tile", "global_dim", "global", "b1024", "b32"], "[gx], 0, 4")
    t.twice("tensormap", ["replace", "tile", "global_dim", "global", "b1024", "b32"], "[gx], 0, 4")
    t.section("cp_fenceproxy")
    for d, s, p, sem, sc in P(["global", "shared::cta", ""], ["shared::cta", "shared", ""], ["tensormap::generic", "async::generic", "generic::tensormap", ""],
                              ["release", "acquire", ""], SCOPES):
        if (p, sem) == ("tensormap::generic", "release") or sc == "gpu":
            t.add(j("tensormap.cp_fenceproxy", d, s, p, sem, sc, "sync.aligned") + ops(place(d), place(s), "128"))
    for sy, al in P(["sync", ""], ["aligned", ""]):
        t.add(j("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu", sy, al) + " [gx], [sx], 128")
    for d, s, n in P(["[gx]", "[%rd1]", "[%r1]", "[sx]", "gx"], ["[sx]", "[%r1]", "[%rd1]", "[gx]"], ["128", "64", "%r1", ""]):
        t.add("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned" + ops(d, s, n))
    quals = ["cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release", "gpu", "sync", "aligned"]
    t.swaps("tensormap", quals, "[gx], [sx], 128")
    t.twice("tensormap", quals, "[gx], [sx], 128")


def registers():
    """Stores and reductions of registers."""
    for name, op, function in [("st_async", "st.async", ""), ("red_async", "red.async", "add")]:
        t = table(name)
        t.section("semantics x scope x space x completion")
        for sem, sc, sp, c in P(["", "weak", "relaxed", "release", "mmio.release"], SCOPES, ["", "shared::cluster", "shared::cta", "shared", "global"],
                                [BYTES, ""]):
            t.add(j(op, sem, sc, sp, c, function, "u32") + ops(place(sp), "%r1", "[sm]" if c else ""))
        for c, m in P([BYTES, "", GROUP, "mbarrier::arrive::one"], ["[sm]", ""]):
            t.add(j(op, "" if not function else "relaxed.cluster", c, function, "u32") + ops("[%rd9]", "%r1", m))
        heads = [("" if not function else "relaxed.cluster", "shared::cluster", BYTES, ", [sm]"), ("release.gpu", "global", "", ""), ("mmio.release.sys", "", "", "")]
        functions = [""] if not function else REDUCTIONS + ["exch", "cas", "sub", ""]
        t.section("operation x type x vector")
        for (sem, sp, c, m), o, v, ty in P(heads, functions, ["", "v2", "v4", "v8"], LDST + ["f16", "bf16", "f16x2", "pred", ""]):
            if v and (ty == "pred" or function and ty not in ("u32", "f32")):
                continue
            value = vec(ty or "u32", int(v[1])) if v else reg(ty or "u32")
            t.add(j(op, sem, sp, c, o, v, ty) + " " + place(sp) + ", " + value + m)
        t.section("operands")
        for (sem, sp, c, m), x in P(heads, ["%r1", "%rd1", "%rs1", "%f1", "1", "-1", "gx", "_", "{%r1}", "{%r1, %r2}", "[gx]", ""]):
            t.add(j(op, sem, sp, c, function, "u32") + ops(place(sp), x, m[2:]))
        for (sem, sp, c, m), x in P(heads, ["[sx]", "[gx]", "[%r1]", "[%rd1]", "[sx+8]", "[gx+8]", "sx", "[4]"]):
            t.add(j(op, sem, sp, c, function, "u32") + ops(x, "%r1", m[2:]))
            if m:
                t.add(j(op, sem, sp, c, function, "u32") + ops(place(sp), "%r1", x))
        t.section("orders and repetitions of qualifiers")
        quals = ["async"] + ([] if not function else ["relaxed", "cluster"]) + ["shared::cluster", BYTES] + ([function] if function else ["v2"]) + ["u32"]
        t.swaps(op.split(".")[0], quals, "[sx], %s, [sm]" % ("%r1" if function else "{%r1, %r2}"))
        t.twice(op.split(".")[0], quals, "[sx], %s, [sm]" % ("%r1" if function else "{%r1, %r2}"))
        quals = ["async", "mmio", "release", "sys", "global"] + ([function] if function else []) + ["u32"]
        t.swaps(op.split(".")[0], quals, "[gx], %r1")
        for q in [HINT, "L1::evict_last", "noftz", "multicast::cluster"]:
            t.add(j(op, "release.gpu.global", q, function, "u32") + ops("[gx]", "%r1", "%rd8" if q == HINT else ""))
        for g in GUARDS:
            t.add(g + j(op, "release.gpu.global", function, "u32") + " [gx], %r1")
        t.section("multimem")
        for sem, sc, sp in P(["", "release", "relaxed"], SCOPES, ["", "global"]):
            t.add(j("multimem", op, sem, sc, sp, function, "u32") + " [gx], %r1")


def launch_control():
    t = table("launch_control")
    t.section("requests")
    for a, sp, c, m, ty in P(["async", ""], ["", "shared::cta", "shared", "shared::cluster", "global"], [BYTES, GROUP, ""],
                             ["", "multicast::cluster::all", "multicast::cluster"], ["b128", "b64", ""]):
        t.add(j("clusterlaunchcontrol.try_cancel", a, sp, c, m, ty) + (" [%rd1], [%rd2]" if not sp else " %s, [sm]" % place(sp)))
    for x, m in P(["[sx]", "[%r1]", "[%rd1]", "[gx]", "[sx+16]", "sx"], ["[sm]", "[%r2]", "[%rd2]", "[gm]", "sm", ""]):
        t.add(j("clusterlaunchcontrol.try_cancel.async.shared::cta", BYTES, "b128") + ops(x, m))
        t.add(j("clusterlaunchcontrol.try_cancel.async", BYTES, "b128") + ops(x, m))
    quals = ["try_cancel", "async", "shared::cta", BYTES, "multicast::cluster::all", "b128"]
    t.swaps("clusterlaunchcontrol", quals, "[sx], [sm]")
    t.twice("clusterlaunchcontrol", quals, "[sx], [sm]")
    t.section("queries")
    for q, ty, d, x in P(["is_canceled", "get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z", "get_first_ctaid::w", ""],
                         ["pred", "v4.b32", "b32", "v4", "u32", ""], ["%p1", "%r1", "{%r1, %r2, %r3, %r4}", "{%r1, %r2, %r3, _}", "{%r1, %r2, %r3}", "_"],
                         ["%rq1", "%rd1"]):
        if x == "%rq1" or d in ("%p1", "%r1"):
            t.add(j("clusterlaunchcontrol.query_cancel", q, ty, "b128") + ops(d, x))
    for d, x in itertools.product(["%p1", "%r1", "_", "!%p1"], ["%rq1", "1", "{%rd1, %rd2}", "[sx]", ""]):
        t.add("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128" + ops(d, x))
    t.orders("clusterlaunchcontrol", ["query_cancel", "is_canceled", "pred", "b128"], "%p1, %rq1")
    for g in GUARDS:
        t.add(g + "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %rq1")


def build():
    few_bytes()
    bulk()
    bulk_reductions()
    tensors()
    maps()
    registers()
    launch_control()
