#include <inttypes.h>
#include <string.h>

#include "base/markup.h"
#include "tracegen/suite_print.h"

// One page without anything from outside: facts, coverage, the drawn graph, the traces. A click on a trace
// lights its path in the graph; a click on a state leaves the traces that visit it.

// Traces whose steps are written out; the others are in files of their own.
#define TRACES_SHOWN 400

static const char STYLE[] =
    ":root{color-scheme:light dark;--bg:#fbfbfa;--panel:#fff;--text:#1c1e21;--soft:#62676e;"
    "--line:#d5d8dc;--edge:#8b929a;--accent:#0b63ce;--tint:#e3effd;--bad:#b3261e;--good:#1b7f3b}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171a;--panel:#1d2024;--text:#e6e8ea;"
    "--soft:#9aa1a9;--line:#383d43;--edge:#767d86;--accent:#6cb2ff;--tint:#1b3654;--bad:#ff8a80;"
    "--good:#6fd08c}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--text);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "header{padding:16px 24px 8px}h1{font-size:20px;margin:0 0 2px;overflow-wrap:anywhere}"
    "h2{font-size:14px;margin:0 0 8px;color:var(--soft);font-weight:600}\n"
    "header p{margin:2px 0;color:var(--soft)}.yes{color:var(--good)}.no{color:var(--bad)}"
    "header b{font-weight:600}\n"
    "main{display:grid;grid-template-columns:minmax(0,3fr) minmax(320px,2fr);gap:16px;"
    "padding:8px 24px 24px;align-items:start}\n"
    "section{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:14px;"
    "min-width:0}\n"
    "#graph{position:sticky;top:8px}#view{overflow:auto;height:calc(100vh - "
    "96px);min-height:320px;text-align:center}"
    "#tools{float:right}\n"
    "button{font:inherit;color:inherit;background:none;border:1px solid var(--line);"
    "border-radius:6px;padding:0 9px;cursor:pointer}button:hover{border-color:var(--accent)}\n"
    "table{border-collapse:collapse;width:100%;font-size:13px}td,th{text-align:left;padding:3px "
    "8px 3px 0;"
    "vertical-align:top;border-top:1px solid var(--line)}th{color:var(--soft);font-weight:500;"
    "border-top:none}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "td.v{font-family:ui-monospace,monospace;font-size:12px;overflow-wrap:anywhere}\n"
    "meter{width:90px;height:10px}\n"
    "details{border-top:1px solid var(--line)}summary{padding:5px 2px;cursor:pointer}"
    "summary small{color:var(--soft)}details.on>summary{color:var(--accent);font-weight:600}\n"
    "details.out{display:none}tr[data-s]:hover{background:var(--tint)}.stack>section{margin-bottom:"
    "16px}\n"
    "ul{margin:0;padding-left:18px;font-size:13px;overflow-wrap:anywhere}\n"
    "svg text{fill:var(--text)}svg .node path,svg .node "
    "polygon{fill:var(--panel);stroke:var(--edge)}"
    "svg .node{cursor:pointer}svg .edge path{stroke:var(--edge)}svg .edge polygon{fill:var(--edge);"
    "stroke:var(--edge)}svg .edge text{fill:var(--soft)}\n"
    "svg .missing path,svg .missing polygon{stroke:var(--bad)}svg .edge.missing "
    "polygon{fill:var(--bad)}\n"
    "svg .node.lit path{fill:var(--tint);stroke:var(--accent);stroke-width:2.5}"
    "svg .edge.lit path{stroke:var(--accent);stroke-width:2.5}"
    "svg .edge.lit polygon{fill:var(--accent);stroke:var(--accent)}svg .edge.lit "
    "text{fill:var(--accent)}\n"
    "svg .node.here path{fill:var(--accent)}svg .node.here text{fill:var(--panel)}\n"
    "@media(max-width:900px){main{grid-template-columns:minmax(0,1fr)}#graph{position:static}"
    "#view{height:60vh}}\n";

static const char SCRIPT[] =
    "const at=id=>document.getElementById(id);const all=q=>document.querySelectorAll(q);\n"
    "let scale=1,only=null;const svg=document.querySelector('#view svg');\n"
    "const box=svg&&svg.viewBox.baseVal;const W=box?box.width:0,H=box?box.height:0;\n"
    "const zoom=f=>{if(!svg)return;scale=f;svg.setAttribute('width',W*scale);"
    "svg.setAttribute('height',H*scale)};\n"
    "const fit=()=>{const v=at('view');zoom(Math.min(1.2,Math.max(.7,Math.min("
    "(v.clientWidth-8)/W,(v.clientHeight-8)/H))))};\n"
    "const clear=c=>all('.'+c).forEach(e=>e.classList.remove(c));\n"
    "const light=d=>{clear('lit');clear('on');clear('here');if(!d)return;d.classList.add('on');\n"
    " d.dataset.states.split(' ').forEach(s=>{const e=at('s'+s);e&&e.classList.add('lit')});\n"
    " d.dataset.edges.split(' ').filter(x=>x).forEach(s=>{const "
    "e=at('e'+s);e&&e.classList.add('lit')})};\n"
    "const reveal=id=>{const e=at(id);if(e)e.scrollIntoView({block:'nearest',inline:'nearest'})};\n"
    "all('details').forEach(d=>d.addEventListener('toggle',()=>{if(d.open){all('details').forEach("
    "o=>{if(o!==d)o.open=false});light(d)}else if(d.classList.contains('on'))light(null)}));\n"
    "all('tr[data-s]').forEach(r=>{r.addEventListener('mouseenter',()=>{clear('here');"
    "const e=at('s'+r.dataset.s);e&&e.classList.add('here')});"
    "r.addEventListener('mouseleave',()=>clear('here'));"
    "r.addEventListener('click',()=>reveal('s'+r.dataset.s))});\n"
    "const filter=id=>{only=only===id?null:id;let n=0;all('details').forEach(d=>{const "
    "hit=only===null||"
    "d.dataset.states.split(' ').includes(only);d.classList.toggle('out',!hit);n+=hit});"
    "at('found').textContent=only===null?'':' '+n+' visit the chosen state'};\n"
    "all('svg .node').forEach(e=>e.addEventListener('click',()=>filter(e.id.slice(1))));\n"
    "if(svg){fit();at('in').onclick=()=>zoom(scale*1.25);at('less').onclick=()=>zoom(scale/1.25);"
    "at('fit').onclick=fit}\n"
    "const first=document.querySelector('details');if(first)first.open=true;\n";

static void escaped(struct text *out, const char *before, const char *plain, const char *after)
{
    text_add(out, before);
    markup_add(out, plain);
    text_add(out, after);
}

static void print_limit(struct text *out, const char *what, enum end_reason reason, const char *why)
{
    if (reason == END_NONE)
        return;
    text_printf(out, "<p class=no>%s was cut short: ", what);
    escaped(out, "", why != NULL ? why : end_reason_meaning(reason), "</p>\n");
}

static void print_header(struct text *out, const struct suite_report *report)
{
    const struct suite *suite = report->suite;
    escaped(out, "<header><h1>Traces of ", report->model, "</h1>\n");
    text_printf(
        out,
        "<p><b class=%s>%s</b> · %zu traces, the longest of %zu states · %zu states and "
        "%" PRIu64 " edges, %s</p>\n",
        suite_is_covered(report) ? "yes" : "no",
        suite_is_covered(report) ? "every state is on some trace" : "some states are on no trace",
        report->shown_count, suite_longest(report), suite->states.count, suite_edges(suite),
        suite->concrete ? "those of the model itself" : "abstract: what is tracked of them");
    if (report->selection != NULL)
        escaped(out, "<p>", report->selection, "</p>\n");
    print_limit(out, "The exploration", suite->explore_end, suite->explore_why);
    print_limit(out, "The making of traces", suite->trace_end, suite->trace_why);
    text_add(out, "</header>\n");
}

static void print_coverage(struct text *out, const struct suite_report *report)
{
    text_add(out, "<section><h2>Coverage</h2><table>\n");
    for (unsigned i = 0; i < CRITERION_COUNT; i++) {
        uint64_t covered = coverage_count(report->coverage, i);
        uint64_t total = coverage_total(report->coverage, i, report->suite);
        text_printf(out,
                    "<tr><td>%s</td><td class=n>%" PRIu64 " of %s%" PRIu64
                    "</td><td><meter max=%" PRIu64 " value=%" PRIu64 "></meter></td></tr>\n",
                    criterion_meaning(i), covered, i >= COVER_TRANSITIONS ? "at most " : "", total,
                    total ? total : 1, covered);
    }
    text_add(out, "</table></section>\n");
}

static void print_missing(struct text *out, const struct suite *suite)
{
    size_t listed = 0, missing = suite->states.count - suite_covered_states(suite);
    if (missing == 0)
        return;
    text_printf(out, "<section><h2>States on no trace: %zu</h2><ul>\n", missing);
    struct term_store *store = term_store_create(suite->model->store);
    struct text state;
    text_init(&state);
    for (uint32_t i = 0; i < suite->states.count && listed < 50; i++) {
        if (suite->states.data[i].covered)
            continue;
        text_clear(&state);
        suite_print_state(&state, suite, i, store);
        escaped(out, "<li>", text_string(&state), "</li>\n");
        listed++;
    }
    text_finish(&state);
    term_store_destroy(store);
    if (missing > listed)
        text_printf(out, "<li>and %zu more</li>", missing - listed);
    text_add(out, "</ul>");
    for (size_t i = 0; i < suite->hints.count; i++)
        escaped(out, i == 0 ? "<p>These variables may have to be tracked: " : ", ",
                suite->hints.data[i]->name, i + 1 == suite->hints.count ? "</p>" : "");
    text_add(out, "</section>\n");
}

struct rows {
    struct text *out, *changes;
    const struct suite_trace *trace;
};

static void take_row(void *context, struct shown_step step)
{
    struct rows *r = context;
    text_printf(r->out, "<tr data-s=%u><td class=n>%zu</td><td>", r->trace->states[step.number],
                step.number);
    escaped(r->out, "", step.label, "</td><td>");
    escaped(r->out, "", step.location->name, "</td><td class=v>");
    text_clear(r->changes);
    suite_print_changes(r->changes, r->trace->trace, step.before, step.now, "\n");
    if (r->changes->length == 0)
        text_add(r->changes, "–");
    for (const char *c = text_string(r->changes); *c != '\0'; c++) {
        char one[2] = {*c, '\0'};
        if (*c == '\n')
            text_add(r->out, "<br>");
        else
            markup_add(r->out, one);
    }
    text_add(r->out, "</td></tr>\n");
}

static void print_trace(struct text *out, struct text *changes, const struct suite_trace *trace,
                        size_t number)
{
    text_add(out, "<details data-states=\"");
    for (size_t i = 0; i < trace->state_count; i++)
        text_printf(out, "%s%u", i > 0 ? " " : "", trace->states[i]);
    text_add(out, "\" data-edges=\"");
    for (size_t i = 0; i + 1 < trace->state_count; i++)
        text_printf(out, "%s%u", i > 0 ? " " : "", trace->edges[i]);
    text_add(out, "\"><summary>");
    suite_trace_name(out, number);
    text_printf(out, " <small>%zu states%s%s</small></summary>\n", trace->state_count,
                trace->shortened ? ", shortened" : "", trace->added ? ", for coverage" : "");
    text_add(out,
             "<table><tr><th></th><th>step</th><th>at</th><th>values that changed</th></tr>\n");
    struct rows rows = {out, changes, trace};
    suite_each_step(trace->trace, take_row, &rows);
    text_add(out, "</table></details>\n");
}

static void print_traces(struct text *out, const struct suite_report *report)
{
    const struct suite *suite = report->suite;
    struct text changes;
    size_t shown = 0;
    text_init(&changes);
    text_add(out, "<section><h2>Traces<span id=found></span></h2>\n");
    for (size_t i = 0; i < suite->traces.count && shown < TRACES_SHOWN; i++)
        if (suite_shows(report, i)) {
            print_trace(out, &changes, &suite->traces.data[i], i);
            shown++;
        }
    if (shown < report->shown_count)
        text_printf(out, "<p>%zu more are in the files beside this page.</p>",
                    report->shown_count - shown);
    text_add(out, "</section>\n");
    text_finish(&changes);
}

void suite_print_html(struct text *out, const struct suite_report *report, const char *svg,
                      const char *why_not)
{
    escaped(out,
            "<!doctype html><html lang=en><meta charset=utf-8>\n<meta name=viewport "
            "content=\"width=device-width,initial-scale=1\">\n<title>Traces of ",
            report->model, "</title>\n<style>\n");
    text_printf(out, "%s</style>\n", STYLE);
    print_header(out, report);
    text_add(out, "<main><section id=graph>");
    if (svg != NULL)
        text_add(out, "<span id=tools><button id=less>−</button> <button id=in>+</button> "
                      "<button id=fit>fit</button></span>");
    text_add(out, "<h2>States and steps</h2><div id=view>\n");
    if (svg != NULL) // without the XML header and document type
        text_add(out, strstr(svg, "<svg") != NULL ? strstr(svg, "<svg") : "");
    else
        escaped(out, "<p>The graph is not drawn: ", why_not, "</p>");
    text_add(out, "</div></section>\n<div class=stack>");
    print_coverage(out, report);
    print_missing(out, report->suite);
    print_traces(out, report);
    text_printf(out, "</div></main>\n<script>\n%s</script></html>\n", SCRIPT);
}
