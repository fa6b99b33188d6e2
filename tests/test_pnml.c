#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "languages/petri/net_text.h"
#include "languages/petri/pnml.h"
#include "tests/part.h"

// PNML as different programs write it: a part of a file and the net that it is, or why it is none; then random nets in
// random spellings against the same nets in the short form.

// place p, transition t, an arc from p to t: what stands in each, and what becomes of it.
struct spelling {
    const char *type, *place, *arc, *expected;
};

static const char FLAT[] = "http://www.pnml.org/version-2009/grammar/ptnet";

static const struct spelling SPELLINGS[] = {
    {FLAT, "<place id='p'/>", "<arc source='p' target='t'/>", "p=0 t:p-1"},
    {FLAT, "<place id='p'><initialMarking><text> 3\n</text></initialMarking></place>",
     "<arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc>",
     "p=3 t:p-2"},
    {FLAT, "<place id='p'><initialMarking><text/></initialMarking></place>",
     "<arc source='p' target='t'><inscription><text></text></inscription></arc>", "p=0 t:p-1"},
    {FLAT, "<place id='p'><initialMarking>4</initialMarking></place>",
     "<arc source='p' target='t'><inscription> 3 </inscription></arc>", "p=4 t:p-3"},
    {FLAT,
     "<place id='p'><initialMarking><value>Default,1</value><graphics/></initialMarking>"
     "<capacity><value>0</value></capacity></place>",
     "<arc source='p' target='t'><inscription><value>Default,5</value></inscription></arc>",
     "p=1 t:p-5"},
    {FLAT, "<place id='p'><initialMarking><text><![CDATA[7]]></text></initialMarking></place>",
     "<arc source='p' target='t'><type value='inhibitor'/></arc>", "p=7 t:p<1"},
    {FLAT, "<place id='p'/>",
     "<arc source='p' target='t'><type><text> inhibitor </text></type></arc>", "p=0 t:p<1"},
    {FLAT, "<place id='p'/>", "<arc source='p' target='t'><type>inhibitor</type></arc>",
     "p=0 t:p<1"},
    {"epnml-1.1", "<place id='p'/>",
     "<arc source='p' target='t'><arctype><text>inhibitor</text></arctype></arc>", "p=0 t:p<1"},
    {"P/T net", "<place id='p' initialMarking='2' invariant='&lt; inf' name='P'/>",
     "<arc source='p' target='t' type='tapnInhibitor' inscription='[0,inf)' weight='3'/>",
     "p=2 t:p<3"},
    {"P/T net", "<place id='p'/>",
     "<arc source='p' target='t' type='timed' inscription='[0,inf)' weight='2'/>", "p=0 t:p-2"},
    {"P/T net", "<place id='p'/>", "<inhibitorArc source='p' target='t'/>", "p=0 t:p<1"},
    {"P/T net", "<place id='p'/>", "<inputArc source='p' target='t' inscription='2'/>",
     "p=0 t:p-2"},
    {FLAT, "<place id='p'/>", "<arc source='p' target='t'><type value='read'/></arc>",
     "p=0 t:p-1 t:p+1"},
    {FLAT, "<place id='p'/>",
     "<arc source='p' target='t'><toolspecific tool='x' "
     "version='1'><weight>6</weight></toolspecific></arc>",
     "p=0 t:p-6"},
    {FLAT,
     "<place id='p'><toolspecific tool='x'><capacity>Unlimited</capacity></toolspecific></place>",
     "<arc source='p' target='t'/><arc source='p' target='t'/>", "p=0 t:p-2"},
    {"http://www.pnml.org/version-2009/grammar/pnmlcoremodel",
     "<place id='p'><initialMarking><text>1</text></initialMarking></place><finalmarkings><marking>"
     "<place idref='p'><text>1</text></place></marking></finalmarkings>",
     "<arc source='p' target='t'/>", "p=1 t:p-1"},
    {FLAT, "<place id='a&amp;b c'/><referencePlace id='p' ref='a&amp;b c'/>",
     "<arc source='p' target='t'/>", "a&b c=0 t:a&b c-1"},
    {FLAT, "<place id='p'><initialMarking><text>1099511627776</text></initialMarking></place>",
     "<arc source='p' target='t'/>", "p=1099511627776 t:p-1"},
    // No net, or none that we know.
    {FLAT, "<place id='p'><initialMarking><text>1099511627777</text></initialMarking></place>", "",
     "not supported: numbers above 2^40"},
    {FLAT, "<place id='p'><initialMarking>-4</initialMarking></place>", "",
     "found `-4`, expected a natural number"},
    {FLAT, "<place id='p'><initialMarking><value>Default,1,Red,2</value></initialMarking></place>",
     "", "found `1,Red,2`, expected a natural number"},
    // Priorities that are all the same are none; t comes after p and says nothing.
    {FLAT, "<place id='p'><toolspecific tool='x'><priority>7</priority></toolspecific></place>",
     "<arc source='p' target='t'/>", "p=0 t:p-1"},
    {FLAT, "<place id='p'/><transition id='u'><priority><value>2</value></priority></transition>",
     "", "not supported: transitions of different priorities"},
    {FLAT, "<place id='p'/><transition id='u'><timed><value>true</value></timed></transition>", "",
     "not supported: transitions of different priorities"},
    {FLAT, "<place id='p'/><transition id='u' priority='1'/>", "",
     "not supported: transitions of different priorities"},
    {FLAT, "<place id='p'/><transition id='u'><timed><value>false</value></timed></transition>", "",
     "p=0"},
    {FLAT, "<place id='p'/><transition id='u'><delay><interval/></delay></transition>", "",
     "not supported: transitions with an interval of time"},
    {FLAT, "<place id='p'/><transition id='u'><toolspecific><delay/></toolspecific></transition>",
     "", "not supported: transitions with an interval of time"},
    {FLAT, "<place id='p'/><transition id='u'><guard><text>x &lt; 3</text></guard></transition>",
     "", "not supported: a capacity, a priority or a condition (`x < 3`)"},
    {FLAT, "<module><place id='p'/></module>", "",
     "not supported: nodes and arcs within another element than a net or a page"},
    {FLAT, "<place id='p'/><toolspecific tool='x'><place id='q'/></toolspecific>", "", "p=0"},
    {FLAT, "<place id='p' capacity='2'/>", "",
     "not supported: a capacity, a priority or a condition (`2`)"},
    {FLAT, "<place id='p'><capacity><value>3</value></capacity></place>", "",
     "not supported: a capacity, a priority or a condition (`3`)"},
    {FLAT, "<place id='p'/>",
     "<arc source='p' target='t'><arctype><text>reset</text></arctype></arc>",
     "not supported: arcs of type `reset`"},
    {FLAT, "<place id='p'/>", "<arc source='p' target='t' type='transport'/>",
     "not supported: arcs of type `transport`"},
    {FLAT, "<place id='p'/>", "<arc source='p' target='t' type='timed' inscription='[1,2]'/>",
     "not supported: arcs with an interval of time"},
    {FLAT, "<place id='p'/>",
     "<arc source='p' target='t'><toolspecific tool='x'><isInhibitor/></toolspecific></arc>",
     "not supported: another spelling of special arcs"},
    {FLAT, "<place id='p' invariant='&lt;= 5'/>", "",
     "not supported: places where tokens have an age"},
    {"http://www.pnml.org/version-2009/grammar/symmetricnet", "", "",
     "not supported: nets of type `http://www.pnml.org/version-2009/grammar/symmetricnet` (only "
     "place/transition nets)"},
};

static void add_arcs(struct text *out, const struct net *net, const struct net_transition *t,
                     const struct net_arcs *arcs, char sign)
{
    for (uint32_t i = 0; i < arcs->count; i++)
        text_printf(out, " %s:%s%c%lld", t->id, net->places[arcs->data[i].place].id, sign,
                    (long long)arcs->data[i].weight);
}

static void describe(struct text *out, const struct net *net)
{
    for (uint32_t p = 0; p < net->place_count; p++)
        text_printf(out, "%s%s=%lld", p ? " " : "", net->places[p].id,
                    (long long)net->places[p].marking);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        add_arcs(out, net, &net->transitions[t], &net->transitions[t].pre, '-');
        add_arcs(out, net, &net->transitions[t], &net->transitions[t].post, '+');
        add_arcs(out, net, &net->transitions[t], &net->transitions[t].inhibit, '<');
    }
}

static void read(struct text *out, const char *text, size_t bytes,
                 struct net *(*reader)(const char *path, const char *text, size_t bytes,
                                       struct messages *messages))
{
    struct messages messages;
    messages_init(&messages);
    struct net *net = reader("n", text, bytes, &messages);
    if (net != NULL) {
        describe(out, net);
    } else {
        assert_true(messages.count > 0);
        assert_true(messages.items[0].line > 0);
        text_printf(out, "%s%s",
                    messages.items[0].kind == MESSAGE_UNSUPPORTED ? "not supported: " : "",
                    messages.items[0].text);
    }
    net_destroy(net);
    messages_finish(&messages);
}

// In the net itself or on a page.
static void check_spelling(const struct spelling *s, bool page)
{
    struct text file, found;
    text_init(&file);
    text_init(&found);
    text_printf(&file,
                "<?xml version='1.0' encoding='UTF-8'?>\n<!-- a net -->\n<pnml>"
                "<net id='n' type='%s'>%s%s<transition id='t'><name><text>do it</text></name>"
                "<graphics><position x='1' y='2'/></graphics></transition>%s%s</net></pnml>\n",
                s->type, page ? "<page id='g'>" : "", s->place, s->arc, page ? "</page>" : "");
    read(&found, text_string(&file), file.length, pnml_read);
    assert_string_equal(text_string(&found), s->expected);
    text_finish(&file);
    text_finish(&found);
}

static void test_spellings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        check_spelling(&SPELLINGS[i], false);
        // Elements named by the kind of arc are of a program that has no pages.
        if (strstr(SPELLINGS[i].arc, "putArc") == NULL &&
            strstr(SPELLINGS[i].arc, "inhibitorArc") == NULL)
            check_spelling(&SPELLINGS[i], true);
    }
}

// The short form as TINA's programs write it, and what becomes of it.
static const struct {
    const char *text, *expected;
} SHORT[] = {
    {"net {a b}\npl {p 1} : {lab el} (2)\ntr t : {x y} [0,w[ {p 1}*2 -> q\n",
     "p 1=2 q=0 t:p 1-2 t:q+1"},
    {"pl p (3K)\nnt n1 1 {a note}\nlb t foo\ntr t [0,w[ p*2M -> # done\n", "p=3000 t:p-2000000"},
    {"pl p (1)\ntr t p?1 q?-2 -> q*3\n", "p=1 q=0 t:p-1 t:p+1 t:q+3 t:q<2"},
    {"tr t ]0,w[ p ->\n", "not supported: transitions with time"},
    {"pl p (2000G)\n", "not supported: numbers above 2^40"},
    {"pr t > u\n", "not supported: priorities"},
};

static void test_short_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SHORT / sizeof *SHORT; i++) {
        struct text found;
        text_init(&found);
        read(&found, SHORT[i].text, strlen(SHORT[i].text), net_text_read);
        assert_string_equal(text_string(&found), SHORT[i].expected);
        text_finish(&found);
    }
}

struct writer {
    struct random *random;
    struct text *pnml, *plain;
    const char *prefix;
};

static bool toss(struct writer *w)
{
    return random_below(w->random, 2);
}

static void number(struct writer *w, const char *element, unsigned value)
{
    size_t part = random_below(w->random, 3);
    text_printf(w->pnml, "<%s%s>", w->prefix, element);
    if (part)
        text_printf(w->pnml, part == 1 ? "<%stext>" : "<%svalue>Default,", w->prefix);
    text_printf(w->pnml, toss(w) ? " %u\n" : "%u", value);
    if (part)
        text_printf(w->pnml, part == 1 ? "</%stext>" : "</%svalue>", w->prefix);
    text_printf(w->pnml, "</%s%s>", w->prefix, element);
}

static void write_place(struct writer *w, unsigned p)
{
    unsigned tokens = (unsigned)random_below(w->random, 4);
    text_printf(w->plain, "pl p%u (%u)\n", p, tokens);
    text_printf(w->pnml, "<%splace id=\"p%u\">", w->prefix, p);
    if (toss(w))
        text_printf(w->pnml, "<%sname><%stext>place %u</%stext></%sname>", w->prefix, w->prefix, p,
                    w->prefix, w->prefix);
    if (tokens || toss(w))
        number(w, "initialMarking", tokens);
    text_printf(w->pnml, "</%splace>", w->prefix);
}

enum spelled { SPELLED_OUTPUT, SPELLED_INPUT, SPELLED_READ, SPELLED_INHIBITOR };

static void write_kind(struct writer *w, enum spelled kind)
{
    static const char *const NAMES[] = {"normal", "normal", "read", "inhibitor"};
    if (kind <= SPELLED_INPUT && toss(w))
        return;
    if (toss(w))
        text_printf(w->pnml, "<%stype value='%s'/>", w->prefix, NAMES[kind]);
    else
        text_printf(w->pnml, "<%sarctype><%stext>%s</%stext></%sarctype>", w->prefix, w->prefix,
                    NAMES[kind], w->prefix, w->prefix);
}

static void write_arc(struct writer *w, unsigned p, unsigned t, enum spelled kind)
{
    static const char *const SIGNS[] = {"*", "*", "?", "?-"};
    unsigned weight = 1 + (unsigned)random_below(w->random, 3);
    bool out = kind == SPELLED_OUTPUT;
    text_printf(w->plain, " p%u%s%u", p, SIGNS[kind], weight);
    text_printf(w->pnml, "<%sarc source='%c%u' target='%c%u'>", w->prefix, out ? 't' : 'p',
                out ? t : p, out ? 'p' : 't', out ? p : t);
    write_kind(w, kind);
    if (weight > 1 || toss(w))
        number(w, "inscription", weight);
    text_printf(w->pnml, "<%sgraphics/></%sarc>", w->prefix, w->prefix);
}

static void write_transition(struct writer *w, unsigned t, unsigned places)
{
    text_printf(w->plain, "tr t%u", t);
    text_printf(w->pnml, "<%stransition id='t%u'/>", w->prefix, t);
    for (unsigned p = 0; p < places; p++)
        if (toss(w))
            write_arc(w, p, t, SPELLED_INPUT + (enum spelled)random_below(w->random, 3));
    text_add(w->plain, " ->");
    for (unsigned p = 0; p < places; p++)
        if (toss(w))
            write_arc(w, p, t, SPELLED_OUTPUT);
    text_add_char(w->plain, '\n');
}

static void write_both(struct writer *w)
{
    unsigned places = 1 + (unsigned)random_below(w->random, 4), pages = 0;
    w->prefix = toss(w) ? "x:" : "";
    text_printf(w->pnml,
                "<%spnml xmlns%s='http://www.pnml.org/version-2009/grammar/pnml'><%snet type='%s'>",
                w->prefix, *w->prefix ? ":x" : "", w->prefix, FLAT);
    for (; random_below(w->random, 3); pages++)
        text_printf(w->pnml, "<%spage id='g%u'>", w->prefix, pages);
    for (unsigned p = 0; p < places; p++)
        write_place(w, p);
    for (unsigned t = (unsigned)random_below(w->random, 4); t > 0; t--)
        write_transition(w, t, places);
    for (; pages > 0; pages--)
        text_printf(w->pnml, "</%spage>", w->prefix);
    text_printf(w->pnml, "</%snet></%spnml>", w->prefix, w->prefix);
}

static void test_random(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 7);
    for (unsigned i = 0; i < part_models(300, 60); i++) {
        struct text pnml, plain, one, other;
        text_init(&pnml);
        text_init(&plain);
        text_init(&one);
        text_init(&other);
        struct writer w = {&random, &pnml, &plain, ""};
        write_both(&w);
        read(&one, text_string(&pnml), pnml.length, pnml_read);
        read(&other, text_string(&plain), plain.length, net_text_read);
        assert_string_equal(text_string(&one), text_string(&other));
        text_finish(&pnml);
        text_finish(&plain);
        text_finish(&one);
        text_finish(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_short_form),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
