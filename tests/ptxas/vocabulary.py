"""The words that instruction forms are made of, and the tables that collect the forms."""
import itertools

BITS = {"pred": 1}
for _t in "b8 u8 s8 e4m3 e5m2".split():
    BITS[_t] = 8
for _t in "b16 u16 s16 f16 bf16 e4m3x2 e5m2x2 u8x2".split():
    BITS[_t] = 16
for _t in "b32 u32 s32 f32 f16x2 bf16x2 u16x2 s16x2 e4m3x4 e5m2x4 u8x4 s8x4 tf32".split():
    BITS[_t] = 32
for _t in "b64 u64 s64 f64 f32x2".split():
    BITS[_t] = 64
for _t in "b128 u128 s128".split():
    BITS[_t] = 128

LDST = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64".split()
ODD = "f16 bf16 f16x2 bf16x2 u128 s128 pred e4m3 e4m3x2 e4m3x4 tf32".split()
INTS = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64".split()
ALU = INTS + "f16 bf16 f16x2 bf16x2 u16x2 s16x2 u8x4 s8x4 f32 f64 pred".split()
SCOPES = ["", "cta", "cluster", "gpu", "sys"]
SPACES = ["", "global", "const", "local", "param", "param::entry", "param::func",
          "shared", "shared::cta", "shared::cluster"]
ASPACES = ["", "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"]
MEMSEM = ["", "weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile",
          "mmio", "mmio.relaxed", "mmio.acquire", "mmio.release"]


def reg(t, i=1):
    """The i-th register of the class that follows type t (8-bit integers may live in 16 bits)."""
    if t in ("e4m3", "e5m2"):
        return "%%rc%d" % i
    if t == "f32":
        return "%%f%d" % i
    if t == "f64":
        return "%%fd%d" % i
    return {1: "%%p%d", 8: "%%rs%d", 16: "%%rs%d", 32: "%%r%d", 64: "%%rd%d", 128: "%%rq%d"}[BITS[t]] % i


def vec(t, n, i=1):
    return "{" + ", ".join(reg(t, i + k) for k in range(n)) + "}"


def imm(t):
    return {"f32": "0f3F800000", "f64": "0d3FF0000000000000"}.get(t, "1")


def var(space):
    """An address in the space; a register for generic addressing."""
    base = space.split("::")[0]
    if space == "param::func":
        return "[fx]"
    return {"": "[%rd9]", "global": "[gx]", "const": "[cx]", "local": "[lx]", "param": "[px]", "shared": "[sx]"}[base]


def mvar(space):
    return {"": "[%rd9]", "global": "[gm]", "shared": "[sm]"}[space.split("::")[0]]


def j(*q):
    """Joins qualifiers with dots, leaving out the empty ones."""
    return ".".join(x for x in q if x)


P = itertools.product


class Table:
    """Forms in sections; `target` is for instructions that the usual target lacks."""

    def __init__(self, name, ctx="entry", target=None):
        self.name, self.ctx, self.target, self.items, self.seen = name, ctx, target, [], set()

    def section(self, title):
        self.items.append(("#", title))

    def add(self, form):
        form = form.strip()
        if form not in self.seen:
            self.seen.add(form)
            self.items.append(("?", form))

    def orders(self, op, quals, rest):
        """All orders of the qualifiers, and each qualifier given twice."""
        for p in itertools.permutations(quals):
            self.add(j(op, *p) + " " + rest)
        self.twice(op, quals, rest)

    def twice(self, op, quals, rest):
        for i in range(len(quals)):
            self.add(j(op, *quals[: i + 1], *quals[i:]) + " " + rest)

    def swaps(self, op, quals, rest):
        """The qualifiers with one moved to each other place."""
        for i in range(len(quals)):
            for k in range(len(quals)):
                q = list(quals)
                x = q.pop(i)
                q.insert(k, x)
                self.add(j(op, *q) + " " + rest)


TABLES = []


def table(name, ctx="entry", target=None):
    t = Table(name, ctx, target)
    TABLES.append(t)
    return t
