#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/petri/formula.h"
#include "languages/petri/net_text.h"
#include "languages/petri/pnml.h"

// Nets and properties with bytes changed, left out, doubled and swapped: whatever comes, the readers either make a net
// that is consistent or say why not.   fuzz_petri COUNT [SEED]

static const char PNML[] =
    "<?xml version=\"1.0\"?><pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net "
    "id=\"n\" "
    "type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><name><text>n</text></name><page "
    "id=\"g\">"
    "<place "
    "id=\"p\"><name><text>P</text></name><initialMarking><text>2</text></initialMarking></place>"
    "<place id=\"q\"/><page id=\"h\"><referencePlace id=\"r\" ref=\"p\"/><transition "
    "id=\"t\"/></page>"
    "<arc id=\"a\" source=\"r\" target=\"t\"><inscription><text>2</text></inscription></arc>"
    "<arc id=\"b\" source=\"q\" target=\"t\"><type value=\"inhibitor\"/></arc>"
    "<arc id=\"c\" source=\"t\" target=\"q\"><toolspecific tool=\"x\" "
    "version=\"1\"><weight>3</weight>"
    "</toolspecific></arc></page></net></pnml>";
static const char NET[] =
    "net n # a net\npl p (2)\npl {q r} (0)\ntr t p*2 {q r}?1 p?-3 -> {q r}*2 p\n";
static const char FORMULAS[] =
    "<property-set "
    "xmlns=\"http://mcc.lip6.fr/\"><property><id>a</id><formula><exists-path><finally><conjunction>"
    "<integer-le><tokens-count><place>p</place></tokens-count><integer-constant>1</"
    "integer-constant></integer-le>"
    "<negation><is-fireable><transition>t</transition></is-fireable></negation><deadlock/></"
    "conjunction></finally>"
    "</exists-path></formula></property><property><id>b</id><formula><place-bound><place>p</"
    "place></place-bound>"
    "</formula></property></property-set>";
static const char PROPERTY[] =
    "EF (p + 2*p - 3 <= 4 and not fireable(t)) or p != 1 && !deadlock || (true and p >= 0)";

static char *mutate(struct random *random, const char *seed, size_t *length)
{
    struct text text;
    text_init(&text);
    text_add(&text, seed);
    unsigned changes = 1 + (unsigned)random_below(random, 2);
    for (unsigned i = 0; i < changes && text.length > 4; i++) {
        size_t at = random_below(random, text.length - 2), more = text.length - at;
        size_t n = 1 + random_below(random, more < 20 ? more : 20);
        switch (random_below(random, 4)) {
        case 0:
            text.data[at] = (char)random_next(random);
            break;
        case 1:
            memmove(text.data + at, text.data + at + n, more - n);
            text.length -= n;
            break;
        case 2: {
            char *copy = memory_alloc(n + 1);
            memcpy(copy, text.data + at, n);
            text_add_bytes(&text, copy, n);
            memory_free(copy);
            break;
        }
        default:
            text.data[at] = "<>/\"&{}()#-9"[random_below(random, 12)];
        }
    }
    *length = text.length;
    text_add_char(&text, '\0');
    return text_steal(&text);
}

static void check_net(const struct net *net)
{
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].effect.count; i++)
            if (net->transitions[t].effect.data[i].place >= net->place_count)
                abort();
    for (uint32_t p = 0; p < net->place_count; p++) {
        uint32_t number;
        if (net_find(net, net->places[p].id, &number) != NET_PLACE || number != p)
            abort();
    }
}

static void check(struct random *random, unsigned *read)
{
    struct messages messages;
    struct arena arena;
    struct question_list list = {0};
    static const char *const SEEDS[] = {PNML, NET, FORMULAS, PROPERTY};
    unsigned kind = (unsigned)random_below(random, 4);
    size_t length;
    char *text = mutate(random, SEEDS[kind], &length);
    messages_init(&messages);
    arena_init(&arena);
    struct net *net = kind == 0   ? pnml_read("f", text, length, &messages)
                      : kind == 1 ? net_text_read("f", text, length, &messages)
                                  : net_text_read("f", NET, strlen(NET), &messages);
    if (net)
        check_net(net);
    bool good = net != NULL;
    if (net && kind == 2)
        good = formula_read_xml(net, "f", text, length, &arena, &list, &messages);
    if (net && kind == 3)
        good = formula_read_text(net, "f", text, length, &arena, &list, &messages);
    if (!good && !messages_failed(&messages)) {
        fprintf(stderr, "refused without a message: %s\n", text);
        abort();
    }
    read[kind] += good;
    VECTOR_FINISH(&list);
    net_destroy(net);
    arena_finish(&arena);
    messages_finish(&messages);
    memory_free(text);
}

int main(int count, char **arguments)
{
    struct random random;
    unsigned read[4] = {0};
    unsigned long tries = count > 1 ? strtoul(arguments[1], NULL, 10) : 2000;
    random_init(&random, count > 2 ? strtoul(arguments[2], NULL, 10) : 1);
    for (unsigned long i = 0; i < tries; i++)
        check(&random, read);
    printf("%lu tries; read: %u PNML, %u nets as text, %u property files, %u properties\n", tries,
           read[0], read[1], read[2], read[3]);
    return read[1] == 0 || read[3] == 0;
}
