#!/usr/bin/env python3
"""Ask ptxas which instruction forms it accepts and store the answers as tables.

    python3 tests/ptxas/forms.py --ptxas PATH/TO/ptxas          # rewrite the tables
    python3 tests/ptxas/forms.py --ptxas PATH/TO/ptxas --check  # compare, write nothing
    python3 tests/ptxas/forms.py --list                         # print the forms only

The tables are a pure function of the modules of this folder, the ptxas version, the ISA version
and the target.  Standard library only; see README.md for the format.
"""
import argparse
import collections
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

import asynchronous
import tensor_cores
from vocabulary import (ALU, ASPACES, INTS, LDST, MEMSEM, ODD, SCOPES, SPACES, BITS, P, TABLES, imm, j, mvar, reg, table,
                        var, vec)

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = "sm_107a"

# --------------------------------------------------------------------------
# Context: every form is one line put at the place of the marker.

MARK = "// FORMS\n"
HEAD = """\
.version {isa}
.target {target}
.address_size 64
.global .align 128 .b8 gx[256];
.global .align 8 .b64 gm;
.const .align 128 .b8 cx[256];
.shared .align 128 .b8 sx[256];
.shared .align 8 .b64 sm;
"""
REGS = """\
.reg .pred %p<10>;
.reg .b8 %rc<20>;
.reg .b16 %rs<20>;
.reg .b32 %r<20>;
.reg .b32 %t<128>;
.reg .b64 %rd<20>;
.reg .b128 %rq<20>;
.reg .f32 %f<20>;
.reg .f64 %fd<20>;
.reg .u16 %us<4>;
.reg .s16 %ss<4>;
.reg .f16 %h<4>;
.reg .u32 %u<4>;
.reg .s32 %s<4>;
.reg .u64 %ud<4>;
.reg .s64 %sd<4>;
.local .align 128 .b8 lx[256];
"""
CONTEXT = {
    "entry": HEAD + ".visible .entry k(.param .align 128 .b8 px[256])\n{\n" + REGS
    + ".param .align 16 .b8 fx[256];\n" + MARK + "LEND:\nret;\n}\n",
    "func": HEAD + ".visible .func (.param .align 16 .b8 rx[256]) f(.param .align 16 .b8 ax[256])\n{\n"
    + REGS + ".param .align 16 .b8 fx[256];\n" + MARK + "LEND:\nret;\n}\n",
}

# --------------------------------------------------------------------------
# ld, st

L1 = ["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"]
L2 = ["L2::evict_normal", "L2::evict_first", "L2::evict_last"]
L2ALL = L2 + ["L2::evict_unchanged", "L2::no_allocate"]
PF = ["L2::64B", "L2::128B", "L2::256B"]
BASES = ["", "weak", "relaxed.gpu", "acquire.gpu", "release.gpu", "volatile", "mmio.relaxed.sys"]


def memory(op):
    """The families that ld and st share."""
    load = op == "ld"
    cops = ["ca", "cg", "cs", "lu", "cv", "wb", "wt"]
    strong = "acquire" if load else "release"

    def form(quals, space, t, v="", addr=None, tail="", value=None):
        n = int(v[1:]) if v else 0
        a = addr or var(space)
        r = value or (vec(t, n) if n else reg(t))
        return j(op, quals, v, t) + " " + (r + ", " + a if load else a + ", " + r) + tail

    t = table(op)
    t.section("semantics x scope x space x type")
    for sem, sc, sp, ty in P(["", "weak", "relaxed", "acquire", "release", "volatile", "mmio.relaxed"], SCOPES, SPACES, LDST):
        if sem == ("release" if load else "acquire") and ty not in ("u8", "b32", "b128"):
            continue  # illegal whatever the type
        t.add(form(j(sem, sc, sp), sp, ty))
    t.section("rarer semantics, and two of them")
    pairs = [a + "." + b for a, b in itertools.permutations(
        ["weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"], 2)]
    for sem, sc, sp in P(["acq_rel", "sc", "mmio"] + pairs, ["", "gpu", "sys"], ["", "global", "shared"]):
        t.add(form(j(sem, sc, sp), sp, "u32"))
    t.section("rarer scopes")
    for sem, sc in P(["", "weak", "relaxed", strong, "volatile", "mmio.relaxed"],
                     ["gl", "warp", "system", "cta.gpu", "gpu.cta", "sys.sys", "grid"]):
        t.add(form(j(sem, sc, "global"), "global", "u32"))
    t.section("rarer spaces")
    for sp in ["reg", "tex", "sreg", "global::cta", "shared::gpu", "shared::sys", "local::cta", "const::entry",
               "param::kernel", "param::cta", "const[0]", "global.shared", "shared::cta.shared::cluster", "generic"]:
        for sem in ["", "relaxed.gpu"]:
            t.add(form(j(sem, sp), "", "u32"))
    t.section("rarer types, no type, two types")
    for ty, sp, sem in P(ODD, ["global", "shared"], ["", "relaxed.gpu"]):
        t.add(form(j(sem, sp), sp, ty))
    for q, r in (("global", "%r1"), ("global.u32.u32", "%r1"), ("global.b32.u32", "%r1"), ("relaxed.gpu.global", "%r1")):
        t.add(op + "." + q + " " + (r + ", [gx]" if load else "[gx], " + r))
    t.section("vectors")
    for v, ty, sp, sem in P(["v2", "v4", "v8"], LDST, ["", "global", "shared", "local"] + (["const", "param"] if load else []),
                            ["", "relaxed.gpu"]):
        t.add(form(j(sem, sp), sp, ty, v))
    for v, ty, sem, sp in P(["v2", "v4", "v8"], ["u8", "u32", "b32", "f32", "b64", "f64", "b128"], BASES, SPACES):
        t.add(form(j(sem, sp), sp, ty, v))
    for v, ty in P(["v1", "v3", "v16"], ["u8", "u32", "b64"]):
        t.add(form("global", "global", ty, v))
    for v, ty in P(["v2", "v4", "v8"], ODD):
        t.add(form("global", "global", ty, v))
    t.section("vector operands")
    for v, ty, ops in [
        ("", "u32", "{%r1}"), ("", "u32", "{%r1, %r2}"), ("v2", "u32", "%r1"), ("v2", "u32", "%rd1"), ("v2", "u32", "{%r1}"),
        ("v2", "u32", "{%r1, %r2, %r3}"), ("v2", "u32", "{%r1, %r1}"), ("v2", "u32", "{%r1, _}"), ("v2", "u32", "{_, _}"),
        ("v4", "u32", "{%r1, _, _, %r4}"), ("v8", "b32", "{%r1, _, _, %r4, _, _, _, %r8}"), ("v2", "u32", "{%r1, %rd1}"),
        ("v2", "u32", "{%rd1, %rd2}"), ("v2", "u32", "{%rs1, %rs2}"), ("v2", "u32", "{1, 2}"), ("v2", "u32", "{%r1, 2}"),
        ("v2", "u8", "{%r1, %r2}"), ("v2", "u8", "{%rs1, %r2}"), ("v2", "f32", "{%r1, %r2}"), ("v2", "u32", "{%f1, %f2}"),
        ("", "u32", "_"), ("", "b128", "_"), ("v2", "u32", "_"), ("v4", "b64", "{%rd1, _, %rd3, _}"),
    ]:
        for sem in ["", "relaxed.gpu", "volatile"]:
            t.add(form(j(sem, "global"), "global", ty, v, value=ops))
    t.section("cache operators")
    for cop, sem, sp in P(cops, BASES, SPACES):
        t.add(form(j(sem, sp, cop), sp, "u32"))
    for cop, ty, v in P(cops, ["u8", "b64", "b128", "f32"], ["", "v2"]):
        t.add(form(j("global", cop), "global", ty, v))
    for a, b in itertools.permutations(["ca", "cg", "cs", "cv", "wb"], 2):
        t.add(form(j("global", a, b), "global", "u32"))
    t.section("eviction priority x cache hint x prefetch size")
    for e, h, p, sem, sp in P([""] + L1, ["", "L2::cache_hint"], [""] + PF, ["", "weak", "relaxed.gpu", strong + ".gpu", "volatile", "mmio.relaxed.sys"],
                            ["", "global", "shared"]):
        t.add(form(j(sem, sp, e, h, p), sp, "u32", tail=", %rd8" if h else ""))
    for e, h, sp in P(L1, ["", "L2::cache_hint"], SPACES[2:]):
        t.add(form(j(sp, e, h), sp, "u32", tail=", %rd8" if h else ""))
    for p, sp in P(PF, SPACES[2:]):
        t.add(form(j(sp, p), sp, "u32"))
    for h, sp in P(["L2::cache_hint"], SPACES[2:]):
        t.add(form(j(sp, h), sp, "u32", tail=", %rd8"))
    for sem, e, p, sp in P(["relaxed", strong, "weak", "volatile"], ["", "L1::evict_last"], ["", "L2::128B"], ["global", "shared"]):
        t.add(form(j(sem, sp, e, p), sp, "u32"))  # scope missing
    t.section("eviction priority of the second level")
    for e1, e2, sem, sp, vt in P(["", L1[2]], L2, ["", "weak", "relaxed.gpu", strong + ".gpu", "volatile"],
                                 ["", "global", "shared"], ["u32", "v4.u32", "v8.b32", "v4.b64", "v2.b64"]):
        v, ty = vt.split(".") if "." in vt else ("", vt)
        t.add(form(j(sem, sp, e1, e2), sp, ty, v))
    for e2, vt in P(L2ALL, ["v8.b32", "v8.u32", "v8.f32", "v4.b64", "v4.f64", "v4.s64", "v2.b128", "b128", "v8.b16"]):
        v, ty = vt.split(".") if "." in vt else ("", vt)
        t.add(form(j("global", e2), "global", ty, v))
        t.add(form(j("global", e2, "L2::cache_hint"), "global", ty, v, tail=", %rd8"))
        t.add(form(j("global", e2, "L2::128B"), "global", ty, v))
    t.section("cache operator with an eviction priority or hint")
    for cop, e, h in P(cops[:3] + cops[5:6], L1[:2] + ["", "L2::evict_last"], ["", "L2::cache_hint", "L2::128B"]):
        t.add(form(j("global", cop, e, h), "global", "u32", tail=", %rd8" if h == "L2::cache_hint" else ""))
    t.section("hint operand")
    for sem, h, tail in P(["", "relaxed.gpu", "volatile", "mmio.relaxed.sys"], ["", "L2::cache_hint"],
                          ["", ", %rd8", ", %r8", ", 1", ", %rd7, %rd8", ", gx", ", %fd1"]):
        t.add(form(j(sem, "global", h), "global", "u32", tail=tail))
    t.section("register classes")
    for ty, r in P(LDST, ["%p1", "%rc1", "%rs1", "%r1", "%rd1", "%rq1", "%f1", "%fd1"]):
        t.add(form("global", "global", ty, value=r))
    for ty, r in P(LDST, ["%r1", "%rd1", "%f1"]):
        t.add(form("relaxed.gpu.global", "global", ty, value=r))
    if not load:
        t.section("immediate and address operands")
        for ty, r, sem in P(LDST, ["1", "-1", "0x1234", "0f3F800000", "0d3FF0000000000000", "1.5", "gx", "4294967296", "300"], ["", "relaxed.gpu"]):
            t.add(form(j(sem, "global"), "global", ty, value=r))
    else:
        t.section(".unified")
        for sem, sp, in P(["", "weak", "relaxed.gpu", "volatile"], ["", "global", "const", "shared", "local", "param"]):
            t.add(form(j(sem, sp), sp, "u32", addr=var(sp) + ".unified"))
    t.section("orders and repetitions of qualifiers")
    r = lambda x, a: (x + ", " + a) if load else (a + ", " + x)
    t.orders(op, ["relaxed", "gpu", "global", "u32"], r("%r1", "[gx]"))
    t.orders(op, ["weak", "shared::cta", "v2", "u32"], r("{%r1, %r2}", "[sx]"))
    t.orders(op, ["mmio", "relaxed", "sys", "global", "u32"], r("%r1", "[gx]"))
    t.orders(op, ["weak", "global", "cg", "b32"], r("%r1", "[gx]"))
    t.orders(op, ["volatile", "global", "v2", "b32"], r("{%r1, %r2}", "[gx]"))
    t.swaps(op, [strong, "sys", "global", "L1::evict_last", "L2::cache_hint"] + (["L2::128B"] if load else []) + ["v2", "b32"],
            r("{%r1, %r2}", "[gx]") + ", %rd8")
    t.twice(op, [strong, "sys", "global", "L1::evict_last", "L2::cache_hint"] + (["L2::128B"] if load else []) + ["v2", "b32"],
            r("{%r1, %r2}", "[gx]") + ", %rd8")
    t.swaps(op, ["global", "L1::evict_last", "L2::evict_last", "v8", "b32"], r(vec("b32", 8), "[gx]"))
    t.section("operand count and predicate")
    for s in ["%r1", "[gx]", "%r1, [gx], [gx]", "[gx], %r1, %r2", "[gx], %r1", "%r1, [gx]", "%r1, gx", "gx, %r1", "%r1, %r2", ""]:
        t.add(op + ".global.u32 " + s)
    for g in ["@%p1", "@!%p1", "@%r1", "@!!%p1", "@ !%p1", "@1"]:
        t.add(g + " " + form("relaxed.gpu.global", "global", "u32"))


def addresses():
    """Address shapes of every memory instruction."""
    t = table("address")
    addrs = ["[gx]", "[sx]", "[cx]", "[lx]", "[px]", "[fx]", "[gx+4]", "[gx+-4]", "[gx-4]", "[gx + 4]", "[gx+4+4]", "[gx+0x10]",
             "[%rd1]", "[%rd1+4]", "[%rd1+-4]", "[%rd1-4]", "[%rd1+0x7fffffff]", "[%rd1+0x80000000]", "[%rd1+0xffffffff]",
             "[%rd1+4294967296]", "[%rd1-2147483648]", "[%rd1-2147483649]", "[%rd1+%rd2]", "[%rd1+%r2]", "[gx+%rd1]", "[%rd1+gx]", "[4+gx]", "[4+%rd1]",
             "[%rd1*4]", "[%r1]", "[%r1+4]", "[%rs1]", "[%f1]", "[%fd1]", "[%p1]", "[%rq1]", "[4]", "[0]", "[-4]", "[0x1000]", "[0x100000000]",
             "[-4294967296]", "[1.5]", "[4+4]", "gx", "%rd1", "gx[0]", "gx[4]", "gx[%r1]", "[gx[0]]", "[gx, 4]", "[[gx]]", "[gx]+4", "[nosuch]",
             "gx[%r1+1]", "gx[%r1+-1]", "gx[%r1-1]", "gx[%r1+1+1]", "gx[%rd1]", "gx[%rs1]", "gx[%f1]", "gx[%p1]", "gx[%tid.x]", "gx[%r1+%r2]", "gx[1+%r1]", "gx[%r1]+4",
             "[gx[%r1]]", "fx[%r1]", "[gx+1]", "[gx+2]", "[gx+3]", "[gx+256]", "[gx+1000]", "[gx][4]", "{%rd1}", "[{%rd1}]", "[_]", "[%tid.x]", "(gx)", "[(gx)]"]
    ops = [("ld%s.u32 %%r1, %s", ["", ".global", ".shared", ".shared::cluster", ".const", ".local", ".param", ".relaxed.gpu", ".relaxed.gpu.global",
                                   ".relaxed.gpu.shared", ".volatile"]),
           ("st%s.u32 %s, %%r1", ["", ".global", ".shared", ".shared::cluster", ".local", ".param", ".relaxed.gpu", ".relaxed.gpu.global",
                                  ".relaxed.gpu.shared", ".volatile"]),
           ("atom%s.add.u32 %%r1, %s, %%r2", ["", ".global", ".shared", ".shared::cluster"]),
           ("red%s.add.u32 %s, %%r2", ["", ".global", ".shared", ".shared::cluster"]),
           ("ld%s.b128 %%rq1, %s", [".global"]), ("ld%s.v4.u32 {%%r1, %%r2, %%r3, %%r4}, %s", [".global"])]
    for pat, quals in ops:
        for q in quals:
            t.section(pat.split("%s")[0] + q)
            for a in addrs:
                if pat.startswith("ld") or pat.startswith("atom"):
                    dst, rest = pat.split(", ", 1) if "{" not in pat else pat.rsplit(", ", 1)
                t.add(pat.replace("%s", "\0", 1).replace("%s", "\1").replace("%%", "%").replace("\0", q).replace("\1", a))


def registers():
    """Which declared register types fit which instruction types."""
    t = table("register")
    regs = ["%us", "%ss", "%rs", "%h", "%u", "%s", "%r", "%f", "%ud", "%sd", "%rd", "%fd"]
    for pat, tys in [("ld.global.{t} {r}1, [gx]", LDST[:4] + LDST[5:]), ("st.global.{t} [gx], {r}1", LDST[:4] + LDST[5:]), ("ld.global.v2.{t} {{{r}1, {r}2}}, [gx]", ["u32", "s32", "b32", "f32"]),
                     ("mov.{t} {r}1, {r}2", ALU), ("add.{t} {r}1, {r}2, {r}3", ALU), ("and.{t} {r}1, {r}2, {r}3", ["b16", "b32", "b64"]),
                     ("setp.eq.{t} %p1, {r}1, {r}2", ALU), ("selp.{t} {r}1, {r}2, {r}3, %p1", ALU),
                     ("atom.global.add.{t} {r}1, [gx], {r}2", ["u32", "s32", "u64", "f32", "f64"]), ("atom.global.exch.{t} {r}1, [gx], {r}2", ["b32", "b64"]),
                     ("atom.global.cas.{t} {r}1, [gx], {r}2, {r}3", ["b16", "b32", "b64"]), ("red.global.min.{t} [gx], {r}1", ["u32", "s32", "u64", "s64"])]:
        t.section(pat.replace("{{", "{").replace("}}", "}"))
        for ty, r in P(tys, regs):
            t.add(pat.format(t=ty, r=r))
    t.section("registers of two types")
    for a, b in P(regs, regs):
        if a != b:
            t.add("add.u32 %s1, %s2, %s3" % (a, a, b))
            t.add("mov.b32 %s1, %s2" % (a, b))
    t.section("32-bit operands")
    for f in ["bar.sync {}1", "bar.sync 1, {}1", "bar.warp.sync {}1", "shl.b64 %rd1, %rd2, {}1", "nanosleep.u32 {}1", "vote.sync.all.pred %p1, %p2, {}1",
              "mbarrier.init.shared.b64 [sm], {}1", "mbarrier.arrive.shared.b64 {}1, [sm]", "ld.global.u32 %r1, [{}1]", "ld.shared.u32 %r1, [{}1]",
              "mul.wide.u32 {}1, %r1, %r2", "mul.wide.u32 %rd1, {}1, {}2", "mov.u32 {}1, %tid.x", "mov.u64 {}1, %clock64", "cvt.u64.u32 {}1, %r1", "cvt.u64.u32 %rd1, {}1"]:
        for r in regs:
            t.add(f.format(r, r))


def param_func():
    t = table("param_func", "func")
    t.section("ld, st of the parameters of a device function")
    for op, sem, sp, a, ty in P(["ld", "st"], ["", "weak", "relaxed.gpu", "volatile"], ["param", "param::func", "param::entry"],
                                ["[ax]", "[rx]", "[fx]", "[ax+4]", "[%rd1]"], ["u8", "u32", "b64", "f32", "b128"]):
        r = reg(ty)
        t.add(j(op, sem, sp, ty) + " " + (r + ", " + a if op == "ld" else a + ", " + r))


def ld_nc():
    t = table("ld_nc")
    t.section("type x vector x cache operator")
    for c, v, ty in P(["", "ca", "cg", "cs", "lu", "cv"], ["", "v2", "v4", "v8"], LDST):
        n = int(v[1:]) if v else 0
        t.add(j("ld.global", c, "nc", v, ty) + " " + (vec(ty, n) if n else reg(ty)) + ", [gx]")
    t.section("semantics, scope, space")
    for sem, sc, sp in P(MEMSEM, ["", "gpu", "sys"], SPACES):
        t.add(j("ld", sem, sc, sp, "nc", "u32") + " %r1, " + var(sp))
    t.section("hints")
    for c, e, e2, h, p in P(["", "ca"], [""] + L1, ["", "L2::evict_last"], ["", "L2::cache_hint"], [""] + PF):
        for vt in ["u32", "v4.f32", "v8.b32"]:
            r = "%r1" if vt == "u32" else vec(vt[3:], int(vt[1]))
            t.add(j("ld.global", c, "nc", e, e2, h, p, vt) + " " + r + ", [gx]" + (", %rd8" if h else ""))
    t.section("orders and repetitions of qualifiers")
    t.orders("ld", ["global", "ca", "nc", "u32"], "%r1, [gx]")
    t.swaps("ld", ["global", "nc", "L1::evict_last", "L2::cache_hint", "L2::128B", "v2", "b32"], "{%r1, %r2}, [gx], %rd8")
    t.section("rarer types, register classes, addresses")
    for ty in ODD:
        t.add("ld.global.nc.%s %s, [gx]" % (ty, reg(ty)))
    for r, a in P(["%r1", "%rd1", "%rs1", "_"], ["[gx]", "[%rd1]", "[%r1]", "[sx]", "[cx]", "[gx+4]", "[gx].unified"]):
        t.add("ld.global.nc.u32 %s, %s" % (r, a))


def ldu():
    t = table("ldu")
    t.section("space x type x vector")
    for sp, ty, v in P(["", "global", "shared", "const", "local", "param"], LDST + ["f16"], ["", "v2", "v4", "v8"]):
        n = int(v[1:]) if v else 0
        t.add(j("ldu", sp, v, ty) + " " + (vec(ty, n) if n else reg(ty)) + ", " + var(sp))
    t.section("superfluous qualifiers")
    for q in MEMSEM[1:] + ["relaxed.gpu", "gpu", "ca", "cg", "nc", "L1::evict_last", "L2::128B"]:
        t.add("ldu." + q + ".global.u32 %r1, [gx]")
        t.add("ldu.global." + q + ".u32 %r1, [gx]")
    t.orders("ldu", ["global", "v2", "u32"], "{%r1, %r2}, [gx]")


# --------------------------------------------------------------------------
# atom, red, multimem

OPS = "and or xor cas exch add inc dec min max".split()
ATYPES = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 u128".split()
ASEM = ["", "relaxed", "acquire", "release", "acq_rel", "sc", "weak", "volatile", "mmio"]


def rmw(op):
    atom = op == "atom"
    t = table(op)

    def form(quals, space, aop, t_, v="", tail=None, d=None, mid="", noftz=False, args=None):
        n = int(v[1:]) if v else 0
        r = (lambda i: vec(t_, n, i)) if n else (lambda i: reg(t_, i))
        if args is None:
            args = r(2 if not n else 11) + (", " + r(3) if aop == "cas" else "")
        return (j(op, quals, aop, "noftz" if noftz else "", mid, v, t_) + " " + ((d or r(1)) + ", " if atom else "")
                + var(space) + ", " + args + (tail or ""))

    t.section("semantics x scope x space, for representative operations")
    for (aop, ty, nf, v), sem, sc, sp in P(
            ([("cas", "b32", 0, ""), ("exch", "b128", 0, ""), ("cas", "b16", 0, "")] if atom else [("and", "b64", 0, "")])
            + [("add", "u32", 0, ""), ("add", "f16x2", 1, ""), ("inc", "u32", 0, ""), ("add", "f32", 0, "v2")],
            ASEM, SCOPES, ASPACES):
        t.add(form(j(sem, sc, sp), sp, aop, ty, v, noftz=nf))
    t.section("operation x type x space")
    for aop, ty, nf, sp in P(OPS, ATYPES, [0, 1], ASPACES[:5] + ASPACES[5:6]):
        if nf and (ty not in ("f16", "f16x2", "bf16", "bf16x2", "f32", "u32") or aop not in ("add", "min", "max") and sp != "global"):
            continue
        t.add(form(sp, sp, aop, ty, noftz=nf))
    t.section("operation x type, with semantics and scope")
    for aop, ty, (nf, q) in P(OPS, ATYPES, [(0, "relaxed.gpu"), (0, "release.sys"), (1, "relaxed.cta")] + ([(0, "acq_rel.gpu")] if atom else [])):
        if nf and ty not in ("f16", "f16x2", "bf16", "bf16x2"):
            continue
        t.add(form(j(q, "global"), "global", aop, ty, noftz=nf))
    t.section("other operations")
    for aop, ty in P(["sub", "not", "popc", "swap", "mul", "shl", "addc", "and.or", "add.add", ""], ["u32", "b32"]):
        t.add(form("global", "global", aop, ty))
    t.section("vectors: operation x type x space")
    for v, aop, ty, nf, sp in P(["v2", "v4", "v8"], ["add", "min", "max", "exch", "cas", "and", "inc"],
                                ["f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "u32", "b32", "s32", "u64", "b64", "b128"], [0, 1], ["", "global", "shared"]):
        if nf and not ty.startswith(("f16", "bf16")) or sp == "shared" and ty[0] not in "fb":
            continue
        t.add(form(sp, sp, aop, ty, v, noftz=nf))
    t.section("vectors: semantics x scope")
    for sem, sc, (v, ty, nf) in P(ASEM[:5], SCOPES, [("v2", "f32", 0), ("v4", "f32", 0), ("v8", "bf16", 1), ("v4", "f16x2", 1)]):
        t.add(form(j(sem, sc, "global"), "global", "add", ty, v, noftz=nf))
    t.section("rounding and other modifiers")
    for m, ty in P(["ftz", "noftz", "rn", "rz", "sat", "cc", "wrap", "NaN"], ["u32", "f32", "f64", "f16", "f16x2"]):
        t.add(form("global", "global", "add", ty, mid=m))
        t.add(form("global", "global", "min", ty, mid=m))
    t.section("cache hint and other hints")
    for sem, sp, (aop, ty, nf, v), (h, tail) in P(
            ["", "acq_rel.gpu" if atom else "release.gpu"], ["", "global", "shared", "shared::cluster"],
            [("add", "u32", 0, ""), ("cas", "b32", 0, ""), ("cas", "b128", 0, ""), ("exch", "b128", 0, ""), ("cas", "b16", 0, ""), ("exch", "b32", 0, ""),
             ("add", "f16x2", 1, ""), ("add", "f32", 0, "v2"), ("min", "f16", 1, "v2")],
            [("L2::cache_hint", ", %rd8"), ("L2::cache_hint", ""), ("", ", %rd8"), ("L1::evict_last", ""), ("L2::128B", ""), ("L2::evict_last", "")]):
        t.add(form(j(sem, sp), sp, aop, ty, v, noftz=nf, mid=h, tail=tail))
    for c in ["ca", "cg", "cv", "nc", "wt"]:
        t.add(form("global", "global", "add", "u32", mid=c))
    t.section("operands")
    for ty, x in P(["u32", "s32", "u64", "f32", "f64"], ["1", "-1", "0f3F800000", "0d3FF0000000000000", "%r2", "%rd2", "%rs2", "%f2", "%fd2", "%p1", "%rq2", "gx", "_", "[gx]"]):
        t.add(form("global", "global", "add", ty, args=x))
    for ty, x in P(["b32", "b64"], ["1", "%r2", "%rd2", "%f2"]):
        t.add(form("global", "global", "and", ty, args=x))
    for q, a in P(["add.u32", "cas.b32", "cas.b64", "cas.b16", "cas.b128", "exch.b32", "exch.b128", "inc.u32", "add.noftz.f16", "and.b32"],
                  ["", "%r2", "%r2, %r3", "%r2, %r3, %r4", "1", "1, 2", "%r2, 1", "1, %r2", "%rd2", "%rd2, %rd3", "%rs2, %rs3", "%rq2", "%rq2, %rq3", "%rs2", "1, 2, 3"]):
        if atom:
            cls = {"b64": "%rd1", "b16": "%rs1", "f16": "%rs1", "b128": "%rq1"}.get(q.rsplit(".", 1)[1], "%r1")
            t.add("atom.global.%s %s, [gx]%s" % (q, cls, ", " + a if a else ""))
        else:
            t.add("red.global.%s [gx]%s" % (q, ", " + a if a else ""))
    if atom:
        t.section("destination")
        for d, q in P(["_", "%r1", "%rd1", "%rs1", "%f1", "%p1", "1", "%rq1", "{%r1}", "{_, _}"],
                      ["add.u32", "cas.b32", "exch.b32", "and.b32", "add.u64", "cas.b16", "exch.b128", "cas.b128", "add.f32", "add.noftz.f16x2", "inc.u32", "min.s32"]):
            aop, ty = q.split(".")[0], q.split(".")[-1]
            t.add(form("global", "global", aop, ty, d=d, noftz="noftz" in q))
        for q in ["add.u32", "exch.b32", "cas.b32"]:
            t.add("atom.global.%s [gx], %%r2%s" % (q, ", %r3" if "cas" in q else ""))
        for d in ["{%f1, _}", "{_, _}", "_", "{%f1, %f2}", "{%f1}", "{%f1, %f2, %f3}"]:
            t.add("atom.global.add.v2.f32 %s, [gx], {%%f3, %%f4}" % d)
    else:
        for d in ["%r1, [gx], %r2", "_, [gx], %r2"]:
            t.add("red.global.add.u32 " + d)
    t.section("orders and repetitions of qualifiers")
    dd = "%r1, " if atom else ""
    t.orders(op, ["release", "gpu", "global", "add", "u32"], dd + "[gx], %r2")
    t.orders(op, ["relaxed", "cta", "min", "s32"], dd + "[%rd9], %r2")
    t.swaps(op, ["release", "gpu", "global", "add", "noftz", "L2::cache_hint", "v2", "f16x2"],
            ("{%r1, %r2}, " if atom else "") + "[gx], {%r3, %r4}, %rd8")
    t.twice(op, ["release", "gpu", "global", "add", "noftz", "L2::cache_hint", "v2", "f16x2"],
            ("{%r1, %r2}, " if atom else "") + "[gx], {%r3, %r4}, %rd8")
    if atom:
        t.orders(op, ["acq_rel", "sys", "shared::cta", "cas", "b32"], "%r1, [sx], %r2, %r3")
    t.section("two semantics, two scopes, two spaces")
    for a, b in itertools.permutations(["relaxed", "acquire", "release", "acq_rel"], 2):
        t.add(form(j(a, b, "gpu.global"), "global", "add", "u32"))
    for a, b in itertools.permutations(["cta", "cluster", "gpu", "sys"], 2):
        t.add(form(j("relaxed", a, b, "global"), "global", "add", "u32"))
    for a, b in itertools.permutations(["global", "shared", "shared::cta", "shared::cluster"], 2):
        t.add(form(j("relaxed.gpu", a, b), "", "add", "u32"))
    for g in ["@%p1", "@!%p1"]:
        t.add(g + " " + form("global", "global", "add", "u32"))


def multimem():
    t = table("multimem")
    ops = ["min", "max", "add", "and", "or", "xor", "inc", "dec", "exch", "cas"]
    types = "b16 b32 b64 b128 u16 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 e5m2 e5m2x2 e5m2x4 e4m3 e4m3x2 e4m3x4".split()

    def form(k, quals, sp, aop, ty, v="", acc=""):
        n = int(v[1:]) if v else 0
        r = vec(ty, n) if n else reg(ty)
        if k == "ld_reduce":
            return j("multimem.ld_reduce", quals, sp, aop, acc, v, ty) + " " + r + ", " + var(sp)
        if k == "st":
            return j("multimem.st", quals, sp, v, ty) + " " + var(sp) + ", " + r
        return j("multimem.red", quals, sp, aop, acc, v, ty) + " " + var(sp) + ", " + r

    for k in ["ld_reduce", "st", "red"]:
        t.section(k + ": semantics x scope x space")
        for sem, sc, sp, ty in P(["", "weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"], SCOPES,
                                 ["", "global", "shared", "shared::cta", "shared::cluster", "local"], ["u32", "f32"]):
            t.add(form(k, j(sem, sc), sp, "add", ty))
        t.section(k + ": operation x type")
        for aop, ty, q in P(ops if k != "st" else [""], types, ["", "relaxed.gpu"]):
            t.add(form(k, q, "global", aop, ty))
        t.section(k + ": vectors")
        for aop, v, ty in P(["add", "min", "max", "and"] if k != "st" else [""], ["v2", "v4", "v8"], types):
            t.add(form(k, "relaxed.gpu", "global", aop, ty, v))
        t.section(k + ": accumulation precision")
        for aop, acc, ty, v in P(["add", "min", "max"] if k != "st" else ["add"], ["acc::f32", "acc::f16"], types, ["", "v2", "v4", "v8"]):
            if k == "ld_reduce" or (v in ("", "v4") and aop == "add"):
                t.add(form(k, "weak" if k == "ld_reduce" else "", "global", aop, ty, v, acc))
        t.section(k + ": orders of qualifiers")
        q = ["relaxed", "gpu", "global"] + ([] if k == "st" else ["add"]) + ["u32"]
        t.orders("multimem." + k, q, "%r1, [gx]" if k == "ld_reduce" else "[gx], %r1")
    t.section("operands")
    for a in ["[gx]", "[%rd1]", "[%r1]", "[sx]", "[gx+4]", "[4]"]:
        for v in ["%r1", "1", "_", "%rd1"]:
            t.add("multimem.ld_reduce.relaxed.gpu.global.add.u32 %s, %s" % (v, a))
            t.add("multimem.st.relaxed.gpu.global.u32 %s, %s" % (a, v))
            t.add("multimem.red.relaxed.gpu.global.add.u32 %s, %s" % (a, v))
    for s in ["multimem.ld.global.u32 %r1, [gx]", "multimem.atom.global.add.u32 %r1, [gx], %r2", "multimem.ld_reduce.global.u32 %r1, [gx]",
              "multimem.ld_reduce.global.add %r1, [gx]", "multimem.red.global.u32 [gx], %r1", "multimem.st.global [gx], %r1", "multimem.ld_reduce.add.noftz.f16x2 %r1, [gx]", "multimem.ld_reduce.global.add.acc::f64.f64 %fd1, [gx]"]:
        t.add(s)
        t.add("@%p1 " + s)


# --------------------------------------------------------------------------
# fences and barriers

def fence():
    t = table("fence")
    sems = ["", "sc", "acq_rel", "acquire", "release", "relaxed", "weak", "volatile", "seq_cst", "mmio"]
    scopes = SCOPES + ["gl", "warp", "system", "cta.gpu", "sys.sys"]
    t.section("thread fence: semantics x scope")
    for sem, sc in P(sems, scopes):
        t.add(j("fence", sem, sc))
        t.add(j("fence", sc, sem))
    for a, b in itertools.permutations(sems[1:5], 2):
        t.add(j("fence", a, b, "gpu"))
    t.section("thread fence with a space, type or operand")
    for s in ["global", "shared", "shared::cta", "shared::cluster", "local", "generic", "u32", "b64", "aligned", "sync"]:
        t.add("fence.sc.gpu." + s)
        t.add("fence.acq_rel.cluster." + s)
        t.add("fence." + s + ".acq_rel.gpu")
    for s in ["[gx]", "%r1", "0", "[gx], 128"]:
        t.add("fence.acq_rel.gpu " + s)
    t.section("sync_restrict")
    for sem, r, sc in P(sems[:6], ["shared::cta", "shared::cluster", "shared", "global", "shared::cluster::read"], SCOPES):
        t.add(j("fence", sem, "sync_restrict::" + r, sc))
    t.orders("fence", ["acquire", "sync_restrict::shared::cluster", "cluster"], "")
    t.section("op_restrict")
    for sem, r, sc in P(sems[:6], ["mbarrier_init", "op_restrict", "op_restrict::mbarrier_init", "mbarrier_inval"], SCOPES):
        t.add(j("fence", r, sem, sc))
        t.add(j("fence", sem, r, sc))
    t.orders("fence", ["mbarrier_init", "release", "cluster"], "")
    t.section("bidirectional proxy fence")
    kinds = ["alias", "async", "async.global", "async.shared", "async.shared::cta", "async.shared::cluster", "async.local", "async.const",
             "async.shared::cta.global", "async.global.shared::cta", "generic", "tensormap", "texture", "surface", "constant", "async::generic",
             "tensormap::generic", "generic::tensormap", "generic::async", "alias::generic", "alias.global", "alias.async", "virtual", ""]
    for op, k, q in P(["fence.proxy", "membar.proxy"], kinds, ["", "sys", "gpu", "cta", "gl", "acq_rel.gpu", "sc.gpu", "acquire", "release"]):
        t.add(j(op, k, q))
        if q:
            t.add(j(op.split(".")[0], q, "proxy", k))
    for k in kinds[:3]:
        t.add("fence.proxy." + k + " [gx]")
        t.add("fence.proxy." + k + " [gx], 128")
    t.section("unidirectional proxy fence")
    for k, sem, sc in P(["tensormap::generic", "generic::tensormap", "async::generic", "alias::generic", "tensormap", "tensormap::async"],
                        sems[:6], SCOPES):
        for tail in ["", " [gx], 128"]:
            t.add(j("fence.proxy", k, sem, sc) + tail)
    for a, n in P(["[gx]", "[%rd1]", "[%r1]", "[sx]", "[gx+128]", "gx", "[4]"], ["128", "64", "256", "0", "%r1", "", "-128"]):
        t.add("fence.proxy.tensormap::generic.acquire.gpu " + a + (", " + n if n else ""))
    for sp in ["global", "shared::cta"]:
        t.add("fence.proxy.tensormap::generic.acquire.gpu." + sp + " [gx], 128")
        t.add("fence.proxy.tensormap::generic." + sp + ".acquire.gpu [gx], 128")
    t.orders("fence", ["proxy", "tensormap::generic", "release", "gpu"], "")
    t.orders("fence", ["proxy", "tensormap::generic", "acquire", "gpu"], "[gx], 128")
    for op, k, sem, r, sc in P(["fence.proxy"], ["async::generic", "tensormap::generic", "async"], ["", "acquire", "release", "acq_rel"],
                               ["shared::cta", "shared::cluster", "global", "shared::cluster::read", "shared::cta::read"], ["", "cta", "cluster", "gpu"]):
        t.add(j(op, k, sem, "sync_restrict::" + r, sc))
    t.orders("fence.proxy", ["async::generic", "release", "sync_restrict::shared::cta", "cluster"], "")
    t.section("membar")
    for q in ["", "cta", "gl", "sys", "gpu", "cluster", "warp", "sc.gl", "acq_rel.gl", "gl.sys", "cta.cta", "sc.sys", "sc.gpu", "sc.cta", "gl.sc", "gl.global"]:
        t.add(j("membar", q))
    t.add("membar.gl [gx]")
    t.section("predicate")
    for g, s in P(["@%p1", "@!%p1"], ["fence.sc.gpu", "membar.gl", "fence.proxy.alias", "fence.proxy.tensormap::generic.release.gpu"]):
        t.add(g + " " + s)


def barrier():
    t = table("bar")
    pre = ["bar", "bar.cta", "barrier", "barrier.cta", "bar.cluster", "barrier.gpu"]
    counts = ["", "32", "64", "33", "0", "31", "1024", "2048", "4096", "-32", "%r2", "%rd2", "%rs2", "%p2", "%f2"]
    ids = ["0", "1", "15", "16", "-1", "%r1", "%rd1", "%rs1", "%p1", "%f1", "_", "gx", ""]
    t.section("sync and arrive: id x count")
    for pr, act, al in P(pre[:4], ["sync", "arrive"], ["", "aligned"]):
        for i, c in P(ids, ["", "32", "64", "%r2"]):
            t.add(j(pr, act, al) + " " + i + (", " + c if c else ""))
        for c in counts:
            t.add(j(pr, act, al) + " 1" + (", " + c if c else ""))
    t.section("red: operation x type")
    for pr, al, o, ty in P(pre[:4], ["", "aligned"], ["popc", "and", "or", "xor", "add", ""], ["u32", "pred", "s32", "b32", "u64", ""]):
        d = "%p1" if ty == "pred" else "%rd1" if ty == "u64" else "%r1"
        t.add(j(pr, "red", o, al, ty) + " " + d + ", 1, %p2")
        t.add(j(pr, "red", o, al, ty) + " " + d + ", 1, 64, %p2")
    t.section("red: operands")
    for pr, (o, d) in P(["bar", "barrier"], [("popc.u32", "%r1"), ("and.pred", "%p1"), ("or.pred", "%p1")]):
        for a, b, c in P(["1", "16", "%r3", "%rd3"], ["", "64", "33", "%r2", "%rd2"], ["%p2", "!%p2", "%r2", "1", "_", "0", "!1"]):
            t.add("%s.red.%s %s, %s%s, %s" % (pr, o, d, a, ", " + b if b else "", c))
    for s in ["bar.red.popc.u32 _, 1, %p2", "bar.red.and.pred _, 1, %p2", "bar.red.popc.u32 %r1, 1", "bar.red.popc.u32 %r1, %p2", "bar.red.popc.u32 1, %p2",
              "bar.red.popc.u32 %p1, 1, %p2", "bar.red.and.pred %r1, 1, %p2", "bar.red.popc.u32 %rd1, 1, %p2", "bar.red.popc.u32 %r1, 1, 64, %p2, %p3"]:
        t.add(s)
        t.add("barrier" + s[3:])
    t.section("orders of qualifiers and other words")
    t.orders("barrier", ["cta", "sync", "aligned"], "0")
    t.orders("barrier", ["cta", "arrive", "aligned"], "0, 64")
    t.orders("barrier", ["cta", "red", "popc", "aligned", "u32"], "%r1, 0, %p1")
    t.orders("bar", ["red", "and", "pred"], "%p1, 0, %p2")
    for s in ["bar 0", "barrier 0", "bar", "bar.sync", "bar.arrive", "barrier.sync", "bar.wait 0", "barrier.cta 0", "bar.sync.all 0", "bar.sync.cta 0",
              "bar.cluster.sync 0", "barrier.gpu.sync 0", "bar.sync 0, 64, 32", "bar.sync.release 0", "barrier.sync.acquire 0", "bar.sync.gpu 0", "bar.sync.u32 0",
              "bar.arrive.u32 0, 64", "bar.sync {0}", "bar.sync [sx]", "bar.sync 0x1", "bar.sync 1+1", "bar.sync 0, 32+32", "bar.sync 1U", "bar.sync 1.0"]:
        t.add(s)
    for g, s in P(["@%p1", "@!%p1"], ["bar.sync 0", "barrier.sync 0", "bar.arrive 0, 64", "bar.red.popc.u32 %r1, 0, %p2"]):
        t.add(g + " " + s)
    t.section("bar.warp.sync")
    for pr, m in P(["bar.warp.sync", "barrier.warp.sync", "bar.warp.arrive", "bar.warp", "bar.warp.sync.aligned", "bar.warp.sync.b32", "bar.sync.warp", "bar.cta.warp.sync"],
                   ["0xffffffff", "1", "0", "-1", "%r1", "%rd1", "%rs1", "%p1", "%f1", "", "1, 2", "4294967295", "4294967296", "_"]):
        t.add(pr + " " + m)
    t.section("barrier.cluster")
    for pr, act, sem, al in P(["barrier.cluster", "bar.cluster"], ["arrive", "wait", "sync", "red", ""], ["", "release", "relaxed", "acquire", "acq_rel", "sc", "weak"], ["", "aligned"]):
        t.add(j(pr, act, sem, al))
        if sem and al:
            t.add(j(pr, act, al, sem))
    t.orders("barrier", ["cluster", "arrive", "release", "aligned"], "")
    t.orders("barrier", ["cluster", "wait", "acquire", "aligned"], "")
    for s in ["barrier.cluster.arrive 0", "barrier.cluster.wait 0", "barrier.cluster.arrive.release.cluster", "barrier.cluster.arrive %r1", "barrier.cluster.arrive.cta",
              "barrier.cluster.wait.acquire.cluster", "barrier.cluster.arrive.no_return", "@%p1 barrier.cluster.arrive", "@%p1 barrier.cluster.wait"]:
        t.add(s)


def mbarrier():
    t = table("mbarrier")
    spaces = ["", "shared", "shared::cta", "shared::cluster", "global"]
    sems = ["", "relaxed", "acquire", "release", "acq_rel", "sc", "weak"]
    scopes = SCOPES
    addrs = ["[sm]", "[%rd1]", "[%r1]", "[sm+8]", "[gm]", "[4]", "sm"]

    t.section("init, inval")
    for sp, ty, c in P(spaces, ["b64", "u64", "b32", ""], ["", "1", "%r1", "0", "1048575", "1048576", "-1", "%rd1", "%rs1"]):
        t.add(j("mbarrier.init", sp, ty) + " " + mvar(sp) + (", " + c if c else ""))
        t.add(j("mbarrier.inval", sp, ty) + " " + mvar(sp) + (", " + c if c else ""))
    for sem, sc in P(sems, scopes):
        t.add(j("mbarrier.init", sem, sc, "shared::cta.b64") + " [sm], 1")
        t.add(j("mbarrier.inval", sem, sc, "shared::cta.b64") + " [sm]")
    t.section("expect_tx, complete_tx")
    for o, sem, sc, sp in P(["expect_tx", "complete_tx"], sems, scopes, spaces):
        t.add(j("mbarrier", o, sem, sc, sp, "b64") + " " + mvar(sp) + ", 16")
        t.add(j("mbarrier", o, sem, sc, sp, "b64") + " " + mvar(sp) + ", %r1")
    for o, c, ty in P(["expect_tx", "complete_tx"], ["", "0", "1048575", "1048576", "-1", "-16", "%r1", "%rd1", "%rs1", "16, 1"], ["b64", "u64", "b32", ""]):
        t.add(j("mbarrier", o, "relaxed.cta.shared::cta", ty) + " [sm]" + (", " + c if c else ""))
    t.section("arrive, arrive_drop: variant x semantics x scope x space x destination")
    for o, var_, sem, sc, sp, d in P(["arrive", "arrive_drop"], ["", "expect_tx", "noComplete"], sems[:5], scopes, spaces[:4], ["%rd2", "_"]):
        t.add(j("mbarrier", o, var_, sem, sc, sp, "b64") + " " + d + ", " + mvar(sp) + (", 1" if var_ else ""))
    t.section("arrive, arrive_drop: operands")
    for o, var_, sp, d, c in P(["arrive", "arrive_drop"], ["", "expect_tx", "noComplete"], ["", "shared::cta", "shared::cluster"],
                               ["%rd2", "_", "", "%r2", "%p1"], ["", "1", "%r1", "%rd1", "0", "-1", "1048576", "1, 1"]):
        t.add(j("mbarrier", o, var_, sp, "b64") + " " + (d + ", " if d else "") + mvar(sp) + (", " + c if c else ""))
    for o, ty in P(["arrive", "arrive_drop", "arrive.expect_tx", "arrive.noComplete"], ["", "u64", "b32", "s64", "b128"]):
        t.add(j("mbarrier", o, "shared", ty) + " %rd2, [sm], 1")
    for o, sp in P(["arrive", "arrive_drop"], ["global", "local", "const", "param"]):
        t.add(j("mbarrier", o, sp, "b64") + " %rd2, " + var(sp))
        t.add(j("mbarrier", o, "release.cluster", sp, "b64") + " _, " + var(sp))
    for o, v in P(["arrive", "arrive_drop"], ["expect_tx.noComplete", "noComplete.expect_tx", "nocomplete", "NoComplete", "expect_tx.expect_tx", "complete_tx", "noinc"]):
        t.add(j("mbarrier", o, v, "shared.b64") + " %rd2, [sm], 1")
    t.section("test_wait, try_wait: parity x semantics x scope x space")
    for o, par, sem, sc, sp in P(["test_wait", "try_wait"], ["", "parity"], sems, scopes, spaces):
        t.add(j("mbarrier", o, par, sem, sc, sp, "b64") + " %p1, " + mvar(sp) + ", " + ("%r1" if par else "%rd2"))
    t.section("test_wait, try_wait: operands")
    for o, par, d, s, h in P(["test_wait", "try_wait"], ["", "parity"], ["%p1", "_", "%r1", ""], ["%rd2", "%r2", "0", "1", "2", "-1", "%rs1", "%p2", ""],
                             ["", "%r3", "1000", "%rd3"]):
        if h and d != "%p1":
            continue
        t.add(j("mbarrier", o, par, "shared.b64") + " " + ", ".join(x for x in [d, "[sm]", s, h] if x))
    for o, par, ty in P(["test_wait", "try_wait"], ["", "parity"], ["", "u64", "b32", "b128"]):
        t.add(j("mbarrier", o, par, "shared", ty) + " %p1, [sm], " + ("%r1" if par else "%rd2"))
    for o, sp in P(["test_wait", "try_wait"], ["local", "const", "param"]):
        t.add(j("mbarrier", o, sp, "b64") + " %p1, " + var(sp) + ", %rd2")
    for o in ["test_wait.suspend", "potentially_blocking_try_wait", "wait", "try_wait.parity.parity", "test_wait.phase", "arrive_wait", "noComplete", "arrive.parity", "commit"]:
        t.add("mbarrier." + o + ".shared.b64 %p1, [sm], %rd2")
    t.section("pending_count")
    for q, d, s in P(["b64", "", "u64", "b32", "shared.b64", "relaxed.b64", "cta.b64"], ["%r1", "%rd1", "_", "%rs1"], ["%rd2", "%r2", "1", "[sm]"]):
        t.add(j("mbarrier.pending_count", q) + " " + d + ", " + s)
    t.section("addresses")
    for a in addrs:
        for sp in ["", ".shared", ".shared::cta", ".shared::cluster"]:
            t.add("mbarrier.init%s.b64 %s, 1" % (sp, a))
            t.add("mbarrier.inval%s.b64 %s" % (sp, a))
            t.add("mbarrier.expect_tx.relaxed.cta%s.b64 %s, 16" % (sp, a))
            t.add("mbarrier.arrive.release.cta%s.b64 _, %s" % (sp, a))
            t.add("mbarrier.try_wait.parity.acquire.cta%s.b64 %%p1, %s, 0" % (sp, a))
    t.section("orders of qualifiers")
    t.orders("mbarrier", ["try_wait", "parity", "acquire", "cta", "b64"], "%p1, [%rd1], %r1")
    t.orders("mbarrier.try_wait", ["acquire", "cluster", "shared::cta", "b64"], "%p1, [sm], %rd2")
    t.orders("mbarrier.arrive", ["expect_tx", "release", "cluster", "b64"], "_, [%rd1], 16")
    t.orders("mbarrier.arrive", ["expect_tx", "shared::cluster", "release", "cluster", "b64"], "_, [sm], 16")
    t.orders("mbarrier.arrive_drop", ["expect_tx", "shared::cta", "release", "cta", "b64"], "%rd1, [sm], 16")
    t.orders("mbarrier.arrive", ["noComplete", "release", "cta", "shared", "b64"], "%rd1, [sm], 1")
    t.orders("mbarrier", ["expect_tx", "relaxed", "cta", "shared", "b64"], "[sm], 16")
    t.orders("mbarrier", ["init", "shared::cta", "b64"], "[sm], 1")
    for g in ["@%p2", "@!%p2"]:
        t.add(g + " mbarrier.try_wait.shared.b64 %p1, [sm], %rd2")
        t.add(g + " mbarrier.init.shared.b64 [sm], 1")


def misc_memory():
    t = table("misc_memory")
    t.section("griddepcontrol")
    for q in ["wait", "launch_dependents", "", "arrive", "wait.wait", "wait.launch_dependents", "wait.gpu", "wait.acquire", "wait.aligned", "launch"]:
        t.add(j("griddepcontrol", q))
        t.add("@%p1 " + j("griddepcontrol", q))
    t.add("griddepcontrol.wait 0")
    t.section("discard")
    for sp, lv, ty in P(["", "global", "shared", "local", "const", "shared::cta"], ["L2", "L1", "", "L2::evict_normal"], ["", "b32"]):
        t.add(j("discard", sp, lv, ty) + " " + var(sp) + ", 128")
    for a, n in P(["[gx]", "[%rd1]", "[%r1]", "[sx]", "[gx+128]", "gx"], ["128", "64", "256", "0", "%r1", "", "-128", "128, 128"]):
        t.add("discard.global.L2 " + a + (", " + n if n else ""))
    for q in ["relaxed.gpu", "weak", "gpu"]:
        t.add("discard." + q + ".global.L2 [gx], 128")
    t.orders("discard", ["global", "L2"], "[gx], 128")
    t.section("prefetch, prefetchu, applypriority")
    for sp, lv in P(["", "global", "local", "shared", "const", "param"], ["L1", "L2", "L2::evict_last", "L2::evict_normal", "L3", ""]):
        t.add(j("prefetch", sp, lv) + " " + var(sp))
        t.add(j("prefetchu", sp, lv) + " " + var(sp))
        t.add(j("applypriority", sp, lv) + " " + var(sp) + ", 128")
    t.section("st.bulk")
    for sem, sc, sp in P(["", "weak", "relaxed", "release", "volatile", "async"], ["", "cta", "gpu"], ["", "shared::cta", "shared", "shared::cluster", "global", "local"]):
        t.add(j("st.bulk", sem, sc, sp) + " [%rd1], 64, 0")  # a name as the address is never accepted
    for a, n, v in P(["[%rd1]", "[%rd1+8]", "[%r1]", "[sx]", "[gx]"], ["64", "4", "0", "%rd2", "%r2", "%rs2", "", "-8"], ["0", "1", "%r1", "%rd1", ""]):
        t.add("st.bulk.weak.shared::cta " + ", ".join(x for x in [a, n, v] if x))
    for s in ["st.bulk.u32 [%rd1], 64, 0", "st.bulk.b64 [%rd1], 64, 0", "st.weak.bulk.shared::cta [%rd1], 64, 0", "st.bulk.shared::cta.weak [%rd1], 64, 0", "st.shared::cta.bulk [%rd1], 64, 0",
              "st.shared.bulk.weak [%rd1], 64, 0", "@%p1 st.bulk [%rd1], 64, 0", "st.bulk.bulk [%rd1], 64, 0", "st.bulk [%rd1], 64, 0, 0"]:
        t.add(s)
    t.section("mapa")
    for sp, ty, a, b in P(["", "shared::cluster", "shared", "shared::cta", "global"], ["u32", "u64", "b32", "b64", "s32", "u16", ""],
                          ["%r2", "%rd2", "sx", "sx+4", "gx", "[sx]"], ["%r3", "0", "%rd3"]):
        d = "%rs1" if ty == "u16" else "%rd1" if "64" in ty else "%r1"
        t.add(j("mapa", sp, ty) + " %s, %s, %s" % (d, a, b))
    t.section("getctarank")
    for sp, ty, a in P(["", "shared::cluster", "shared", "shared::cta", "global"], ["u32", "u64", "b32", "s32", ""], ["%r2", "%rd2", "sx", "sx+4", "gx", "[sx]", "4"]):
        for d in ["%r1", "%rd1"]:
            t.add(j("getctarank", sp, ty) + " %s, %s" % (d, a))
    t.section("cvta")
    for to, sp, ty in P(["", "to"], ["", "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func"], ["u64", "u32", "b64", ""]):
        v = {"": "gx", "param::func": "fx"}.get(sp) or var(sp)[1:-1]
        d = "%r1" if "32" in ty else "%rd1"
        for a in ["%r2", "%rd2", v, v + "+4", "4", "[" + v + "]"]:
            t.add(j("cvta", to, sp, ty) + " " + d + ", " + a)
    t.section("isspacep")
    for sp, a, d in P(["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func", "generic", "", "reg"],
                      ["%rd1", "%r1", "gx", "4", "[%rd1]", "%f1"], ["%p1", "%r1", "_"]):
        t.add(j("isspacep", sp) + " " + d + ", " + a)
    for s in ["isspacep.global.u64 %p1, %rd1", "isspacep.global.b64 %p1, %rd1", "isspacep.global.pred %p1, %rd1", "isspacep.global.u32 %p1, %r1"]:
        t.add(s)
    t.section("nanosleep")
    for q, a in P(["u32", "b32", "u64", "s32", ""], ["%r1", "100", "0", "1000000", "1000001", "-1", "%rd1", "%rs1", "%f1", "", "1, 2"]):
        t.add(j("nanosleep", q) + " " + a)


# --------------------------------------------------------------------------
# Register instructions

def shapes(ty, n, d=None, kinds=("r", "i")):
    """Operand lists: destination, then n sources, each a register or immediate."""
    out = []
    for ks in P(kinds, repeat=n):
        out.append(", ".join([d or reg(ty)] + [reg(ty, k + 2) if x == "r" else imm(ty) for k, x in enumerate(ks)]))
    return out


def alu():
    t = table("alu")
    for o in ["add", "sub"]:
        t.section(o)
        for m, ty in P(["", "sat", "cc", "wrap", "lo", "rn", "ftz"], ALU):
            t.add(j(o, m, ty) + " " + shapes(ty, 2, kinds="r")[0])
        for m, ty in P(["", "sat"], INTS + ["f32"]):
            for s in shapes(ty, 2):
                t.add(j(o, m, ty) + " " + s)
        t.orders(o, ["sat", "s32"], "%r1, %r2, %r3")
    t.section("mul")
    wide = {"u16": "u32", "s16": "u32", "u32": "u64", "s32": "u64", "b16": "u32", "b32": "u64", "u64": "b128", "s64": "b128", "b64": "b128", "u8": "u16", "s8": "u16", "b8": "u16"}
    for m, ty in P(["", "lo", "hi", "wide", "rn", "lo.sat", "hi.sat", "lo.cc", "lo.hi", "sat"], ALU):
        d = reg(wide[ty]) if m == "wide" and ty in wide else None
        for s in shapes(ty, 2, d) if ty in INTS and m in ("lo", "hi", "wide") else shapes(ty, 2, d, "r"):
            t.add(j("mul", m, ty) + " " + s)
    t.orders("mul", ["lo", "u32"], "%r1, %r2, %r3")
    for ty in ["u16", "u32", "s32"]:
        t.add("mul.wide." + ty + " " + ", ".join(reg(ty, i) for i in (1, 2, 3)))
    t.section("mad")
    for m, ty in P(["", "lo", "hi", "wide", "rn", "lo.sat", "hi.sat", "wide.sat", "lo.cc", "hi.cc", "wide.cc", "sat"], ALU):
        w = wide.get(ty) if m.startswith("wide") else None
        t.add(j("mad", m, ty) + " " + ", ".join([reg(w or ty, 1), reg(ty, 2), reg(ty, 3), reg(w or ty, 4)]))
    for m, ty, k in P(["lo", "hi"], ["u32", "s64"], range(8)):
        t.add(j("mad", m, ty) + " " + shapes(ty, 3)[k])
    for o in ["div", "rem", "and", "or", "xor", "min", "max"]:
        t.section(o)
        for m, ty in P(["", "sat", "rn", "approx", "full", "relu", "NaN", "cc", "lo"], ALU):
            if m in ("sat", "cc", "lo") and ty not in ("u32", "s32", "b32", "f32", "f16"):
                continue
            for s in shapes(ty, 2) if not m and ty in INTS else shapes(ty, 2, kinds="r"):
                t.add(j(o, m, ty) + " " + s)
    t.section("min, max: packed and relu")
    for o, m, ty in P(["min", "max"], ["", "relu"], ["s16x2", "u16x2", "s8x4", "u8x4", "s32", "u32", "s16", "u16", "s64", "u64", "b32"]):
        t.add(j(o, m, ty) + " " + shapes(ty, 2, kinds="r")[0])
        t.add(j(o, ty, m) + " " + shapes(ty, 2, kinds="r")[0])
    for o in ["not", "cnot", "neg", "abs", "popc", "clz", "brev"]:
        t.section(o)
        for m, ty in P(["", "sat", "ftz"], ALU):
            for s in shapes(ty, 1) if not m else shapes(ty, 1, kinds="r"):
                t.add(j(o, m, ty) + " " + s)
            if o in ("popc", "clz"):
                t.add(j(o, m, ty) + " %r1, " + reg(ty, 2))
    t.section("shl, shr: the shift amount is 32 bits wide")
    for o, ty, m in P(["shl", "shr"], ALU, ["", "wrap", "clamp"]):
        for a, s in P([reg(ty, 2), imm(ty)], ["%r3", "5", "64", "-1"]):
            if m and s != "%r3":
                continue
            t.add(j(o, m, ty) + " " + reg(ty) + ", " + a + ", " + s)
        if not m:
            t.add(j(o, ty) + " " + ", ".join(reg(ty, i) for i in (1, 2, 3)))
    t.section("operand classes that do not follow the type")
    for o, ty, d, a, b in P(["add", "and", "shl", "min"], ["s32", "b32"], ["%r1", "%rd1", "%rs1", "%f1", "%p1", "_", "1"], ["%r2", "%rd2", "%rs2", "%f2"], ["%r3"]):
        t.add(j(o, ty) + " " + ", ".join([d, a, b]))
    for o, ty in P(["add", "sub", "mul.lo"], ["u64", "s64", "u16"]):
        for r in ["%r1, %r2, %r3", "%rd1, %r2, %r3", "%rs1, %rs2, %rs3", "%fd1, %rd2, %rd3"]:
            t.add(j(o, ty) + " " + r)
    t.section("immediates")
    for ty, v in P(["u32", "s32", "u64", "s64", "u16", "s16"], ["-1", "0x80000000", "4294967295", "4294967296", "0x10000", "65536", "0xFFFFFFFFFFFFFFFF", "18446744073709551616",
                                                                  "1U", "0b101", "017", "0x1U", "-0x1", "1+2", "(1+2)*3", "~1", "!1", "1?2:3", "0f3F800000", "1.0", "'a'", "gx"]):
        t.add("add.%s %s, %s, %s" % (ty, reg(ty), reg(ty, 2), v))
    t.section("operand count")
    for s in ["add.s32", "add.s32 %r1", "add.s32 %r1, %r2", "add.s32 %r1, %r2, %r3, %r4", "add %r1, %r2, %r3", "add.s32.s32 %r1, %r2, %r3", "add.u32.s32 %r1, %r2, %r3",
              "mad.lo.u32 %r1, %r2, %r3", "not.b32 %r1", "not.b32 %r1, %r2, %r3", "shl.b32 %r1, %r2", "neg.s32 %r1", "@%p1 add.s32 %r1, %r2, %r3", "@!%p1 add.s32 %r1, %r2, %r3",
              "add.s32 %r1 , %r2 , %r3", "add.s32 %r1, [gx], %r2", "add.s32 _, %r1, %r2", "add.s32 %r1, %r2, -%r3", "add.s32 %r1, %tid.x, %r2", "add.u32 %r1, %r2, %tid.x",
              "add.u64 %rd1, %rd2, gx", "add.u64 %rd1, gx, 4", "add.u32 %r1, %r2, WARP_SZ"]:
        t.add(s)
    t.section("selp, slct")
    for ty in ALU:
        for a, b, p in P([reg(ty, 2), imm(ty)], [reg(ty, 3), imm(ty)], ["%p1"]):
            t.add("selp.%s %s, %s, %s, %s" % (ty, reg(ty), a, b, p))
        t.add("slct.%s.s32 %s, %s, %s, %%r1" % (ty, reg(ty), reg(ty, 2), reg(ty, 3)))
    for p in ["!%p1", "%r1", "1", "0", "_"]:
        t.add("selp.b32 %r1, %r2, %r3, " + p)
    t.section("setp: comparison x type")
    cmps = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split()
    for c, ty in P(cmps + ["foo"], ALU):
        t.add("setp.%s.%s %%p1, %s, %s" % (c, ty, reg(ty, 2), reg(ty, 3)))
    t.section("setp: operands and combination")
    for ty, d, a, b in P(["u32", "s32", "b32", "u64", "u16"], ["%p1", "%p1|%p2", "_|%p2", "%p1|_", "_", "%r1"], ["r", "i"], ["r", "i"]):
        t.add("setp.eq.%s %s, %s, %s" % (ty, d, reg(ty, 2) if a == "r" else "1", reg(ty, 3) if b == "r" else "1"))
    for c, bo, d, p in P(["eq", "lt"], ["and", "or", "xor", "not", "nand"], ["%p1", "%p1|%p2"], ["%p3", "!%p3", "", "%r3", "1"]):
        t.add("setp.%s.%s.s32 %s, %%r1, %%r2%s" % (c, bo, d, ", " + p if p else ""))
        t.add("setp.%s.s32.%s %s, %%r1, %%r2%s" % (c, bo, d, ", " + p if p else ""))
    for s in ["setp.eq.s32 %p1, %r1, %r2, %p3", "setp.s32 %p1, %r1, %r2", "setp.eq %p1, %r1, %r2", "setp.s32.eq %p1, %r1, %r2", "setp.eq.ne.s32 %p1, %r1, %r2",
              "setp.eq.ftz.s32 %p1, %r1, %r2", "setp.eq.s32 !%p1, %r1, %r2", "setp.eq.s32 %p1, %r1", "@%p1 setp.eq.s32 %p2, %r1, %r2", "setp.eq.pred %p1, %p2, 1"]:
        t.add(s)
    t.section("set: destination type x comparison x source type")
    for dt, c, ty in P(["u32", "s32", "f32", "b32", "u16", "u64", "f16", "pred"], ["eq", "lo"], ALU):
        t.add("set.%s.%s.%s %s, %s, %s" % (c, dt, ty, reg(dt), reg(ty, 2), reg(ty, 3)))
    for bo, p in P(["and", "or", "xor"], ["%p1", "!%p1", "", "1"]):
        t.add("set.eq.%s.u32.s32 %%r1, %%r2, %%r3%s" % (bo, ", " + p if p else ""))
    for c in cmps:
        t.add("set.%s.u32.u32 %%r1, %%r2, %%r3" % c)
        t.add("set.%s.u32.b32 %%r1, %%r2, %%r3" % c)
    t.section("predicate operations")
    for o in ["and", "or", "xor", "not", "mov"]:
        n = 1 if o in ("not", "mov") else 2
        for srcs in P(["%p2", "!%p2", "1", "0", "-1", "2", "%r2"], repeat=n):
            t.add("%s.pred %%p1, %s" % (o, ", ".join(srcs)))


def integer():
    t = table("integer")
    odd = ["_", "1", "%p1", "%f1", "%rd1", "%rs1", "gx", "%tid.x", "[gx]"]
    t.section("popc, clz, bfind: 32 bits whatever the type")
    for o, m, ty in P(["popc", "clz", "bfind"], ["", "shiftamt", "sat"], ALU + [""]):
        for d, a in P(["%r1", "%rd1"], [reg(ty, 2) if ty else "%r2", "5"]):
            t.add(j(o, m, ty) + " " + d + ", " + a)
    t.orders("bfind", ["shiftamt", "s32"], "%r1, %r2")
    t.section("brev")
    for ty, a in P(ALU + [""], ["r", "i"]):
        t.add(j("brev", ty) + " " + ", ".join([reg(ty) if ty else "%r1", "5" if a == "i" else reg(ty, 2) if ty else "%r2"]))
    t.section("bfe: position and length are 32 bits wide")
    for ty, b, c in P(ALU + [""], ["%r3", "5", "256", "-1", "%rd3"], ["%r4", "8", "%rd4"]):
        t.add(j("bfe", ty) + " " + ", ".join([reg(ty), reg(ty, 2)] if ty else ["%r1", "%r2"]) + ", %s, %s" % (b, c))
    for ty, a in P(["u32", "s64"], ["5", "gx", "%p1", "%f1", "%fd1"]):
        t.add("bfe.%s %s, %s, 1, 2" % (ty, reg(ty), a))
    t.section("bfi")
    for ty, c, d in P(ALU + [""], ["%r4", "5", "256", "-1", "%rd4"], ["%r5", "8", "%rd5"]):
        t.add(j("bfi", ty) + " " + ", ".join(reg(ty or "b32", i) for i in (1, 2, 3)) + ", %s, %s" % (c, d))
    for ty, k in P(["b32", "b64"], range(4)):
        t.add("bfi." + ty + " " + shapes(ty, 2)[k] + ", 3, 4")
    t.section("prmt")
    for m, ty in P(["", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16", "rc32", "wrap"], ["b32", "u32", "s32", "b64", "b16", ""]):
        t.add(j("prmt", ty, m) + " %r1, %r2, %r3, %r4")
        t.add(j("prmt", ty, m) + " %r1, %r2, %r3, 0x7531")
        t.add(j("prmt", m, ty) + " %r1, %r2, %r3, %r4")
    for k in range(8):
        t.add("prmt.b32 " + shapes("b32", 3)[k])
    for c in ["0x12345", "-1", "%rd4", "%rs4", "0x7531U"]:
        t.add("prmt.b32 %r1, %r2, %r3, " + c)
    t.twice("prmt", ["b32", "f4e"], "%r1, %r2, %r3, %r4")
    t.section("shf")
    for d, m, ty in P(["l", "r", "", "left"], ["clamp", "wrap", "", "sat"], ["b32", "u32", "s32", "b64", "b16", ""]):
        t.add(j("shf", d, m, ty) + " %r1, %r2, %r3, %r4")
    for d, m, k in P(["l", "r"], ["clamp", "wrap"], range(8)):
        t.add(j("shf", d, m, "b32") + " " + shapes("b32", 3)[k])
    for c in ["32", "33", "-1", "%rd4", "%rs4"]:
        t.add("shf.l.wrap.b32 %r1, %r2, %r3, " + c)
    t.orders("shf", ["l", "wrap", "b32"], "%r1, %r2, %r3, %r4")
    t.section("lop3")
    for ty, l in P(["b32", "u32", "s32", "b64", "b16", "pred", ""], ["0", "0x96", "255", "256", "-1", "%r5", "0xe8U", "1.0", ""]):
        t.add(j("lop3", ty) + " " + ", ".join(reg(ty or "b32", i) for i in (1, 2, 3, 4)) + (", " + l if l else ""))
    for k in range(8):
        t.add("lop3.b32 " + shapes("b32", 3)[k] + ", 0x96")
    for b, d, q in P(["and", "or", "xor", "not"], ["%r1|%p1", "_|%p1", "%r1|_", "%r1", "%p1", "_|_"], ["%p2", "!%p2", "%r2", "1", "0", ""]):
        t.add("lop3." + b + ".b32 " + d + ", %r2, %r3, %r4, 0x96" + (", " + q if q else ""))
        t.add("lop3.b32." + b + " " + d + ", %r2, %r3, %r4, 0x96" + (", " + q if q else ""))
    t.add("lop3.b32 %r1|%p1, %r2, %r3, %r4, 0x96")
    t.add("lop3.b32 %r1|%p1, %r2, %r3, %r4, 0x96, %p2")
    t.add("lop3.b32 _, %r2, %r3, %r4, 0x96")
    for l in ["256", "-1", "%r5"]:
        t.add("lop3.and.b32 %r1|%p1, %r2, %r3, %r4, " + l + ", %p2")
    t.section("sad")
    for m, ty in P(["", "sat", "cc"], ALU + [""]):
        t.add(j("sad", m, ty) + " " + ", ".join(reg(ty or "u32", i) for i in (1, 2, 3, 4)))
    for ty, k in P(["u32", "s32", "u64", "s16"], range(8)):
        t.add("sad." + ty + " " + shapes(ty, 3)[k])
    t.section("slct")
    for ty, ct, m in P(ALU + [""], ["s32", "f32", "u32", "b32", "s64", "f64", ""], ["", "ftz"]):
        c = reg(ct, 4) if ct else "%r4"
        t.add(j("slct", m, ty, ct) + " " + ", ".join(reg(ty or "b32", i) for i in (1, 2, 3)) + ", " + c)
    for ty, k in P(["b32", "u64", "s16", "f32", "f64"], range(4)):
        t.add("slct." + ty + ".s32 " + shapes(ty, 2)[k] + ", %r4")
        t.add("slct." + ty + ".f32 " + shapes(ty, 2)[k] + ", %f4")
    for c in ["1", "-1", "%rd4", "%f4", "%p4", "0f3F800000", "1.0"]:
        t.add("slct.b32.s32 %r1, %r2, %r3, " + c)
        t.add("slct.b32.f32 %r1, %r2, %r3, " + c)
    t.add("slct.b32.f32 %r1, %r2, %r3, %r4")
    t.orders("slct", ["ftz", "b32", "f32"], "%r1, %r2, %r3, %f4")
    t.section("mul24, mad24")
    for o, m, s, ty in P(["mul24", "mad24"], ["lo", "hi", "wide", ""], ["", "sat"], ["u32", "s32", "b32", "u16", "s16", "u64", "s64", "f32", ""]):
        t.add(j(o, m, s, ty) + " " + ", ".join(reg(ty or "u32", i) for i in range(1, 4 if o == "mul24" else 5)))
        t.add(j(o, s, m, ty) + " " + ", ".join(reg(ty or "u32", i) for i in range(1, 4 if o == "mul24" else 5)))
    for k in range(8):
        t.add("mad24.lo.u32 " + shapes("u32", 3)[k])
        t.add("mul24.hi.s32 " + shapes("u32", 2)[k % 4])
    t.section("dp4a, dp2a")
    for o, m, x, y in P(["dp4a", "dp2a"], ["", "lo", "hi", "wide"], ["u32", "s32", "b32", "u8", ""], ["u32", "s32", "b32", ""]):
        t.add(j(o, m, x, y) + " %r1, %r2, %r3, %r4")
        t.add(j(o, x, y, m) + " %r1, %r2, %r3, %r4")
    for k in range(8):
        t.add("dp4a.u32.s32 " + shapes("u32", 3)[k])
        t.add("dp2a.lo.s32.u32 " + shapes("u32", 3)[k])
    t.section("szext, bmsk")
    for o, m, ty in P(["szext", "bmsk"], ["clamp", "wrap", "", "sat"], ["u32", "s32", "b32", "u64", "s64", "b64", "u16", ""]):
        t.add(j(o, m, ty) + " " + ", ".join(reg(ty or "b32", i) for i in (1, 2, 3)))
        t.add(j(o, ty, m) + " " + ", ".join(reg(ty or "b32", i) for i in (1, 2, 3)))
    for k in range(4):
        t.add("szext.wrap.s32 " + shapes("u32", 2)[k])
        t.add("bmsk.clamp.b32 " + shapes("u32", 2)[k])
    t.section("fns")
    for ty, a, b, c in P(["b32", "u32", "b64", ""], ["%r2", "5"], ["%r3", "3", "32"], ["%r4", "-1"]):
        t.add(j("fns", ty) + " %%r1, %s, %s, %s" % (a, b, c))
    t.section("saturating, and clamped to zero")
    for o, ty in P(["add", "sub", "mul.lo", "mad.lo", "mad.hi", "mad.wide", "mad24.hi", "min", "max"], ["s32", "u32", "s16", "u16", "s64", "u64", "s16x2", "u16x2", "s8x4", "u8x4", "b32"]):
        n = 4 if o.startswith("mad") else 3
        d = reg({"s32": "b64", "u32": "b64", "s16": "b32", "u16": "b32"}.get(ty, ty) if o == "mad.wide" else ty)
        x = d.replace("1", "4") if o == "mad.wide" else reg(ty, 4)
        t.add(o + "." + ty + " " + ", ".join(([d, reg(ty, 2), reg(ty, 3), x])[:n]))
        for m in ["sat", "relu"]:
            t.add(o + "." + m + "." + ty + " " + ", ".join(([d, reg(ty, 2), reg(ty, 3), x])[:n]))
            t.add(o + "." + ty + "." + m + " " + ", ".join(([d, reg(ty, 2), reg(ty, 3), x])[:n]))
    for o, k in P(["add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s16x2", "add.u16x2", "min.s16x2", "sub.u8x4"], range(4)):
        t.add(o + " " + shapes("s32", 2)[k])
    for k in range(8):
        t.add("mad.hi.sat.s32 " + shapes("s32", 3)[k])
    t.section("carry")
    for o, m, ty in P(["add", "addc", "sub", "subc"], ["", "cc"], ["u32", "s32", "u64", "s64", "b32", "b64", "u16", "s16", "f32", ""]):
        t.add(j(o, m, ty) + " " + ", ".join(reg(ty or "u32", i) for i in (1, 2, 3)))
        t.add(j(o, ty, m) + " " + ", ".join(reg(ty or "u32", i) for i in (1, 2, 3)))
    for o, h, m, ty in P(["mad", "madc"], ["lo", "hi", "wide", ""], ["", "cc"], ["u32", "s32", "u64", "s64", "b32", "u16", ""]):
        t.add(j(o, h, m, ty) + " " + ", ".join(reg(ty or "u32", i) for i in (1, 2, 3, 4)))
        t.add(j(o, m, h, ty) + " " + ", ".join(reg(ty or "u32", i) for i in (1, 2, 3, 4)))
    for o, k in P(["add.cc.u32", "addc.u32", "addc.cc.u32", "sub.cc.s32", "subc.s32", "add.cc.u64", "addc.cc.u64"], range(4)):
        t.add(o + " " + shapes(o.split(".")[-1], 2)[k])
    for o, k in P(["mad.lo.cc.u32", "madc.hi.u32", "madc.lo.cc.u64"], range(8)):
        t.add(o + " " + shapes(o.split(".")[-1], 3)[k])
    t.add("addc.sat.s32 %r1, %r2, %r3")
    t.add("add.cc.sat.s32 %r1, %r2, %r3")
    t.section("operand classes")
    for o, n in [("popc.b32", 1), ("clz.b32", 1), ("bfind.u32", 1), ("brev.b32", 1), ("bfe.u32", 3), ("bfi.b32", 4), ("prmt.b32", 3), ("shf.l.wrap.b32", 3), ("sad.u32", 3), ("slct.b32.s32", 3),
                 ("mul24.lo.u32", 2), ("mad24.lo.u32", 3), ("dp4a.u32.u32", 3), ("dp2a.lo.u32.u32", 3), ("szext.wrap.u32", 2), ("bmsk.wrap.b32", 2), ("add.sat.s32", 2), ("addc.u32", 2), ("add.u16x2", 2), ("add.u8x4", 2), ("neg.s8x4", 1)]:
        good = ["%%r%d" % i for i in range(1, n + 2)]
        t.add(o + " " + ", ".join(good[:-1]))
        t.add(o + " " + ", ".join(good + ["%r9"]))
        t.add("@%p1 " + o + " " + ", ".join(good))
        for i, x in P(range(n + 1), odd):
            t.add(o + " " + ", ".join(good[:i] + [x] + good[i + 1:]))
        # Typed registers of the width.
        for i, x in P(range(n + 1), ["%u1", "%s1"]):
            t.add(o + " " + ", ".join(good[:i] + [x] + good[i + 1:]))
    t.section("cvt.pack")
    for c, ab, x in P(["u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16", "u32", "b8"], ["s32", "u32", ""], ["", "b32", "u32"]):
        t.add(j("cvt.pack.sat", c, ab, x) + " %r1, %r2, %r3" + (", %r4" if x else ""))
        t.add(j("cvt.pack", c, ab, x) + " %r1, %r2, %r3" + (", %r4" if x else ""))
    for k in range(8):
        t.add("cvt.pack.sat.u8.s32.b32 " + shapes("s32", 3)[k])


def cvt():
    t = table("cvt")
    ty = [x for x in ALU if "x2" not in x]
    t.section("destination x source type")
    for m, d, s in P(["", "sat", "rn", "rni", "rzi", "rz", "ftz", "rn.sat", "rzi.sat"], ty, ty):
        if m in ("ftz", "rn.sat", "rzi.sat", "rz") and not (d[0] in "f" or s[0] in "f"):
            continue
        t.add(j("cvt", m, d, s) + " " + reg(d) + ", " + reg(s, 2))
        if 8 in (BITS[d], BITS[s]) and m in ("", "sat", "rn", "rzi"):
            t.add(j("cvt", m, d, s) + " " + reg("e4m3" if BITS[d] == 8 else d) + ", " + reg("e4m3" if BITS[s] == 8 else s, 2))
    t.section("operand classes")
    for d, s, rd, rs_ in P(["u8", "u16", "u32", "u64", "s8", "s32", "b32"], ["u8", "s16", "u32", "u64", "b32"], ["%rs1", "%r1", "%rd1"], ["%rs2", "%r2", "%rd2", "1"]):
        t.add(j("cvt", d, s) + " " + rd + ", " + rs_)
    for s in ["cvt.u32 %r1, %r2", "cvt %r1, %r2", "cvt.u32.u32.u32 %r1, %r2", "cvt.u32.u32 _, %r2", "cvt.u32.u32 %r1", "cvt.u64.u32 %rd1, gx", "cvt.u32.u32 %r1, %tid.x",
              "cvt.u32.sat.s32 %r1, %r2", "cvt.u64.sat.u32 %rd1, %r2", "cvt.u32.u64.sat %r1, %rd2", "cvt.pack.sat.u16.s32 %r1, %r2, %r3", "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4"]:
        t.add(s)


def mov():
    t = table("mov")
    t.section("type x operand")
    for ty in ALU:
        for s in [reg(ty, 2), imm(ty), "-1", "gx", "sx", "cx", "lx", "px", "fx", "gx+4", "LEND", "k", "%tid.x", "%clock64", "_", "[gx]", "%r2", "%rd2", "%rs2", "%f2", "%p2", "WARP_SZ"]:
            t.add("mov.%s %s, %s" % (ty, reg(ty), s))
    t.section("destination")
    for ty, d in P(["u32", "b32", "u64", "b64", "f32", "pred"], ["%r1", "%rd1", "%rs1", "%f1", "%fd1", "%p1", "_", "1", "%tid.x"]):
        t.add("mov.%s %s, %s" % (ty, d, d if d[0] == "%" else "%r2"))
    t.section("generic address of a variable")
    for ty, s in P(["u32", "u64", "b64", "s64", "b32"], ["generic(gx)", "generic(sx)", "generic(cx)", "generic(lx)", "mask(gx)", "gx[4]", "gx[%r1]", "gx[%r1+1]", "sx[%r1]", "gx[%f1]", "gx+-4", "gx-4", "sx+8", "gx+gx", "nosuch", "gx+%rd1"]):
        t.add("mov.%s %s, %s" % (ty, reg(ty), s))
    t.section("pack and unpack")
    for ty, (n, e) in P(["b8", "b16", "b32", "b64", "b128", "u32", "u64", "f64"], [(1, "b32"), (2, "b8"), (2, "b16"), (4, "b16"), (2, "b32"), (4, "b32"), (2, "b64"), (3, "b32"), (4, "b8"), (8, "b16"), (2, "f32")]):
        t.add("mov.%s %s, %s" % (ty, reg(ty), vec(e, n, 2)))
        t.add("mov.%s %s, %s" % (ty, vec(e, n, 2), reg(ty)))
    for s in ["mov.b64 {%r1, _}, %rd1", "mov.b64 {_, %r1}, %rd1", "mov.b64 {_, _}, %rd1", "mov.b64 %rd1, {%r1, 1}", "mov.b64 %rd1, {1, 2}", "mov.b64 %rd1, {%r1, _}", "mov.b128 {%rd1, _}, %rq1",
              "mov.b64 {%r1, %r2}, {%r3, %r4}", "mov.v2.u32 {%r1, %r2}, {%r3, %r4}", "mov.v2.u32 %rd1, %rd2", "mov.u32 %r1, %r2, %r3", "mov.u32 %r1", "mov %r1, %r2", "mov.u32.u32 %r1, %r2", "mov.relaxed.u32 %r1, %r2"]:
        t.add(s)
    t.section("special registers")
    srs = ["%tid", "%tid.x", "%tid.y", "%tid.z", "%tid.w", "%ntid.x", "%ctaid", "%ctaid.x", "%ctaid.z", "%ctaid.w", "%nctaid.x", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%clusterid.x", "%nclusterid.x",
           "%cluster_ctaid.x", "%cluster_nctaid.x", "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge",
           "%lanemask_gt", "%clock", "%clock_hi", "%clock64", "%pm0", "%pm0_64", "%envreg0", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%total_smem_size",
           "%aggr_smem_size", "%dynamic_smem_size", "%current_graph_exec", "%reserved_smem_offset_begin", "%nosuch"]
    for s, ty in P(srs, ["u16", "b16", "u32", "b32", "s32", "u64", "b64", "s64", "pred", "f32"]):
        t.add("mov.%s %s, %s" % (ty, reg(ty), s))
    t.add("mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid")


def control():
    for name, lines in [
        ("bra", ["bra LEND", "bra.uni LEND", "@%p1 bra LEND", "@!%p1 bra LEND", "@%p1 bra.uni LEND", "bra.sync LEND", "bra", "bra nosuch", "bra %r1", "bra %rd1", "bra 0", "bra LEND, LEND",
                 "bra.u32 LEND", "bra.uni.uni LEND", "@%r1 bra LEND", "bra k", "bra gx", "bra [LEND]", "brx.idx %r1, LEND", "jmp LEND"]),
        ("exit", ["exit", "@%p1 exit", "@!%p1 exit", "exit.uni", "exit 0", "exit.sync", "@%p1 exit.uni", "trap", "@%p1 trap", "brkpt", "trap 0"]),
        ("ret", ["ret", "@%p1 ret", "@!%p1 ret", "ret.uni", "@%p1 ret.uni", "ret 0", "ret.sync", "ret %r1"]),
    ]:
        t = table(name)
        t.section(name)
        for s in lines:
            t.add(s)


def warp():
    t = table("warp_sync")
    masks = ["0xffffffff", "%r9", "-1", "0", "%rd9", "%rs9", "%p9", "", "_", "%f9", "4294967296"]
    tys = ["b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64", "pred", "b16", "u16", ""]
    t.section("vote")
    for sy, m, ty in P(["sync", ""], ["all", "any", "uni", "ballot", "none", ""], ["pred", "b32", "u32", "b64", ""]):
        d = "%p1" if ty == "pred" else "%rd1" if ty == "b64" else "%r1"
        for a, k in P(["%p2", "!%p2", "%r2", "1", "0"], ["0xffffffff", "%r9", ""]):
            t.add(j("vote", sy, m, ty) + " " + ", ".join(x for x in [d, a, k] if x))
    for m, k in P(["all.pred %p1", "ballot.b32 %r1"], masks):
        t.add("vote.sync.%s, %%p2%s" % (m, ", " + k if k else ""))
    t.orders("vote", ["sync", "ballot", "b32"], "%r1, %p2, %r9")
    t.section("shfl")
    for sy, m, ty in P(["sync", ""], ["up", "down", "bfly", "idx", "xor", ""], tys):
        d = reg(ty) if ty else "%r1"
        t.add(j("shfl", sy, m, ty) + " %s, %s, 1, 31%s" % (d, d.replace("1", "2"), ", -1" if sy else ""))
        t.add(j("shfl", sy, m, ty) + " %s|%%p1, %s, 1, 31%s" % (d, d.replace("1", "2"), ", -1" if sy else ""))
    for d, a, b, c, k in P(["%r1", "%r1|%p1", "_|%p1", "%r1|_", "_"], ["%r2", "5", "%rd2"], ["%r3", "1", "32", "-1", "%rd3"], ["%r4", "31", "0x1f1f", ""], ["%r9", "-1", ""]):
        t.add("shfl.sync.idx.b32 " + ", ".join(x for x in [d, a, b, c, k] if x))
    for k in masks:
        t.add("shfl.sync.up.b32 %r1, %r2, 1, 0" + (", " + k if k else ""))
    t.orders("shfl", ["sync", "bfly", "b32"], "%r1, %r2, 1, 31, -1")
    t.section("match")
    for q, ty in P(["any.sync", "all.sync", "any", "all", "sync.any", "sync.all", "none.sync", "uni.sync", "sync"], tys):
        if "." not in q and ty not in ("b32", "b64"):
            continue
        a = reg(ty, 2) if ty else "%r2"
        for d, k in P(["%r1", "%r1|%p1", "_|%p1", "%rd1"], ["%r9", "-1", ""]):
            t.add(j("match", q, ty) + " " + ", ".join(x for x in [d, a, k] if x))
        t.add(j("match", q, ty) + " %r1, 5, -1")
    t.section("redux")
    for o, m, ty in P(["add", "min", "max", "and", "or", "xor", "inc", "mul", "exch", ""], ["", "abs", "NaN", "abs.NaN", "NaN.abs", "sat"], tys):
        d = reg(ty) if ty else "%r1"
        t.add(j("redux.sync", o, m, ty) + " %s, %s, -1" % (d, d.replace("1", "2")))
        if not m:
            t.add(j("redux", o, ty) + " %s, %s, -1" % (d, d.replace("1", "2")))
    for d, a, k in P(["%r1", "_", "%rd1"], ["%r2", "5", "%rd2"], masks):
        t.add("redux.sync.add.u32 " + ", ".join(x for x in [d, a, k] if x))
    t.orders("redux", ["sync", "add", "u32"], "%r1, %r2, -1")
    t.section("elect")
    for q, d, k in P(["elect.sync", "elect", "elect.sync.b32", "elect.sync.pred", "elect.one.sync"], ["%r1|%p1", "_|%p1", "%r1|_", "%r1", "%p1", "_|_", "%rd1|%p1", ""], masks[:5] + [""]):
        t.add(q + " " + ", ".join(x for x in [d, k] if x))
    t.section("activemask")
    for q, d in P(["activemask.b32", "activemask.u32", "activemask", "activemask.b64", "activemask.sync.b32"], ["%r1", "%rd1", "_", "%r1, %r2", ""]):
        t.add(q + " " + d)
    for s in ["vote.sync.all.pred %p1, %p2, -1", "shfl.sync.idx.b32 %r1, %r2, 1, 31, -1", "elect.sync %r1|%p3, -1", "match.any.sync.b32 %r1, %r2, -1", "redux.sync.add.u32 %r1, %r2, -1"]:
        t.add("@%p1 " + s)


def build():
    memory("ld")
    memory("st")
    addresses()
    registers()
    param_func()
    ld_nc()
    ldu()
    rmw("atom")
    rmw("red")
    multimem()
    fence()
    barrier()
    mbarrier()
    misc_memory()
    alu()
    integer()
    cvt()
    mov()
    control()
    warp()
    asynchronous.build()
    tensor_cores.build()


# --------------------------------------------------------------------------
# Judging

LINE = re.compile(r"^ptxas \S+, line (\d+); (error|fatal)\s*: (.*)$")


class Judge:
    """Runs ptxas: on compute_XX, where it only reads the file, and on sm_XX, where it also generates code."""

    def __init__(self, exe, isa, target):
        self.exe, self.isa, self.target, self.runs = exe, isa, target, 0
        self.dir = tempfile.TemporaryDirectory(prefix="forms-")

    def once(self, ctx, forms, code=False):
        """One run: ({index: first message}, index of a fatal line or None, anything else that is wrong)."""
        head, tail = CONTEXT[ctx].replace("{isa}", self.isa).replace("{target}", self.target).split(MARK)
        with open(os.path.join(self.dir.name, "f.ptx"), "w") as f:
            f.write(head + "".join(x + ";\n" for x in forms) + tail)
        self.runs += 1
        arch = self.target if code else self.target.replace("sm_", "compute_")
        p = subprocess.run([self.exe, "-arch=" + arch, "-O1", "-w", "f.ptx", "-o", "f.cubin"], cwd=self.dir.name,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        bad, fatal, other, off = {}, None, "", head.count("\n") + 1
        for l in p.stdout.decode("utf-8", "replace").splitlines():
            m = LINE.match(l)
            k = int(m.group(1)) - off if m else -1
            if 0 <= k < len(forms):
                bad.setdefault(k, m.group(3))
                if m.group(2) == "fatal":
                    fatal = k
            elif "Ptx assembly aborted due to errors" not in l and ("error" in l or "fatal" in l):
                other += l + "\n"
        if p.returncode and not bad and not other:
            other = "exit status %d" % p.returncode
        return bad, fatal, other

    def generate(self, ctx, form):
        """None if code can be generated for the form alone, or the message."""
        for _ in range(12):  # some crashes come and go: a form fails only if it always does
            bad, fatal, other = self.once(ctx, [form], code=True)
            if not bad and not other:
                return None
            if not other.startswith("exit status"):
                break
        return bad[0] if bad else other.strip().splitlines()[0]

    def judge(self, ctx, forms):
        """A list of None (the file can be read) or the first message, one per form."""
        verdict = [None] * len(forms)
        todo = list(range(len(forms)))
        while todo:  # ends with a run over all that is left that has no error
            bad, fatal, other = self.once(ctx, [forms[i] for i in todo])
            if bad:
                if fatal is not None:  # nothing after this line was read, and the messages before it are not complete
                    bad = {fatal: bad[fatal]}
                for k, msg in bad.items():
                    verdict[todo[k]] = msg
                todo = [i for k, i in enumerate(todo) if k not in bad]
            elif other and len(todo) == 1:
                verdict[todo[0]] = other.strip().splitlines()[0]
                break
            elif other:  # a message or crash without a line: bisect
                h = len(todo) // 2
                for part in (todo[:h], todo[h:]):
                    for i, v in zip(part, self.judge(ctx, [forms[i] for i in part])):
                        verdict[i] = v
                break
            else:
                break
        return verdict


def newest_isa(exe):
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "v.ptx"), "w") as f:
            f.write(".version 99.0\n.target sm_75\n")
        out = subprocess.run([exe, "v.ptx", "-o", "v.cubin"], cwd=d, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    m = re.search(r"current version is '([\d.]+)'", out)
    if not m:
        sys.exit("cannot tell the newest ISA version: " + out)
    return m.group(1)


def template(msg):
    return re.sub(r"\s+", " ", re.sub(r"'[^']*'", "'*'", msg))


def batches(x, n):
    return [x[i:i + n] for i in range(0, len(x), n)]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ptxas", default="ptxas")
    ap.add_argument("--target", default=TARGET)
    ap.add_argument("--isa", help="default: the newest that this ptxas knows")
    ap.add_argument("--out", default=HERE)
    ap.add_argument("--check", action="store_true", help="compare with the stored tables, write nothing")
    ap.add_argument("--list", action="store_true", help="print the forms only")
    ap.add_argument("--sample", type=int, default=200, help="rejected forms of each table that are judged again alone")
    ap.add_argument("--only", help="comma-separated table names")
    a = ap.parse_args()
    build()
    tables = [t for t in TABLES if not a.only or t.name in a.only.split(",")]
    if a.list:
        for t in tables:
            for k, s in t.items:
                print(s if k == "?" else "# " + s)
        return 0
    ver = subprocess.run([a.ptxas, "--version"], stdout=subprocess.PIPE).stdout.decode()
    ver = re.search(r"V(\d[\d.]*)", ver).group(1)
    isa = a.isa or newest_isa(a.ptxas)
    header = "# ptxas %s, .version %s, .target %s" % (ver, isa, a.target)
    judges = {target: Judge(a.ptxas, isa, target) for target in {t.target or a.target for t in tables}}
    summary, reasons, fail = [], [], 0
    for t in tables:
        target = t.target or a.target
        jd = judges[target]
        forms = [s for k, s in t.items if k == "?"]
        alone = t.name in ("bra", "exit", "ret")  # these cut off what follows them
        front, back = {}, {}
        for part in batches(forms, 1 if alone else 1000):
            front.update(zip(part, jd.judge(t.ctx, part)))
        rej = [f for f in forms if front[f] is not None]
        read = [f for f in forms if front[f] is None]
        for f in read:
            back[f] = jd.generate(t.ctx, f)
        good = [f for f in read if back[f] is None]
        half = [f for f in read if back[f] is not None]
        mark = {f: "-" for f in rej}
        mark.update({f: "+" for f in good})
        mark.update({f: "!" for f in half})
        # Is the verdict independent of the batch?  All that was read, shuffled, in one file; a sample of the rest alone.
        rng = random.Random(1)
        bad, fatal, other = jd.once(t.ctx, rng.sample(read, len(read)))
        if bad or other:
            fail += 1
            print("%s: together: %s %s" % (t.name, list(bad.items())[:3], other), file=sys.stderr)
        for f in rng.sample(rej, min(a.sample, len(rej))):
            bad, fatal, other = jd.once(t.ctx, [f])
            if not bad and not other:
                fail += 1
                print("%s: accepted alone: %s (%s)" % (t.name, f, front[f]), file=sys.stderr)
        summary.append((t.name, len(forms), len(good), len(half), len(rej)))
        text = ["# ptxas %s, .version %s, .target %s" % (ver, isa, target), "# context: context_%s.ptx" % t.ctx]
        for k, s in t.items:
            text.append("## " + s if k == "#" else mark[s] + " " + s)
        fail += emit(a, t.name + ".txt", "\n".join(text) + "\n")
        reasons.append("## " + t.name)
        for m, v, fs in (("-", front, rej), ("!", back, half)):
            hist, first = collections.Counter(), {}
            for f in fs:
                hist[template(v[f])] += 1
                first.setdefault(template(v[f]), (f, v[f]))
            for msg, n in sorted(hist.items(), key=lambda x: (-x[1], x[0])):
                reasons.append("%s %5d  %s\n         %s" % (m, n, *first[msg][::-1]))
        print("%-12s %6d forms  %6d +  %4d !  %6d -" % summary[-1], flush=True)
    tot = ("total",) + tuple(sum(s[i] for s in summary) for i in (1, 2, 3, 4))
    print("%-12s %6d forms  %6d +  %4d !  %6d -" % tot, " (%d runs)" % sum(jd.runs for jd in judges.values()))
    if not a.only:
        fail += emit(a, "COUNTS", "\n".join([header, "# table, forms, +, !, -"] + ["%-14s %6d %6d %4d %6d" % s for s in summary + [tot]]) + "\n")
        fail += emit(a, "REASONS", header + "\n# verdict and count of a kind of message; of the first such form, the message and the form\n"
                     + "\n".join(reasons) + "\n")
        for c in sorted(CONTEXT):
            fail += emit(a, "context_%s.ptx" % c, CONTEXT[c].replace("{isa}", isa).replace("{target}", a.target))
    return 1 if fail else 0


def emit(a, name, text):
    path = os.path.join(a.out, name)
    if a.check:
        old = open(path).read() if os.path.exists(path) else None
        if old != text:
            print("differs: " + name, file=sys.stderr)
            return 1
        return 0
    with open(path, "w") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
