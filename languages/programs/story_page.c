#include <cjson/cJSON.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/story.h"

// The run as JSON, and as a page with the source beside it.
//   { formalism, length, violated, at: { file, line, column }, left_out,
//     steps: [ { kind, file, line, column, function, depth, statement, changes: [ { input, name, value } ] } ] }
// A step of kind "rounds" says how many more of a loop went as the one before it did, in `rounds`.

static const char *const KINDS[] = {"statement", "call", "return", "rounds"};

static void add_text(cJSON *object, const char *name, struct text *text)
{
    cJSON_AddStringToObject(object, name, text_string(text));
    text_clear(text);
}

static void add_place(cJSON *object, const struct position *at)
{
    cJSON_AddStringToObject(object, "file", at->path == NULL ? "" : at->path);
    cJSON_AddNumberToObject(object, "line", at->line);
    cJSON_AddNumberToObject(object, "column", at->column);
}

static cJSON *change(const struct story *story, const struct run_event *event)
{
    struct text text;
    text_init(&text);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "input", event->kind == EVENT_INPUT);
    story_target(&text, story, event);
    add_text(object, "name", &text);
    story_value(&text, event);
    add_text(object, "value", &text);
    text_finish(&text);
    return object;
}

static cJSON *json_step(const struct story *story, const struct story_step *step)
{
    struct text text;
    text_init(&text);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", KINDS[step->kind]);
    add_place(object, &step->at);
    cJSON_AddStringToObject(object, "function", story_function(story, step->frame));
    cJSON_AddNumberToObject(object, "depth", story_depth(step));
    if (story->flat->threads > 0)
        cJSON_AddNumberToObject(object, "thread", story_thread(story, step));
    story_statement(&text, step);
    add_text(object, "statement", &text);
    if (step->kind == STORY_ROUNDS)
        cJSON_AddNumberToObject(object, "rounds", (double)step->rounds);
    cJSON *changes = cJSON_AddArrayToObject(object, "changes");
    for (size_t i = 0; i < step->event_count; i++)
        cJSON_AddItemToArray(changes, change(story, &step->events[i]));
    text_finish(&text);
    return object;
}

static void add_texts(const struct story *story, cJSON *out)
{
    for (size_t i = 0; i < story->text_count; i++) {
        const struct story_text *t = &story->texts[i];
        struct text name = {0}, words = {0};
        if (t->text == NULL)
            continue;
        story_text_name(&name, t);
        story_text_words(&words, t);
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", text_string(&name));
        cJSON_AddStringToObject(one, "value", text_string(&words));
        cJSON_AddItemToArray(out, one);
        text_finish(&name);
        text_finish(&words);
    }
}

static cJSON *json_story(const struct story *story, const struct trace *trace)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "formalism", trace->model->dialect->name);
    cJSON_AddNumberToObject(root, "length", (double)story->step_count + (double)story->left_out);
    cJSON_AddStringToObject(root, "violated",
                            story->result.end == RUN_VIOLATION ? story->result.what : "");
    add_place(cJSON_AddObjectToObject(root, "at"), &story->result.at);
    cJSON_AddNumberToObject(root, "left_out", (double)story->left_out);
    add_texts(story, cJSON_AddArrayToObject(root, "given"));
    cJSON *steps = cJSON_AddArrayToObject(root, "steps");
    for (size_t i = 0; i < story->step_count; i++)
        cJSON_AddItemToArray(steps, json_step(story, &story->steps[i]));
    return root;
}

void story_print_json(struct text *out, const struct trace *trace)
{
    struct story *story = story_create(trace);
    cJSON *root = json_story(story, trace);
    char *printed = cJSON_Print(root);
    text_add(out, printed == NULL ? "" : printed);
    text_add_char(out, '\n');
    cJSON_free(printed);
    cJSON_Delete(root);
    story_destroy(story);
}

// The page.

static const char STYLE[] =
    ":root{color-scheme:light dark;--bg:#fbfbfa;--panel:#fff;--text:#1c1e21;--soft:#62676e;"
    "--line:#d5d8dc;--accent:#0b63ce;--tint:#e3effd;--bad:#b3261e;--mark:#fff3c4}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171a;--panel:#1d2024;--text:#e6e8ea;"
    "--soft:#9aa1a9;--line:#383d43;--accent:#6cb2ff;--tint:#1b3654;--bad:#ff8a80;--mark:#4a3f12}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--text);font:15px/1.45 "
    "system-ui,sans-serif}\n"
    "header{padding:14px 20px 6px}h1{font-size:19px;margin:0;overflow-wrap:anywhere}header "
    "p{margin:2px 0;color:var(--soft)}b{color:var(--bad);font-weight:600}\n"
    "main{display:grid;grid-template-columns:minmax(0,3fr) minmax(280px,2fr);gap:14px;padding:6px "
    "20px 20px}\n"
    "section{background:var(--panel);border:1px solid var(--line);border-radius:8px;min-width:0;"
    "overflow:auto;height:calc(100vh - 110px)}\n"
    "pre{margin:0;font:12.5px/1.5 ui-monospace,monospace}.l{display:block;padding-right:8px;"
    "white-space:pre}.l i{display:inline-block;width:4.5em;padding-right:1em;text-align:right;"
    "color:var(--soft);font-style:normal;user-select:none}\n"
    ".l.ran i{color:var(--accent)}.l.now{background:var(--mark)}.l.bad{outline:1px solid "
    "var(--bad)}"
    "h2{font-size:13px;color:var(--soft);margin:8px 12px 4px}\n"
    "#side{display:grid;grid-template-rows:auto minmax(0,1fr) auto minmax(0,1fr)}#steps,#values{"
    "overflow:auto}\n"
    ".s{display:block;width:100%;text-align:left;border:0;background:none;color:inherit;font:12."
    "5px/"
    "1.45 ui-monospace,monospace;padding:1px 12px;cursor:pointer;white-space:pre}.s.now{background:"
    "var(--tint)}.s small{color:var(--soft)}\n"
    "table{border-collapse:collapse;font:12.5px ui-monospace,monospace;width:100%}td{padding:2px "
    "12px;border-top:1px solid var(--line)}tr.new td{background:var(--mark)}\n"
    "@media(max-width:800px){main{grid-template-columns:minmax(0,1fr)}section{height:60vh}}\n";

static const char SCRIPT[] =
    "const run=JSON.parse(document.getElementById('run').textContent),at=i=>document."
    "getElementById(i);\n"
    "let now=-1;const key=(f,l)=>'l'+files.indexOf(f)+'-'+l;\n"
    "const files=JSON.parse(document.getElementById('files').textContent);\n"
    "run.steps.forEach((s,i)=>{const "
    "b=document.createElement('button');b.className='s';b.tabIndex=-1;"
    "b.textContent='  '.repeat(Math.min(s.depth,20))+(s.kind==='call'?'call of "
    "'+s.function:s.kind==='return'?'return from '+s.function:s.kind==='rounds'?'… '+s.rounds+' "
    "more rounds like "
    "this one':s.statement);"
    "const t=document.createElement('small');t.textContent=(s.line?s.line+' "
    "':'').padStart(7);b.prepend(t);"
    "b.onclick=()=>show(i);at('steps').append(b);const "
    "e=at(key(s.file,s.line));e&&e.classList.add('"
    "ran')});\n"
    "const bad=at(key(run.at.file,run.at.line));bad&&bad.classList.add('bad');\n"
    "const values=n=>{const stacks=new Map(),globals=new Map();let frames=[new Map()],fresh=new "
    "Set();"
    "for(let i=0;i<=n;i++){const s=run.steps[i];if(!stacks.has(s.thread))stacks.set(s.thread,[new "
    "Map()]);"
    "frames=stacks.get(s.thread);if(s.kind==='call')frames.push(new "
    "Map());if(s.kind==='return'&&frames.length>1)frames.pop();fresh=new "
    "Set();s.changes.forEach(c=>{const f=frames[frames.length-1];f.delete(c.name);f.set(c.name,c."
    "value);fresh.add(c.name)})}return[frames[frames.length-1],fresh]};\n"
    "const show=i=>{i=Math.max(0,Math.min(run.steps.length-1,i));if(i<0)return;now=i;"
    "document.querySelectorAll('.now').forEach(e=>e.classList.remove('now'));"
    "const "
    "s=run.steps[i],b=at('steps').children[i];b.classList.add('now');b.scrollIntoView({block:'"
    "nearest'});"
    "const "
    "e=at(key(s.file,s.line));if(e){e.classList.add('now');e.scrollIntoView({block:'nearest'})"
    "}\n"
    "const[m,fresh]=values(i),t=at('values');t.replaceChildren();const "
    "table=document.createElement('table');[...m].reverse().forEach(([k,v])=>{const "
    "r=table.insertRow();r.insertCell().textContent=k;r.insertCell().textContent=v;"
    "if(fresh.has(k))r.className='new'});t.append(table);"
    "at('where').textContent=(i+1)+' of '+run.steps.length+' · '+s.function+' · "
    "'+s.file+':'+s.line};\n"
    "at('given').textContent=run.given.map(t=>t.name+' = '+t.value).join(', ');\n"
    "addEventListener('keydown',e=>{const "
    "d={ArrowDown:1,ArrowRight:1,j:1,n:1,ArrowUp:-1,ArrowLeft:-1,"
    "k:-1,p:-1,PageDown:20,PageUp:-20}[e.key];if(d){show(now+d);e.preventDefault()}"
    "if(e.key==='Home'){show(0);e.preventDefault()}if(e.key==='End'){show(run.steps.length-1);e."
    "preventDefault()}});\n"
    "show(0);\n";

static void add_escaped(struct text *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        size_t length = text_printable_length(text + i, bytes - i);
        if (text[i] == '<')
            text_add(out, "&lt;");
        else if (text[i] == '&')
            text_add(out, "&amp;");
        else if (text[i] == '"')
            text_add(out, "&quot;");
        else if (text[i] == '\t')
            text_add(out, "    ");
        else if (length == 0)
            text_add_char(out, ' ');
        else
            text_add_bytes(out, text + i, length);
        i += length == 0 ? 1 : length;
    }
}

// JSON inside of a page: no `<` may end the element.
static void add_script(struct text *out, const char *id, const cJSON *data)
{
    char *printed = cJSON_PrintUnformatted(data);
    text_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *c = printed == NULL ? "null" : printed; *c != '\0'; c++) {
        if (*c == '<')
            text_add(out, "\\u003c");
        else
            text_add_char(out, *c);
    }
    text_add(out, "</script>\n");
    cJSON_free(printed);
}

static void add_source(struct text *out, const struct source *source, size_t number)
{
    text_add(out, "<h2>");
    add_escaped(out, source->path, strlen(source->path));
    text_add(out, "</h2><pre>");
    for (size_t line = 0; line < source->line_count; line++) {
        size_t start = source->lines[line];
        size_t end = line + 1 < source->line_count ? source->lines[line + 1] - 1 : source->bytes;
        text_printf(out, "<span class=\"l\" id=\"l%zu-%zu\"><i>%zu</i>", number, line + 1,
                    line + 1);
        add_escaped(out, source->text + start, end - start);
        text_add(out, "</span>");
    }
    text_add(out, "</pre>\n");
}

static void add_head(struct text *out, const struct story *story)
{
    const struct position *at = &story->result.at;
    const char *path = story->flat->program->files[0];
    text_add(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta "
                  "name=\"viewport\" content=\"width=device-width\"><title>");
    add_escaped(out, path, strlen(path));
    text_printf(out, "</title><style>%s</style>\n<header><h1>", STYLE);
    add_escaped(out, path, strlen(path));
    text_printf(out, "</h1><p><b>%s</b>%s", story->result.what,
                at->line > 0 ? " is violated at " : "");
    if (at->line > 0) {
        add_escaped(out, at->path, strlen(at->path));
        text_printf(out, ":%u:%u", at->line, at->column);
    }
    if (story->left_out > 0)
        text_printf(out, "; %zu steps in the middle are left out", story->left_out);
    text_add(out,
             "</p><p>Arrow keys (or j, k) go step by step, Home and End to the first and last; "
             "<span id=\"where\"></span></p><p id=\"given\"></p></header>\n");
}

void story_print_page(struct text *out, const struct trace *trace)
{
    struct story *story = story_create(trace);
    cJSON *root = json_story(story, trace), *files = cJSON_CreateArray();
    add_head(out, story);
    text_add(out, "<main><section>");
    for (size_t i = 0; i < story->source_count; i++) {
        cJSON_AddItemToArray(files, cJSON_CreateString(story->sources[i]->path));
        if (story->sources[i]->line_count > 0)
            add_source(out, story->sources[i], i);
    }
    text_add(out, "</section><section id=\"side\"><h2>Steps</h2><div id=\"steps\"></div>"
                  "<h2>Values</h2><div id=\"values\"></div></section></main>\n");
    add_script(out, "run", root);
    add_script(out, "files", files);
    text_printf(out, "<script>%s</script></html>\n", SCRIPT);
    cJSON_Delete(root);
    cJSON_Delete(files);
    story_destroy(story);
}
