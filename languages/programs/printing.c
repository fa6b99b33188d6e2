#include "languages/programs/printing.h"

#include <stddef.h>
#include <string.h>

static const char *read_number(const char *at, bool *given, int *out)
{
    *given = *at == '*';
    if (*given)
        return at + 1;
    for (; *at >= '0' && *at <= '9'; at++)
        *out = *out > 9999 ? *out : *out * 10 + (*at - '0');
    return at;
}

static const char *read_size(const char *at, char *size)
{
    static const struct {
        const char *text;
        char size;
    } sizes[] = {{"hh", 'H'}, {"h", 'h'}, {"ll", 'L'}, {"l", 'l'}, {"q", 'L'},
                 {"j", 'L'},  {"z", 'z'}, {"t", 'z'},  {"L", 'D'}};
    *size = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t length = strlen(sizes[i].text);
        if (strncmp(at, sizes[i].text, length) == 0) {
            *size = sizes[i].size;
            return at + length;
        }
    }
    return at;
}

const char *conversion_read(const char *at, struct conversion *out)
{
    *out = (struct conversion){.precision = -1};
    for (; *at != '\0' && strchr("-+ #0'", *at) != NULL; at++) {
        out->plus = out->plus || *at == '+';
        out->space = out->space || *at == ' ';
        out->alternate = out->alternate || *at == '#';
        out->left = out->left || *at == '-';
        out->zero = out->zero || *at == '0';
        if (*at == '\'')
            return NULL; // groups of the locale
    }
    at = read_number(at, &out->width_given, &out->width);
    if (*at == '.') {
        out->precision = 0;
        at = read_number(at + 1, &out->precision_given, &out->precision);
    }
    at = read_size(at, &out->size);
    if (*at == '\0' || strchr("%diouxXcspfFeEgGaAn", *at) == NULL)
        return NULL;
    out->letter = *at;
    return at + 1;
}

uint32_t conversion_bits(const struct conversion *c, uint32_t pointer_bits)
{
    switch (c->size) {
    case 'H':
        return 8;
    case 'h':
        return 16;
    case 'l':
    case 'z':
        return pointer_bits;
    case 'L':
        return 64;
    default:
        return 32;
    }
}

int64_t conversion_length(const struct conversion *c, uint64_t value, uint32_t bits)
{
    const uint64_t base = c->letter == 'o' ? 8 : c->letter == 'x' || c->letter == 'X' ? 16 : 10;
    const bool has_sign = c->letter == 'd' || c->letter == 'i';
    uint64_t size = bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
    const bool minus = has_sign && size >> (bits - 1) != 0;
    if (minus)
        size = bits >= 64 ? -size : ((uint64_t)1 << bits) - size;
    int64_t digits = size == 0 && c->precision != 0;
    for (uint64_t rest = size; rest > 0; rest /= base)
        digits++;
    if (digits < c->precision)
        digits = c->precision;
    else if (base == 8 && c->alternate && (size != 0 || digits == 0))
        digits++;
    if (base == 16 && c->alternate && size != 0)
        digits += 2;
    digits += has_sign && (minus || c->plus || c->space);
    return digits;
}

bool printing_reads(const char *name, uint32_t *format, uint32_t *string)
{
    static const struct {
        const char *name;
        uint32_t format, string;
    } rows[] = {{"printf", 1, 0}, {"printk", 1, 0}, {"fprintf", 2, 0},
                {"syslog", 2, 0}, {"warn", 1, 0},   {"warnx", 1, 0},
                {"puts", 0, 1},   {"fputs", 0, 1},  {"perror", 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            *format = rows[i].format;
            *string = rows[i].string;
            return true;
        }
    }
    return false;
}

const char *printing_constant(const struct program *program, const struct operand *o, char *text,
                              uint64_t most)
{
    const struct global *g = o->kind == OPERAND_ADDRESS ? &program->globals[o->number] : NULL;
    if (g == NULL || !g->constant || g->external || g->bytes > most || o->offset < 0 ||
        (uint64_t)o->offset >= g->bytes)
        return NULL;
    memset(text, 0, g->bytes);
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        if (d->bytes != 1 || d->value.kind != OPERAND_CONSTANT)
            return NULL;
        text[d->offset] = (char)d->value.bits;
    }
    const char *from = text + o->offset;
    return memchr(from, '\0', g->bytes - (uint64_t)o->offset) != NULL ? from : NULL;
}
