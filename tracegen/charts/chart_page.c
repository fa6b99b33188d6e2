#include "tracegen/charts/chart_page.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"

// ---- data --------------------------------------------------------------------------------------

static cJSON *step_data(const struct chart *chart, const struct chart_step *step,
                        const int64_t *before)
{
    cJSON *data = cJSON_CreateObject(), *active = cJSON_AddArrayToObject(data, "active"),
          *fired = cJSON_AddArrayToObject(data, "fired");
    cJSON_AddStringToObject(data, "words", step->words);
    for (uint32_t i = 0; i < chart->state_count; i++) {
        if (chart_can_be_active(chart->states[i]) &&
            interpreter_is_active(chart, step->cells, chart->states[i]))
            cJSON_AddItemToArray(active, cJSON_CreateNumber(i));
    }
    for (size_t i = 0; i < step->fired.count; i++)
        cJSON_AddItemToArray(fired, cJSON_CreateNumber(step->fired.data[i]->index));
    struct text values, changed;
    text_init(&values);
    text_init(&changed);
    chart_print_values(&values, chart, NULL, step->cells);
    if (before != NULL)
        chart_print_values(&changed, chart, before, step->cells);
    cJSON_AddStringToObject(data, "values", text_string(&values));
    cJSON_AddStringToObject(data, "changed", text_string(&changed));
    text_finish(&values);
    text_finish(&changed);
    return data;
}

// As a script's value: no "<" that could end the script.
static void print_data(struct text *out, const struct chart_page *page)
{
    cJSON *runs = cJSON_CreateArray();
    for (size_t i = 0; i < page->run_count; i++) {
        cJSON *run = cJSON_CreateObject(), *steps = cJSON_AddArrayToObject(run, "steps");
        cJSON_AddStringToObject(run, "name", page->names[i]);
        for (size_t k = 0; k < page->runs[i].count; k++)
            cJSON_AddItemToArray(steps, step_data(page->chart, &page->runs[i].data[k],
                                                  k == 0 ? NULL : page->runs[i].data[k - 1].cells));
        cJSON_AddItemToArray(runs, run);
    }
    char *text = cJSON_PrintUnformatted(runs);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<')
            text_add(out, "\\u003c");
        else
            text_add_char(out, *c);
    }
    free(text);
    cJSON_Delete(runs);
}

// ---- the chart ---------------------------------------------------------------------------------

static void boxes(struct text *out, const struct chart_region *region)
{
    text_add(out, "<div class=\"region\">");
    for (uint32_t i = 0; i < region->active_count; i++) {
        const struct chart_state *state = region->states[i];
        text_printf(out, "<div class=\"box\" id=\"s%u\">", state->index);
        markup_add(out, state->name);
        for (uint32_t k = 0; k < state->region_count; k++)
            boxes(out, state->regions[k]);
        text_add(out, "</div>");
    }
    text_add(out, "</div>\n");
}

static void print_chart(struct text *out, const struct chart_page *page)
{
    const char *svg = page->svg == NULL ? NULL : strstr(page->svg, "<svg");
    if (svg != NULL) {
        text_add(out, svg);
        return;
    }
    text_add(out, "<p>The chart is not drawn: ");
    markup_add(out, page->why_not != NULL ? page->why_not : "there is no picture");
    text_add(out, ".</p>\n");
    for (uint32_t i = 0; i < page->chart->component_count; i++) {
        const struct chart_component *component = page->chart->components[i];
        text_add(out, "<h3>");
        markup_add(out, component->name);
        text_add(out, "</h3>\n");
        for (uint32_t k = 0; k < component->region_count; k++)
            boxes(out, component->regions[k]);
    }
}

// ---- the page ----------------------------------------------------------------------------------

static const char STYLE[] =
    "body{font:14px sans-serif;margin:0;display:flex;flex-direction:column;height:100vh}\n"
    "header{padding:6px 12px;background:#eee}\n"
    "main{display:flex;flex:1;min-height:0}\n"
    "#chart{flex:2;overflow:auto;padding:8px}\n"
    "#side{flex:1;overflow:auto;padding:8px;border-left:1px solid #ccc}\n"
    "pre{white-space:pre-wrap}\n"
    ".box{border:1px solid #888;border-radius:6px;margin:4px;padding:4px}\n"
    ".box.active{background:#d6f0d6}\n"
    ".region{display:flex;flex-wrap:wrap}\n"
    "g.node.active>path,g.node.active>polygon,g.node.active>ellipse{fill:#8fd694}\n"
    "g.cluster.active>path,g.cluster.active>polygon{fill:#eef8ee;stroke:#2a7a2a;stroke-width:2}\n"
    "g.edge.fired>path,g.edge.fired>polygon{stroke:#c00;stroke-width:2.5}\n"
    "g.edge.fired text{fill:#c00}\n"
    "#steps li{cursor:pointer}\n#steps li.now{background:#ffe9a8}\n";

static const char SCRIPT[] =
    "let run=0,step=0;const $=i=>document.getElementById(i);\n"
    "function show(){\n"
    " const r=runs[run];if(!r)return;const s=r.steps[step];\n"
    " document.querySelectorAll('.active').forEach(e=>e.classList.remove('active'));\n"
    " document.querySelectorAll('.fired').forEach(e=>e.classList.remove('fired'));\n"
    " s.active.forEach(i=>{const e=$('s'+i);if(e)e.classList.add('active')});\n"
    " s.fired.forEach(i=>{const e=$('t'+i);if(e)e.classList.add('fired')});\n"
    " $('which').textContent=(step===0?'start':'step '+step)+' of '+(r.steps.length-1);\n"
    " $('words').textContent=s.words;$('values').textContent=s.values;\n"
    " $('changed').textContent=s.changed;\n"
    " const list=$('steps');list.innerHTML='';\n"
    " r.steps.forEach((x,i)=>{const li=document.createElement('li');\n"
    "  "
    "li.textContent=(x.words.split('\\n').find(l=>l.startsWith('event')||l.startsWith('fires'))||\n"
    "   (i===0?'start':'nothing fires'));\n"
    "  if(i===step)li.className='now';li.onclick=()=>{step=i;show()};list.appendChild(li)});\n"
    "}\n"
    "function go(n){step=Math.max(0,Math.min(runs[run].steps.length-1,n));show()}\n"
    "function "
    "choose(n){run=Math.max(0,Math.min(runs.length-1,n));$('runs').value=run;step=0;show()}\n"
    "runs.forEach((r,i)=>{const "
    "o=document.createElement('option');o.value=i;o.textContent=r.name;\n"
    " $('runs').appendChild(o)});\n"
    "$('runs').onchange=e=>{choose(+e.target.value);e.target.blur()};\n"
    "document.addEventListener('keydown',e=>{if(!runs.length)return;\n"
    " const k={ArrowRight:()=>go(step+1),ArrowLeft:()=>go(step-1),Home:()=>go(0),\n"
    "  End:()=>go(1e9),ArrowDown:()=>choose(run+1),ArrowUp:()=>choose(run-1)}[e.key];\n"
    " if(k){k();e.preventDefault()}});\n"
    "show();\n";

void chart_page_print(struct text *out, const struct chart_page *page)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    markup_add(out, page->title);
    text_printf(out, "</title>\n<style>\n%s</style></head>\n<body><header><b>", STYLE);
    markup_add(out, page->title);
    text_add(out,
             "</b> &nbsp; run <select id=\"runs\"></select> &nbsp; <span id=\"which\"></span>"
             " &nbsp; <small>&larr; &rarr; step, Home End, &uarr; &darr; run</small></header>\n"
             "<main><div id=\"chart\">\n");
    print_chart(out, page);
    text_add(out, "</div><div id=\"side\"><h3>what happens</h3><pre id=\"words\"></pre>"
                  "<h3>changed</h3><pre id=\"changed\"></pre><h3>values</h3>"
                  "<pre id=\"values\"></pre><h3>steps</h3><ol id=\"steps\" start=\"0\"></ol></div>"
                  "</main>\n<script>\nconst runs=");
    print_data(out, page);
    text_printf(out, ";\n%s</script></body></html>\n", SCRIPT);
}
