#!/usr/bin/env python3
"""Random C programs of what random_programs.py does not write, against what they do when they are run: unions, tagged ones with pointers, bit-fields, floats, 64 bits,
arrays that grow, strings, vectors, tables of functions, variable arguments, recursion, goto, switch that falls through, static variables.

    random_corners.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER] [--each] [--record FILE.csv] [--jobs 1]

Each program ends with a number. It is run on all its 64 inputs; then one of them is asked for, with the number that comes out, in turn as what must come
out (safe) and as what must not (unsafe), so that any difference in what a program means shows. Otherwise as random_programs.py.
"""

import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_programs  # noqa: E402

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
typedef __SIZE_TYPE__ size_t;
extern void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t), *memmove(void *, const void *, size_t);
extern int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
extern size_t strlen(const char *);
extern char *strcpy(char *, const char *);
struct b { unsigned a : 3; int b : 5; unsigned c : 9; _Bool d : 1; unsigned long long e : 33; short f; };
union u { unsigned i; short s[2]; unsigned char c[4]; float f; struct { unsigned lo : 12, hi : 20; } p; };
struct n { struct b b; union u u; long long w; char t[6]; };
struct g { char tag; union { int i; int *p; short s[4]; long long w; double d; struct g *g; } u; };
typedef int vec __attribute__((vector_size(16)));
enum e { E0, E1 = 4, E2 = -3 };
static struct n gn = {{1, -2, 3, 1, 5, 6}, {7}, 8, "xyz"};
static int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
static long long gw = -5;
static unsigned short gs = 65530;
static double gd = 1.5;
static vec gv = {1, 2, 3, 4};
static struct g gg[3] = {{0, {.i = -9}}, {1, {.p = &grid[1][1]}}, {3, {.w = 0x500000006LL}}};
static int up(int x) { return (int)((unsigned)x + 1u); }
static int twice(int x) { return (int)((unsigned)x * 2u); }
static int count(int x) { static int n; n += x & 1; return n; }
static int (*const table[4])(int) = {up, twice, count, up};
static int rec(int n, int x) { return n <= 0 ? x : n & 1 ? up(rec(n - 1, x ^ n)) : rec(n - 2, twice(x)); }
static int sum(int n, ...)
{
    __builtin_va_list l;
    __builtin_va_start(l, n);
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s = s * 3 + (i & 1 ? (unsigned)__builtin_va_arg(l, long long) : (unsigned)__builtin_va_arg(l, int));
    __builtin_va_end(l);
    return (int)s;
}
static struct n change(struct n s, int x) { s.b.c += (unsigned)x; s.u.c[1] ^= (unsigned char)x; s.w -= x; s.t[0]++; return s; }
static int tell(const struct g *g)
{
    for (int i = 0; i < 3 && g->tag == 5; i++)
        g = g->u.g;
    switch (g->tag) {
    case 0: return g->u.i;
    case 1: return *g->u.p;
    case 2: return g->u.s[0] * 3 + g->u.s[1];
    case 3: return (int)(g->u.w ^ g->u.w >> 32);
    case 4: return g->u.d > 1.5;
    default: return 7;
    }
}
static struct g number(int x) { struct g g = {0, {x}}; return g; }
static unsigned mix(const void *at, size_t n) { const unsigned char *p = at; unsigned s = 7; while (n--) s = s * 31 + *p++; return s; }
"""

STUBS = random_programs.STUBS.replace("int program(void);", "int program(void);\nvoid outcome(unsigned n) { printf(\"= %u\\n\", n); fflush(stdout); }")

INTEGERS = ["char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "long long", "unsigned long long", "_Bool"]


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = self.names = self.labels = 0

    def index(self, most):
        return "(unsigned)(%s) %% %d" % (self.r.choice(["x", "y", "z", "m", "gw", "b.a", "u.i", "*q", "h", "gv[2]"]), most) if self.r.random() < 0.7 else str(self.r.randrange(most))

    def place(self):
        """What may be written, and any integer fits into."""
        r = self.r
        return r.choice(["x", "y", "z", "k", "w", "c", "h", "m", "gw", "gs", "b.a", "b.b", "b.c", "b.d", "b.e", "b.f", "s.b.c", "s.b.b", "p->b.a", "p->b.e", "u.i", "u.p.lo", "u.p.hi",
                         "p->u.i", "s.w", "p->w", "*q", "*q", "o", "a[%s]" % self.index(5), "u.s[%s]" % self.index(2), "u.c[%s]" % self.index(4), "p->u.c[%s]" % self.index(4),
                         "grid[%s][%s]" % (self.index(2), self.index(3)), "(*row)[%s]" % self.index(3), "gv[%s]" % self.index(4), "v[%s]" % self.index(4), "t[%s]" % self.index(3),
                         "((unsigned char *)&w)[%d]" % r.randrange(8), "((short *)a)[%s]" % self.index(10)])

    def leaf(self):
        r = self.r
        return r.choice([self.place, self.place, lambda: r.choice("xyz"), lambda: str(r.choice([0, 1, 2, 3, 5, 7, 255, 256, 65535, -1, -2, 100, 2147483647])),
                         lambda: r.choice(["E1", "E2", "'a'", "1u", "3LL", "0x80000000", "sizeof(long)", "sizeof b", "40000u"])])()

    def number(self, depth=0):
        r = self.r
        if depth > 2 or r.random() < 0.25:
            return self.leaf()
        a, b = self.number(depth + 1), self.number(depth + 1)
        kind = r.randrange(17)
        if kind < 3:
            return "((%s)(%s) %s (%s)(%s))" % ("unsigned", a, r.choice("+-*"), r.choice(["unsigned", "unsigned long long"]), b)
        if kind == 3:
            return "((%s) %s (%s))" % (a, r.choice("&|^"), b)
        if kind == 4:
            return "((%s) %s (%s))" % (a, r.choice(["<", "<=", "==", "!=", ">", "&&", "||"]), b)
        if kind == 5:
            return "((%s) ? (%s) : (%s))" % (self.condition(depth + 1), a, b)
        if kind == 6:
            return "((%s)(%s) %s %d)" % (r.choice(["int", "unsigned", "long long", "short"]), a, r.choice(["/", "%"]), r.choice([2, 3, 7, 10]))
        if kind == 7:
            return "(%s)(%s)" % (r.choice(INTEGERS), a)
        if kind == 8:
            return "((%s)(%s) %s %d)" % (r.choice(["int", "unsigned", "long long", "unsigned char", "short"]), a, r.choice([">>", ">>"]), r.randrange(0, 16))
        if kind == 9:
            return "((unsigned%s)(%s) << (%s))" % (r.choice(["", " long long"]), a, self.index(16))
        if kind == 10:
            return "table[%s]((int)(%s))" % (self.index(4), a)
        if kind == 11:
            return "rec(%s, (int)(%s))" % (self.index(5), a)
        if kind == 12:
            return "sum(3, (int)(%s), (long long)(%s), (int)(%s))" % (a, b, self.leaf())
        if kind == 13:
            return r.choice(["-(unsigned)(%s)", "~(%s)", "!(%s)", "+(short)(%s)"]) % a
        if kind == 14:
            return "(int)(%s)" % self.real((a, b))
        if kind == 15:
            return r.choice(["(int)strlen(t)", "strcmp(t, \"ab\")", "(memcmp(a, grid, sizeof grid) > 0)", "(int)(q - a)", "(q == &a[2])", "(%s, %s)" % (a, b),
                             "__builtin_popcount((unsigned)(%s))" % a, "({ int r_ = (int)(%s); r_ ^ 3; })" % a, "(row == grid)", "(*r)[0]", "change(s, (int)(%s) & 7).u.c[1]" % a,
                             "(d < %d.5f)" % r.randrange(4), "(gd != d)"])
        return "(_Bool)(%s)" % a

    def real(self, parts):
        small = ["(%s)((%s) & 255)" % (self.r.choice(["float", "double", "int", "float"]), p) for p in parts]
        return self.r.choice(["(%s) * 0.5 + (%s)", "((%s) / 4.0f - (%s))", "(%s) * 1.25f * (%s)", "(%s) / (1.0 + (%s))"]) % tuple(small)

    def condition(self, depth=1):
        return "(%s) %s (%s)" % (self.number(depth + 1), self.r.choice(["<", "<=", "==", "!=", ">"]), self.number(depth + 1))

    def nested(self):
        self.depth += 1
        body = " ".join(self.statement() for _ in range(self.r.randrange(1, 3)))
        self.depth -= 1
        return body

    def statement(self):
        r = self.r
        kind = r.randrange(20) if self.depth < 2 else r.randrange(11)
        if kind < 4:
            return "%s = %s;" % (self.place(), self.number())
        if kind == 4:
            return "%s %s %s;" % (self.place(), r.choice(["^=", "|=", "&="]), self.number())
        if kind == 5:
            return "%s %s (unsigned)(%s);" % (r.choice(["m", "u.i", "b.c", "b.e", "gs", "p->u.i", "u.p.hi", "((unsigned char *)&w)[1]"]), r.choice(["+=", "-=", "*="]), self.number())
        if kind == 6:
            return r.choice(["q = &a[%s];" % self.index(5), "q = %s;" % r.choice(["&x", "&grid[1][%s]" % self.index(3), "a", "a + 4"]), "p = (%s) ? &s : &gn;" % self.condition(),
                             "row = &grid[%s];" % self.index(2), "m++; h--; b.a++; --b.b;", "u.p.lo++; gs += 7; c <<= 1;"])
        if kind == 7:
            return r.choice(["memcpy(a, grid, %d);" % (4 * r.randrange(1, 6)), "memmove(a + 1, a, %d);" % r.randrange(1, 17), "memset(&u, (int)(%s), 4);" % self.number(2), "strcpy(t, \"ab\");",
                             "t[%s] = 0;" % self.index(3), "s = *p;", "s = change(*p, (int)(%s) & 15);" % self.number(2), "*p = s;", "b = s.b;", "s.u = u;", "gn.t[1] = (char)(%s);" % self.number(2)])
        if kind == 8:
            return r.choice(["v = gv + v;", "v = v * 3 - gv;", "gv = (v > 2) & gv;", "v ^= gv << 1;", "gv[%s] = (int)(%s);" % (self.index(4), self.number(1)), "v = -gv;"])
        if kind == 9:
            return r.choice(["d = (float)(%s);", "gd = %s;"]) % self.real((self.leaf(), self.leaf()))
        if kind == 10:
            return "f = table[%s]; x = f((int)(%s));" % (self.index(4), self.number(1))
        body = self.nested()
        self.names += 1
        i = "i%d" % self.names
        if kind < 13:
            return "if (%s) { %s } else { %s }" % (self.condition(), body, self.nested() if r.random() < 0.5 else ";")
        if kind == 13:
            return "switch ((int)(%s) & 7) { case 1: %s default: %s = 5; case 3: %s break; case 4: case 6: %s }" % (
                self.number(1), body, self.place(), self.nested(), r.choice(["m ^= 3; break;", "if (x) break; m += 2u;", ";"]))
        if kind == 14:
            return "for (int %s = 0; %s < %d; %s++) { %s if (%s) %s; }" % (i, i, r.randrange(1, 5), i, body, self.condition(), r.choice(["break", "continue", "m++"]))
        if kind == 15:
            return "{ int %s = %d; do { %s } while (--%s > 0 && (%s)); }" % (i, r.randrange(1, 4), body, i, self.condition())
        if kind == 16:
            self.labels += 1
            return "{ if (%s) goto L%d; %s L%d:; }" % (self.condition(), self.labels, body, self.labels)
        if kind == 17:
            self.labels += 1
            return "{ int %s = 0; L%d: %s if (%s++ < %d) goto L%d; }" % (i, self.labels, body, i, r.randrange(0, 3), self.labels)
        if kind == 18:
            self.labels += 1
            return "{ int %s = 0; if (%s) goto L%d; for (; %s < 3; %s++) { %s L%d: m += 1u; } }" % (i, self.condition(), self.labels, i, i, body, self.labels)
        return "{ int o_ = %s; { static int kept = 3; kept ^= o_ & 3; m += (unsigned)kept; } %s }" % ("(int)(%s)" % self.number(1), body)

    def program(self):
        text = HEAD + "CHECKED\nint PROGRAM(void)\n{\n"
        text += "".join("    int %s = __VERIFIER_nondet_int() & 3;\n" % n for n in "xyz") + "    GUARD\n"
        text += "    long k = 3; long long w = 0x123456789LL; char c = 'q'; short h = -7; unsigned m = 1, o = 2; int a[5] = {1, 2, 3, x, 5}, *q = a, (*row)[3] = grid, (*r)[3] = &grid[1]; float d = 2.5f;\n"
        text += "    struct b b = {1, -1, 300, 0, 1, 2}; union u u = {9}; struct n s, *p = &gn; char t[4] = \"ab\"; vec v = {x, y, 2, 3}; int (*f)(int) = up;\n    s = gn; s.w = y;\n    "
        text += "\n    ".join(self.statement() for _ in range(self.r.randrange(2, 7)))
        text += "\n    m ^= (unsigned)x ^ (unsigned)y * 3u ^ (unsigned)z * 5u ^ (unsigned)k ^ (unsigned)w ^ (unsigned)(w >> 32) ^ (unsigned)c ^ (unsigned)h ^ o ^ mix(a, sizeof a) ^ (unsigned)*q ^ (unsigned)(*row)[0];\n"
        text += "    m ^= b.a ^ (unsigned)b.b ^ b.c ^ b.d ^ (unsigned)b.e ^ (unsigned)b.f ^ u.i ^ s.u.i ^ (unsigned)s.b.b ^ (unsigned)s.b.c ^ gn.u.i ^ (unsigned)gn.w ^ (unsigned)gn.b.a ^ (unsigned)gw ^ gs;\n"
        text += "    m ^= mix(grid, sizeof grid) ^ mix(t, 4) ^ (unsigned)(v[0] + 0u) ^ (unsigned)v[3] ^ (unsigned)gv[1] ^ (unsigned)gv[2] ^ (d > 3) ^ (gd > 3 ? 8u : 0u) ^ (unsigned)f(2);\n"
        return text + "    OUTCOME(m);\n    return 0;\n}\n"


class Tagged(Generator):
    """Values that are a number or a pointer, as their tags say."""

    def tagged(self):
        return self.r.choice(["&g", "&l", "gg", "&gg[1]", "&gg[2]", "&gg[%s]" % self.index(3)])

    def retag(self):
        """A tagged value becomes another."""
        r = self.r
        place = "(%s)" % self.tagged()
        a = self.number(2)
        return r.choice(["*{e} = g;", "*{e} = l;", "g = *{e};", "l = *{e};", "memcpy({e}, &g, sizeof g);", "*{e} = number((int)({a}));", "{ struct g *e = {e}; e->tag = 0; e->u.i = (int)({a}); }",
                         "{ struct g *e = {e}; e->tag = 1; e->u.p = &a[{i}]; }", "{ struct g *e = {e}; e->tag = 2; e->u.s[0] = (short)({a}); e->u.s[1] = 4; }",
                         "{ struct g *e = {e}; e->tag = 3; e->u.w = ({a}) * 0x100000001LL; }", "{ struct g *e = {e}; e->tag = 4; e->u.d = (float)(({a}) & 3); }",
                         "{ struct g *e = {e}; if (e->tag == 0) e->u.s[0] = (short)({a}); }", "{ struct g *e = {e}; if (e != &g && g.tag != 5) { e->tag = 5; e->u.g = &g; } }",
                         "{ struct g *e = {e}; if (e->tag == 1) *e->u.p = (int)({a}); }", "{ struct g *e = {e}; memset(e, 0, sizeof *e); }"]).replace("{a}", a).replace("{i}", str(r.randrange(5))).replace("{e}", place)

    def number(self, depth=0):
        return self.r.choice(["x", "y", "z", "x + %d" % self.r.randrange(-9, 9), "x * y - z", "tell(%s)" % self.tagged(), "tell(%s)" % self.tagged(), "a[%d]" % self.r.randrange(5), "-70000 * z"])

    def condition(self, depth=1):
        return "%s %s %s" % (self.number(), self.r.choice(["<", "==", "!="]), self.number())

    def index(self, most):
        return self.r.choice("xyz") + " %% %d" % most if self.r.random() < 0.3 else str(self.r.randrange(most))

    def statement(self):
        if self.r.random() < 0.75 or self.depth > 1:
            return self.retag()
        return "if (%s) { %s } else { %s }" % (self.condition(), self.nested(), self.nested())

    def program(self):
        text = HEAD + "CHECKED\nint PROGRAM(void)\n{\n"
        text += "".join("    int %s = __VERIFIER_nondet_int() & 3;\n" % n for n in "xyz") + "    GUARD\n"
        text += "    int a[5] = {1, 2, 3, x, 5}; struct g g = number(x), l = gg[1];\n    "
        text += "\n    ".join(self.statement() for _ in range(self.r.randrange(3, 9)))
        return text + "\n    OUTCOME((unsigned)tell(&g) * 3u ^ (unsigned)tell(&l) * 5u ^ (unsigned)tell(gg) * 7u ^ (unsigned)tell(gg + 1) ^ (unsigned)a[1]);\n    return 0;\n}\n"


class Growing(Generator):
    """Arrays on the heap that grow and shrink."""

    def program(self):
        r = self.r
        kind = r.choice(["unsigned", "int", "char", "short", "long long"])
        known = r.randrange(1, 5)
        text = HEAD + "extern void *malloc(size_t), *realloc(void *, size_t), *calloc(size_t, size_t);\nextern void free(void *);\nCHECKED\nint PROGRAM(void)\n{\n"
        text += "".join("    int %s = __VERIFIER_nondet_int() & 3;\n" % n for n in "xyz") + "    GUARD\n"
        text += "    unsigned m = 1; int one = 5, two = 6, n = x + %d, o, k = x + 1;\n    " % r.randrange(1, 4)
        text += r.choice(["KIND *a = malloc(n * sizeof *a); for (int i = 0; i < n; i++) a[i] = (KIND)(i * 3 + y);", "n = KNOWN; KIND *a = malloc(KNOWN * sizeof *a); for (int i = 0; i < n; i++) a[i] = (KIND)(i * 3 + y);",
                          "KIND *a = calloc(n, sizeof *a);", "KIND *a = 0; n = 0;"]).replace("KNOWN", str(known)).replace("KIND", kind)
        text += "\n    int **p = malloc(k * sizeof *p); for (int i = 0; i < k; i++) p[i] = i & 1 ? &one : &two;\n"
        for _ in range(r.randrange(1, 5)):
            more = r.choice(["x", "y", "z", "1", "2", "y + 1"])
            text += "    " + r.choice(["o = n; n = n + MORE; a = realloc(a, (n + !n) * sizeof *a); for (int i = o; i < n; i++) a[i] = (KIND)(i * 5 - z);",
                                       "o = n; n = n + 1; a = realloc(a, n * sizeof *a); a[o] = (KIND)(y * 9);", "if (n > 1) { n = n - 1; a = realloc(a, n * sizeof *a); }",
                                       "if (n > z && z > 0) { n = z; a = realloc(a, n * sizeof *a); }", "if (n) a[n - 1] = 3;", "for (int i = 0; i < n; i++) m = m * 7 + (unsigned)a[i];",
                                       "o = k; k += MORE; p = realloc(p, k * sizeof *p); for (int i = o; i < k; i++) p[i] = &one; m ^= *p[k - 1];",
                                       "*p[z % k] += 4;"]).replace("MORE", more).replace("KIND", kind) + "\n"
        text += "    for (int i = 0; i < n; i++) m = m * 31 + (unsigned)a[i];\n    m ^= (unsigned)(*p[0] + *p[k - 1] * 3);\n    free(a); free(p);\n"
        return text + "    OUTCOME(m);\n    return 0;\n}\n"


def outcomes(folder, text):
    """What comes out for each input; None when some run has undefined behaviour."""
    source, stubs, binary = (os.path.join(folder, n) for n in ("p.c", "stubs.c", "p"))
    pathlib.Path(source).write_text(text.replace("CHECKED", "void outcome(unsigned);").replace("GUARD", "").replace("OUTCOME", "outcome").replace("PROGRAM", "program"))
    pathlib.Path(stubs).write_text(STUBS)
    subprocess.run(["clang-19", "-w", "-O1", "-ffp-contract=off", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=alignment", "-fsanitize-trap=all", "-fno-strict-aliasing",
                    source, stubs, "-o", binary], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, timeout=700)
    found = [int(line[2:]) for line in done.stdout.split("\n") if line.startswith("= ")]
    return found if done.returncode == 0 and len(found) == 64 else None


def question(seed, folder):
    """The task's text and what is expected of it."""
    text = {3: Growing, 4: Tagged}.get(seed % 5, Generator)(seed).program()
    found = outcomes(folder, text)
    if found is None:
        return None, None
    safe, which = seed % 2 == 0, seed // 2 % 64
    check = "#define OUTCOME(m) do { if ((m) %s %du) reach_error(); } while (0)" % ("!=" if safe else "==", found[which])
    guard = "if (x != %d || y != %d || z != %d) return 0;" % (which & 3, which >> 2 & 3, which >> 4)
    return text.replace("CHECKED", check).replace("GUARD", guard).replace("PROGRAM", "main"), "safe" if safe else "unsafe"


if __name__ == "__main__":
    sys.exit(random_programs.main(question))
