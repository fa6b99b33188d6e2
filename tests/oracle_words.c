#include <assert.h>

#include "base/random.h"
#include "tests/oracle_circuits.h"

// Operators.

enum signature {
    CONSTANT, // a number
    LEAF,     // input or state
    SAME,     // words of one width give one of that width
    REDUCED,  // words of one width give a bit
    BITS,     // bits give a bit
    CHOICE,   // a bit and two of one sort
    EQUALITY, // two of one sort give a bit
    CONCAT,
    SLICE,
    EXTENSION,
    READ,
    WRITE,
};

enum operation {
    OP_INPUT,
    OP_STATE,
    OP_CONSTD, // the first of those made at random is the next one
    OP_NOT,
    OP_NEG,
    OP_INC,
    OP_DEC,
    OP_REDAND,
    OP_REDOR,
    OP_REDXOR,
    OP_AND,
    OP_NAND,
    OP_OR,
    OP_NOR,
    OP_XOR,
    OP_XNOR,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_UDIV,
    OP_SDIV,
    OP_UREM,
    OP_SREM,
    OP_SMOD,
    OP_SLL,
    OP_SRL,
    OP_SRA,
    OP_ROL,
    OP_ROR,
    OP_ULT,
    OP_ULTE,
    OP_UGT,
    OP_UGTE,
    OP_SLT,
    OP_SLTE,
    OP_SGT,
    OP_SGTE,
    OP_UADDO,
    OP_SADDO,
    OP_USUBO,
    OP_SSUBO,
    OP_UMULO,
    OP_SMULO,
    OP_SDIVO,
    OP_EQ,
    OP_NEQ,
    OP_IFF,
    OP_IMPLIES,
    OP_ITE,
    OP_CONCAT,
    OP_SLICE,
    OP_UEXT,
    OP_SEXT,
    OP_READ,
    OP_WRITE,
    OPERATIONS,
};

static const struct {
    const char *name;
    uint8_t signature, arguments;
} operations[OPERATIONS] = {
    [OP_INPUT] = {"input", LEAF, 0},
    [OP_STATE] = {"state", LEAF, 0},
    [OP_CONSTD] = {"constd", CONSTANT, 0},
    [OP_NOT] = {"not", SAME, 1},
    [OP_NEG] = {"neg", SAME, 1},
    [OP_INC] = {"inc", SAME, 1},
    [OP_DEC] = {"dec", SAME, 1},
    [OP_REDAND] = {"redand", REDUCED, 1},
    [OP_REDOR] = {"redor", REDUCED, 1},
    [OP_REDXOR] = {"redxor", REDUCED, 1},
    [OP_AND] = {"and", SAME, 2},
    [OP_NAND] = {"nand", SAME, 2},
    [OP_OR] = {"or", SAME, 2},
    [OP_NOR] = {"nor", SAME, 2},
    [OP_XOR] = {"xor", SAME, 2},
    [OP_XNOR] = {"xnor", SAME, 2},
    [OP_ADD] = {"add", SAME, 2},
    [OP_SUB] = {"sub", SAME, 2},
    [OP_MUL] = {"mul", SAME, 2},
    [OP_UDIV] = {"udiv", SAME, 2},
    [OP_SDIV] = {"sdiv", SAME, 2},
    [OP_UREM] = {"urem", SAME, 2},
    [OP_SREM] = {"srem", SAME, 2},
    [OP_SMOD] = {"smod", SAME, 2},
    [OP_SLL] = {"sll", SAME, 2},
    [OP_SRL] = {"srl", SAME, 2},
    [OP_SRA] = {"sra", SAME, 2},
    [OP_ROL] = {"rol", SAME, 2},
    [OP_ROR] = {"ror", SAME, 2},
    [OP_ULT] = {"ult", REDUCED, 2},
    [OP_ULTE] = {"ulte", REDUCED, 2},
    [OP_UGT] = {"ugt", REDUCED, 2},
    [OP_UGTE] = {"ugte", REDUCED, 2},
    [OP_SLT] = {"slt", REDUCED, 2},
    [OP_SLTE] = {"slte", REDUCED, 2},
    [OP_SGT] = {"sgt", REDUCED, 2},
    [OP_SGTE] = {"sgte", REDUCED, 2},
    [OP_UADDO] = {"uaddo", REDUCED, 2},
    [OP_SADDO] = {"saddo", REDUCED, 2},
    [OP_USUBO] = {"usubo", REDUCED, 2},
    [OP_SSUBO] = {"ssubo", REDUCED, 2},
    [OP_UMULO] = {"umulo", REDUCED, 2},
    [OP_SMULO] = {"smulo", REDUCED, 2},
    [OP_SDIVO] = {"sdivo", REDUCED, 2},
    [OP_EQ] = {"eq", EQUALITY, 2},
    [OP_NEQ] = {"neq", EQUALITY, 2},
    [OP_IFF] = {"iff", BITS, 2},
    [OP_IMPLIES] = {"implies", BITS, 2},
    [OP_ITE] = {"ite", CHOICE, 3},
    [OP_CONCAT] = {"concat", CONCAT, 2},
    [OP_SLICE] = {"slice", SLICE, 1},
    [OP_UEXT] = {"uext", EXTENSION, 1},
    [OP_SEXT] = {"sext", EXTENSION, 1},
    [OP_READ] = {"read", READ, 2},
    [OP_WRITE] = {"write", WRITE, 3},
};

enum {
    ARRAY = 0,      // as a width
    ARRAY_BITS = 8, // four elements of two bits, the first lowest
    MOST_STATE_BITS = 11,
    MOST_INPUT_BITS = 4,
    WIDEST = 8,
};

static unsigned bits_of(unsigned width)
{
    return width == ARRAY ? ARRAY_BITS : width;
}

static uint32_t mask(unsigned width)
{
    return (1u << bits_of(width)) - 1;
}

static int32_t with_sign(uint32_t a, unsigned width)
{
    return a >> (width - 1) ? (int32_t)(a | ~mask(width)) : (int32_t)a;
}

static uint32_t parity(uint32_t a)
{
    uint32_t odd = 0;
    for (; a; a >>= 1)
        odd ^= a & 1;
    return odd;
}

// Divisions by zero as SMT-LIB has them.
static int32_t divide(enum operation operation, uint32_t a, uint32_t b, unsigned width)
{
    int32_t x = with_sign(a, width), y = with_sign(b, width);
    switch (operation) {
    case OP_UDIV:
        return b ? (int32_t)(a / b) : -1;
    case OP_UREM:
        return b ? (int32_t)(a % b) : (int32_t)a;
    case OP_SDIV:
        return y ? x / y : x < 0 ? 1 : -1;
    case OP_SREM:
        return y ? x % y : x;
    default:
        return !y ? x : x % y != 0 && (x % y < 0) != (y < 0) ? x % y + y : x % y;
    }
}

static uint32_t shift(enum operation operation, uint32_t a, uint32_t b, unsigned width)
{
    unsigned turn = b % width;
    switch (operation) {
    case OP_SLL:
        return b < width ? a << b : 0;
    case OP_SRL:
        return b < width ? a >> b : 0;
    case OP_SRA:
        return (uint32_t)(with_sign(a, width) >> (b < width ? b : width - 1));
    case OP_ROL:
        return a << turn | a >> (width - turn);
    default:
        return a >> turn | a << (width - turn);
    }
}

// Is the number, with or without a sign, none of that width?
static uint32_t is_beyond(int32_t exact, unsigned width, bool has_sign)
{
    int32_t most = (int32_t)(mask(width) >> has_sign);
    return exact > most || exact < (has_sign ? -most - 1 : 0);
}

// Of the arguments' values; `width` is the first one's. Higher bits of the result mean nothing.
static uint32_t apply(const struct word_node *n, const uint32_t *v, unsigned width,
                      unsigned second_width)
{
    uint32_t a = v[0], b = v[1];
    int32_t x = width ? with_sign(a, width) : 0, y = width ? with_sign(b & mask(width), width) : 0;
    switch ((enum operation)n->operation) {
    case OP_INPUT:
    case OP_STATE:
    case OPERATIONS:
        break;
    case OP_CONSTD:
        return n->number;
    case OP_NOT:
        return ~a;
    case OP_NEG:
        return 0 - a;
    case OP_INC:
        return a + 1;
    case OP_DEC:
        return a - 1;
    case OP_REDAND:
        return a == mask(width);
    case OP_REDOR:
        return a != 0;
    case OP_REDXOR:
        return parity(a);
    case OP_AND:
        return a & b;
    case OP_NAND:
        return ~(a & b);
    case OP_OR:
        return a | b;
    case OP_NOR:
        return ~(a | b);
    case OP_XOR:
        return a ^ b;
    case OP_XNOR:
    case OP_IFF:
        return ~(a ^ b);
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_UDIV:
    case OP_SDIV:
    case OP_UREM:
    case OP_SREM:
    case OP_SMOD:
        return (uint32_t)divide((enum operation)n->operation, a, b, width);
    case OP_SLL:
    case OP_SRL:
    case OP_SRA:
    case OP_ROL:
    case OP_ROR:
        return shift((enum operation)n->operation, a, b, width);
    case OP_ULT:
        return a < b;
    case OP_ULTE:
        return a <= b;
    case OP_UGT:
        return a > b;
    case OP_UGTE:
        return a >= b;
    case OP_SLT:
        return x < y;
    case OP_SLTE:
        return x <= y;
    case OP_SGT:
        return x > y;
    case OP_SGTE:
        return x >= y;
    case OP_UADDO:
        return is_beyond((int32_t)(a + b), width, false);
    case OP_SADDO:
        return is_beyond(x + y, width, true);
    case OP_USUBO:
        return is_beyond((int32_t)a - (int32_t)b, width, false);
    case OP_SSUBO:
        return is_beyond(x - y, width, true);
    case OP_UMULO:
        return is_beyond((int32_t)(a * b), width, false);
    case OP_SMULO:
        return is_beyond(x * y, width, true);
    case OP_SDIVO:
        return y != 0 && is_beyond(x / y, width, true);
    case OP_EQ:
        return a == b;
    case OP_NEQ:
        return a != b;
    case OP_IMPLIES:
        return !a || b;
    case OP_ITE:
        return a ? b : v[2];
    case OP_CONCAT:
        return a << second_width | b;
    case OP_SLICE:
        return a >> n->number;
    case OP_UEXT:
        return a;
    case OP_SEXT:
        return (uint32_t)x;
    case OP_READ:
        return a >> 2 * b;
    case OP_WRITE:
        return (a & ~(3u << 2 * b)) | v[2] << 2 * b;
    }
    assert(false);
    return 0;
}

static uint32_t argument_value(const struct word_circuit *c, const uint32_t *values,
                               uint16_t argument)
{
    uint32_t v = values[argument / 2];
    return argument & 1 ? ~v & mask(c->nodes[argument / 2].width) : v;
}

static unsigned argument_width(const struct word_circuit *c, uint16_t argument)
{
    return c->nodes[argument / 2].width;
}

// Every state, under every input.

struct search {
    const struct word_circuit *c;
    bool reached[1 << MOST_STATE_BITS];
    uint16_t waiting[1 << MOST_STATE_BITS];
    unsigned count;
};

// Takes values of `count` nodes from bits, lowest first.
static void unpack(const struct word_circuit *c, unsigned first, unsigned count, uint32_t bits,
                   uint32_t *values)
{
    for (unsigned i = first; i < first + count; i++) {
        values[i] = bits & mask(c->nodes[i].width);
        bits >>= bits_of(c->nodes[i].width);
    }
}

static void reach(struct search *s, const uint32_t *states)
{
    uint32_t packed = 0;
    unsigned at = 0;
    for (unsigned i = 0; i < s->c->states; i++) {
        const struct word_node *n = &s->c->nodes[s->c->inputs + i];
        packed |= states[i] << at;
        at += bits_of(n->width);
    }
    if (!s->reached[packed])
        s->waiting[s->count++] = (uint16_t)packed;
    s->reached[packed] = true;
}

// The states whose value nothing gives get all values, one after another.
static void reach_all(struct search *s, uint32_t *states, const bool *given, unsigned from)
{
    while (from < s->c->states && given[from])
        from++;
    if (from == s->c->states) {
        reach(s, states);
        return;
    }
    for (states[from] = 0; states[from] <= mask(s->c->nodes[s->c->inputs + from].width);
         states[from]++)
        reach_all(s, states, given, from + 1);
}

static uint32_t start_value(const struct word_node *n)
{
    return n->width == ARRAY ? n->start_at * 0x55 : n->start_at;
}

// Begins with every state that the start allows: those taken from another state once that has a value.
static void begin(struct search *s)
{
    const struct word_circuit *c = s->c;
    unsigned bits = 0;
    for (unsigned i = 0; i < c->states; i++)
        bits += bits_of(c->nodes[c->inputs + i].width);
    for (uint32_t packed = 0; packed < 1u << bits; packed++) {
        uint32_t values[WORD_MOST_NODES];
        bool allowed = true;
        unpack(c, c->inputs, c->states, packed, values);
        for (unsigned i = c->inputs; i < c->inputs + c->states && allowed; i++) {
            const struct word_node *n = &c->nodes[i];
            if (n->start == START_NUMBER)
                allowed = values[i] == start_value(n);
            else if (n->start != NO_WORD)
                allowed = values[i] == argument_value(c, values, n->start);
        }
        if (allowed)
            reach(s, values + c->inputs);
    }
}

static void evaluate(const struct word_circuit *c, uint32_t *values)
{
    for (unsigned i = c->inputs + c->states; i < c->count; i++) {
        const struct word_node *n = &c->nodes[i];
        uint32_t v[3] = {0};
        unsigned width[3] = {1, 1, 1};
        for (unsigned k = 0; k < operations[n->operation].arguments; k++) {
            v[k] = argument_value(c, values, n->argument[k]);
            width[k] = argument_width(c, n->argument[k]);
        }
        values[i] = apply(n, v, width[0], width[1]) & mask(n->width);
    }
}

static void step(struct search *s, const uint32_t *values)
{
    const struct word_circuit *c = s->c;
    uint32_t states[WORD_MOST_NODES];
    bool given[WORD_MOST_NODES];
    for (unsigned i = 0; i < c->states; i++) {
        uint16_t next = c->nodes[c->inputs + i].next;
        given[i] = next != NO_WORD;
        states[i] = given[i] ? argument_value(c, values, next) : 0;
    }
    reach_all(s, states, given, 0);
}

bool word_circuit_reaches_bad(const struct word_circuit *c)
{
    struct search s = {.c = c};
    unsigned input_bits = 0;
    for (unsigned i = 0; i < c->inputs; i++)
        input_bits += bits_of(c->nodes[i].width);
    begin(&s);
    for (unsigned at = 0; at < s.count; at++)
        for (uint32_t in = 0; in < 1u << input_bits; in++) {
            uint32_t values[WORD_MOST_NODES];
            unpack(c, 0, c->inputs, in, values);
            unpack(c, c->inputs, c->states, s.waiting[at], values);
            evaluate(c, values);
            if (c->constraint != NO_WORD && !argument_value(c, values, c->constraint))
                continue;
            if (argument_value(c, values, c->bad))
                return true;
            step(&s, values);
        }
    return false;
}

// At random.

static unsigned below(struct random *random, unsigned bound)
{
    return (unsigned)random_below(random, bound);
}

// An argument of that width, rather a late one; NO_WORD: there is none.
static uint16_t pick(const struct word_circuit *c, struct random *random, unsigned width)
{
    unsigned node = c->count;
    for (unsigned tries = 0; tries < 12 && (tries == 0 || c->nodes[node].width != width); tries++) {
        unsigned first = tries < 8 ? c->count / 2 : 0;
        node = first + below(random, c->count - first);
    }
    if (c->nodes[node].width != width)
        for (node = 0; node < c->count && c->nodes[node].width != width;)
            node++;
    bool complemented = width != ARRAY && below(random, 4) == 0;
    return node == c->count ? NO_WORD : (uint16_t)(2 * node + complemented);
}

static uint16_t pick_word(const struct word_circuit *c, struct random *random)
{
    uint16_t word = NO_WORD;
    for (unsigned tries = 0; tries < 20 && word == NO_WORD; tries++)
        word = pick(c, random, 1 + below(random, WIDEST));
    return word;
}

// Chooses arguments and the width of what comes out. False: there are none that fit.
static bool fill_in(const struct word_circuit *c, struct random *random, struct word_node *n)
{
    enum signature signature = (enum signature)operations[n->operation].signature;
    bool on_array = signature == READ || signature == WRITE ||
                    ((signature == CHOICE || signature == EQUALITY) && below(random, 6) == 0);
    uint16_t first = on_array ? pick(c, random, ARRAY) : pick_word(c, random);
    uint16_t *a = n->argument;
    if (signature != CONSTANT && first == NO_WORD)
        return false;
    unsigned width = first == NO_WORD ? 1 : argument_width(c, first);
    a[0] = first;
    a[1] = a[2] = first; // replaced where they are used
    n->width = (uint8_t)width;
    switch (signature) {
    case LEAF:
        return false;
    case CONSTANT:
        n->width = (uint8_t)(1 + below(random, 4));
        n->number = below(random, mask(n->width) + 1);
        return true;
    case SAME:
    case REDUCED:
    case EQUALITY:
        a[1] = pick(c, random, width);
        n->width = signature == SAME ? (uint8_t)width : 1;
        break;
    case BITS:
        a[0] = pick(c, random, 1);
        a[1] = pick(c, random, 1);
        n->width = 1;
        break;
    case CHOICE:
        a[0] = pick(c, random, 1);
        a[1] = first;
        a[2] = pick(c, random, width);
        break;
    case CONCAT:
        a[1] = pick_word(c, random);
        if (a[1] == NO_WORD || width + argument_width(c, a[1]) > WIDEST)
            return false;
        n->width = (uint8_t)(width + argument_width(c, a[1]));
        break;
    case SLICE:
        n->number = below(random, width);
        n->width = (uint8_t)(1 + below(random, width - n->number));
        break;
    case EXTENSION:
        n->width = (uint8_t)(width + below(random, WIDEST + 1 - width));
        break;
    case READ:
        a[1] = pick(c, random, 2);
        n->width = 2;
        break;
    case WRITE:
        a[1] = pick(c, random, 2);
        a[2] = pick(c, random, 2);
        break;
    }
    return a[0] != NO_WORD && a[1] != NO_WORD && a[2] != NO_WORD;
}

static void add_leaf(struct word_circuit *c, struct random *random, enum operation operation,
                     unsigned *left)
{
    struct word_node n = {.operation = (uint8_t)operation, .next = NO_WORD, .start = NO_WORD};
    bool array = operation == OP_STATE && *left > ARRAY_BITS && below(random, 3) == 0;
    n.width = array ? ARRAY : (uint8_t)(1 + below(random, *left < 4 ? *left : 4));
    *left -= bits_of(n.width);
    if (operation == OP_STATE && below(random, 4) > 0) {
        n.start = START_NUMBER;
        n.start_at = below(random, array ? 4 : mask(n.width) + 1);
        uint16_t other =
            c->count > c->inputs && below(random, 5) == 0 ? pick(c, random, n.width) : NO_WORD;
        if (other != NO_WORD && other / 2 >= c->inputs)
            n.start = other;
    }
    c->nodes[c->count++] = n;
}

struct word_circuit word_circuit_random(uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    struct word_circuit c = {.inputs = below(&random, 3), .states = 1 + below(&random, 4)};
    unsigned input_bits = MOST_INPUT_BITS, bits = MOST_STATE_BITS, states = 0;
    while (c.count < c.inputs && input_bits > 0)
        add_leaf(&c, &random, OP_INPUT, &input_bits);
    c.inputs = c.count;
    for (; states < c.states && bits > 0; states++)
        add_leaf(&c, &random, OP_STATE, &bits);
    c.states = states;
    unsigned wanted = c.count + 4 + below(&random, WORD_MOST_NODES - c.count - 4);
    while (c.count + 1 < wanted) {
        struct word_node n = {.operation =
                                  (uint8_t)(OP_CONSTD + below(&random, OPERATIONS - OP_CONSTD))};
        if (fill_in(&c, &random, &n))
            c.nodes[c.count++] = n;
    }
    uint16_t state = (uint16_t)(2 * c.inputs); // so that there is a bit
    uint16_t other = pick(&c, &random, argument_width(&c, state));
    c.nodes[c.count++] =
        (struct word_node){.operation = OP_EQ, .width = 1, .argument = {state, other}};
    for (unsigned i = c.inputs; i < c.inputs + c.states; i++)
        c.nodes[i].next = below(&random, 10) == 0 ? NO_WORD : pick(&c, &random, c.nodes[i].width);
    c.bad = pick(&c, &random, 1);
    c.constraint = below(&random, 4) == 0 ? pick(&c, &random, 1) : NO_WORD;
    return c;
}

// As BTOR2: words of w bits have sort w, the array has sort 20, values to start with are from line 30 on, nodes from
// line 100 on.

enum { SORT_OF_ARRAY = 20, FIRST_START = 30, FIRST_NODE = 100, FIRST_RELATION = 200 };

static int number_of(uint16_t argument)
{
    int line = FIRST_NODE + argument / 2;
    return argument & 1 ? -line : line;
}

static unsigned sort_of(const struct word_node *n)
{
    return n->width == ARRAY ? SORT_OF_ARRAY : n->width;
}

static void write_node(struct text *out, const struct word_circuit *c, unsigned i)
{
    const struct word_node *n = &c->nodes[i];
    text_printf(out, "%u %s %u", FIRST_NODE + i, operations[n->operation].name, sort_of(n));
    for (unsigned k = 0; k < operations[n->operation].arguments; k++)
        text_printf(out, " %d", number_of(n->argument[k]));
    if (n->operation == OP_CONSTD)
        text_printf(out, " %u", n->number);
    else if (n->operation == OP_SLICE)
        text_printf(out, " %u %u", n->number + n->width - 1, n->number);
    else if (operations[n->operation].signature == EXTENSION)
        text_printf(out, " %u", n->width - argument_width(c, n->argument[0]));
    text_add_char(out, '\n');
}

void word_circuit_write(struct text *out, const struct word_circuit *c)
{
    unsigned line = FIRST_RELATION;
    text_add(out, "; made at random\n");
    for (unsigned w = 1; w <= WIDEST; w++)
        text_printf(out, "%u sort bitvec %u\n", w, w);
    text_printf(out, "%u sort array 2 2\n", SORT_OF_ARRAY);
    for (unsigned i = c->inputs; i < c->inputs + c->states; i++)
        if (c->nodes[i].start == START_NUMBER)
            text_printf(out, "%u constd %u %u\n", FIRST_START + i,
                        c->nodes[i].width == ARRAY ? 2 : c->nodes[i].width, c->nodes[i].start_at);
    for (unsigned i = 0; i < c->count; i++)
        write_node(out, c, i);
    for (unsigned i = c->inputs; i < c->inputs + c->states; i++) {
        const struct word_node *n = &c->nodes[i];
        if (n->start == START_NUMBER)
            text_printf(out, "%u init %u %u %u\n", line++, sort_of(n), FIRST_NODE + i,
                        FIRST_START + i);
        else if (n->start != NO_WORD)
            text_printf(out, "%u init %u %u %d\n", line++, sort_of(n), FIRST_NODE + i,
                        number_of(n->start));
        if (n->next != NO_WORD)
            text_printf(out, "%u next %u %u %d\n", line++, sort_of(n), FIRST_NODE + i,
                        number_of(n->next));
    }
    text_printf(out, "%u bad %d\n", line++, number_of(c->bad));
    if (c->constraint != NO_WORD)
        text_printf(out, "%u constraint %d\n", line, number_of(c->constraint));
}
