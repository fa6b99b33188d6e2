#include "analysis/figures.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/score.h"
#include "base/memory.h"

extern char **environ;

enum {
    QUANTILE_ROWS = 10,
    MAP_ROWS = 40,
    MAP_FAMILIES = 30,
    LABEL_BYTES = 40,
};

static const double SHORTEST_SECONDS = 0.001; // clocks say no more

// A string of gnuplot in single quotes, where nothing is substituted but the quote itself is doubled;
// labels of tics are formats besides, in which a percent sign is doubled.
static void put_quoted(struct text *out, const char *value, bool tic)
{
    size_t left = strlen(value), shown = 0, length;
    text_add_char(out, '\'');
    for (; left > 0 && shown < LABEL_BYTES; value += length, left -= length, shown += length) {
        length = text_printable_length(value, left);
        if (length == 0 || *value == '`')
            text_add_char(out, '?');
        else if (*value == '\'')
            text_add(out, "''");
        else if (*value == '%' && tic)
            text_add(out, "%%");
        else
            text_add_bytes(out, value, length);
        length = length != 0 ? length : 1;
    }
    text_add(out, left > 0 ? "…'" : "'");
}

static void put_string(struct text *out, const char *value)
{
    put_quoted(out, value, false);
}

static double shown(double seconds)
{
    return seconds > SHORTEST_SECONDS ? seconds : SHORTEST_SECONDS;
}

static const struct score_cell *cell_of(const struct study *study, size_t row, size_t task)
{
    return row < study->score.row_count ? score_cell(&study->score, row, task)
                                        : &study->best_cells[task];
}

static const char *label_of(const struct study *study, size_t row)
{
    return row < study->score.row_count ? study->score.rows[row].label : study->best.label;
}

static void put_head(struct text *out, enum figures_kind kind)
{
    text_add(out, "set encoding utf8\n"
                  "set border 3 lc rgb '#5c6672'\n"
                  "set tics nomirror tc rgb '#5c6672'\n"
                  "set grid lc rgb '#e2e5ea' lt 1\n"
                  "set key noenhanced\n");
    if (kind == FIGURES_PDF)
        text_add(out, "set terminal pdfcairo noenhanced font 'sans,11' size 6,4\n");
    else
        text_add(out,
                 "set terminal svg noenhanced font 'sans,12' size 720,480 background '#ffffff'\n");
    static const char *const colours[] = {"#2457c5", "#d1600a", "#1a7f4b", "#8e44ad",
                                          "#a07800", "#0e8a9a", "#c2185b", "#5d6d7e"};
    for (size_t i = 0; i < 2 * sizeof colours / sizeof colours[0]; i++)
        text_printf(out, "set linetype %zu lc rgb '%s' lw 1.6 dt %zu\n", i + 1, colours[i % 8],
                    1 + i / 8);
}

static void put_output(struct text *out, const char *name, enum figures_kind kind)
{
    text_printf(out, "set output '%s.%s'\n", name, kind == FIGURES_PDF ? "pdf" : "svg");
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t put_solved_times(struct text *out, const struct study *study, size_t row)
{
    size_t count = 0;
    double *times = memory_alloc((study->score.task_count + 1) * sizeof *times);
    for (size_t t = 0; t < study->score.task_count; t++)
        if (outcome_solved(cell_of(study, row, t)->outcome))
            times[count++] = shown(cell_of(study, row, t)->wall_seconds);
    qsort(times, count, sizeof *times, compare_doubles);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%zu %.4g\n", i + 1, times[i]);
    memory_free(times);
    return count;
}

static void put_quantile(struct text *out, const struct study *study, enum figures_kind kind)
{
    struct text plots;
    text_init(&plots);
    size_t rows = study->score.row_count;
    for (size_t r = 0; r <= rows; r++) {
        if (r >= QUANTILE_ROWS && r < rows)
            continue;
        text_printf(out, "$quantile%zu << EOD\n", r);
        size_t count = put_solved_times(out, study, r);
        text_add(out, "EOD\n");
        if (count == 0)
            continue;
        text_add(&plots, plots.length == 0 ? "plot " : ", ");
        text_printf(&plots, "$quantile%zu using 1:2 with %s %s title ", r,
                    count > 1 ? "lines" : "points", r == rows ? "lc rgb '#1c2127' dt 3 lw 2" : "");
        put_string(&plots, label_of(study, r));
    }
    if (plots.length != 0) {
        put_output(out, "quantile", kind);
        text_add(out, "set logscale y\nset key left top\nset xlabel 'tasks solved'\n"
                      "set ylabel 'wall time of each, s'\n");
        text_printf(out, "%s\nunset logscale\n", text_string(&plots));
    }
    text_finish(&plots);
}

static double largest_time(const struct study *study, size_t a, size_t b)
{
    double largest = 1;
    for (size_t t = 0; t < study->score.task_count; t++) {
        const struct score_cell *x = cell_of(study, a, t), *y = cell_of(study, b, t);
        if (outcome_solved(x->outcome) && largest < x->wall_seconds)
            largest = x->wall_seconds;
        if (outcome_solved(y->outcome) && largest < y->wall_seconds)
            largest = y->wall_seconds;
    }
    return largest;
}

// What is not solved lies on the border, at twice the largest time.
static size_t put_pairs(struct text *out, const struct study *study, size_t a, size_t b,
                        enum verdict verdict, double border)
{
    size_t count = 0;
    for (size_t t = 0; t < study->score.task_count; t++) {
        const struct score_cell *x = cell_of(study, a, t), *y = cell_of(study, b, t);
        bool solved_x = outcome_solved(x->outcome), solved_y = outcome_solved(y->outcome);
        bool compared = x->outcome != OUTCOME_MISSING && y->outcome != OUTCOME_MISSING &&
                        (solved_x || solved_y);
        if (!compared || (solved_x ? x->verdict : y->verdict) != verdict)
            continue;
        count++;
        text_printf(out, "%.4g %.4g\n", solved_x ? shown(x->wall_seconds) : border,
                    solved_y ? shown(y->wall_seconds) : border);
    }
    return count;
}

static void put_scatter(struct text *out, const struct study *study, enum figures_kind kind,
                        size_t a, size_t b)
{
    assert(a <= study->score.row_count && b <= study->score.row_count);
    double largest = largest_time(study, a, b), border = 2 * largest;
    size_t count[3] = {0};
    for (int v = VERDICT_SAFE; v <= VERDICT_UNSAFE; v++) {
        text_printf(out, "$pairs%d << EOD\n", v);
        count[v] = put_pairs(out, study, a, b, (enum verdict)v, border);
        text_add(out, "EOD\n");
    }
    if (count[VERDICT_SAFE] + count[VERDICT_UNSAFE] == 0)
        return;
    put_output(out, "scatter", kind);
    text_printf(out,
                "set logscale xy\nset size square\nset key outside right top\n"
                "set xrange [%g:%g]\nset yrange [%g:%g]\n",
                SHORTEST_SECONDS / 1.5, 1.3 * border, SHORTEST_SECONDS / 1.5, 1.3 * border);
    text_printf(out,
                "set arrow 1 from %g,graph 0 to %g,graph 1 nohead dt 2 lc rgb '#5c6672'\n"
                "set arrow 2 from graph 0,first %g to graph 1,first %g nohead dt 2 lc rgb "
                "'#5c6672'\n",
                1.4 * largest, 1.4 * largest, 1.4 * largest, 1.4 * largest);
    text_add(out, "set xlabel noenhanced ");
    put_string(out, label_of(study, a));
    text_add(out, "\nset ylabel noenhanced ");
    put_string(out, label_of(study, b));
    text_add(out, "\nplot x with lines lc rgb '#5c6672' dt 1 lw 1 notitle, "
                  "10*x with lines lc rgb '#c9ced6' dt 1 lw 1 notitle, "
                  "x/10 with lines lc rgb '#c9ced6' dt 1 lw 1 notitle");
    if (count[VERDICT_SAFE] != 0)
        text_printf(out, ", $pairs%d with points pt 7 ps 0.5 lc 1 title 'safe'", VERDICT_SAFE);
    if (count[VERDICT_UNSAFE] != 0)
        text_printf(out, ", $pairs%d with points pt 5 ps 0.5 lc 2 title 'unsafe'", VERDICT_UNSAFE);
    text_add(out, "\nunset logscale\nset size nosquare\nunset arrow 1\nunset arrow 2\n"
                  "set autoscale\n");
}

static void put_map(struct text *out, const struct study *study, enum figures_kind kind)
{
    const struct families *map = &study->families;
    size_t columns = map->count < MAP_FAMILIES ? map->count : MAP_FAMILIES;
    size_t rows = map->row_count < MAP_ROWS ? map->row_count : MAP_ROWS;
    if (columns == 0 || study->score.row_count == 0)
        return;
    struct text x, y;
    text_init(&x);
    text_init(&y);
    text_add(out, "$map << EOD\n");
    for (size_t i = 0; i < rows; i++) {
        size_t r = i + 1 < rows ? i : map->row_count - 1; // the virtual best last
        text_add(&y, i == 0 ? "" : ", ");
        put_quoted(&y, label_of(study, r), true);
        text_printf(&y, " %zu", i);
        for (size_t f = 0; f < columns; f++) {
            const struct family_cell *cell = families_cell(map, r, f);
            text_printf(out, "%zu %zu %.4f %zu\n", f, i,
                        cell->tasks != 0 ? (double)cell->solved / (double)cell->tasks : 0,
                        cell->solved);
        }
    }
    text_add(out, "EOD\n");
    for (size_t f = 0; f < columns; f++) {
        text_add(&x, f == 0 ? "" : ", ");
        put_quoted(&x, map->names[f], true);
        text_printf(&x, " %zu", f);
    }
    put_output(out, "heat-map", kind);
    text_printf(out,
                "unset grid\nunset key\nset xlabel ''\nset ylabel ''\n"
                "set xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n",
                columns - 1, rows - 1);
    text_printf(out, "set xtics noenhanced rotate by 35 right (%s)\nset ytics noenhanced (%s)\n",
                text_string(&x), text_string(&y));
    text_add(out, "set palette defined (0 '#f6f7f9', 1 '#7fa2ea')\nset cbrange [0:1]\n"
                  "set cblabel 'share solved'\nset style fill solid 1 noborder\n"
                  "plot $map using 1:2:(0.49):(0.47):3 with boxxyerror palette, "
                  "$map using 1:2:4 with labels tc rgb '#1c2127'\n"
                  "set autoscale\nset xtics norotate autofreq\nset ytics autofreq\n"
                  "set grid lc rgb '#e2e5ea' lt 1\n");
    text_finish(&x);
    text_finish(&y);
}

static void put_stalls(struct text *out, const struct study *study, enum figures_kind kind)
{
    size_t sum[STALL_BINS] = {0}, total = 0;
    for (size_t i = 0; i < study->attempts.count; i++)
        for (size_t b = 0; b < STALL_BINS; b++)
            sum[b] += study->attempts.rows[i].stalls[b];
    text_add(out, "$stalls << EOD\n");
    for (size_t b = 0; b < STALL_BINS; b++) {
        total += sum[b];
        if (sum[b] != 0)
            text_printf(out, "%.5g %zu %.5g %.5g\n",
                        sqrt(attempts_bin_seconds(b) * attempts_bin_seconds(b + 1)), sum[b],
                        attempts_bin_seconds(b), attempts_bin_seconds(b + 1));
    }
    text_add(out, "EOD\n");
    if (total == 0)
        return;
    put_output(out, "stalls", kind);
    text_add(out, "set logscale x\nunset key\nset xlabel 'wall time until the stall was seen, s'\n"
                  "set ylabel 'stalls'\nset yrange [0:*]\nset style fill solid 1 noborder\n"
                  "plot $stalls using 1:2:3:4:(0):2 with boxxyerror lc 2\n");
}

void figures_script(struct text *out, const struct study *study, enum figures_kind kind, size_t a,
                    size_t b)
{
    put_head(out, kind);
    put_quantile(out, study, kind);
    if (study->score.row_count != 0)
        put_scatter(out, study, kind, a, b);
    put_map(out, study, kind);
    put_stalls(out, study, kind);
    text_add(out, "set output\n");
}

bool figures_parse_pair(const struct study *study, const char *text, size_t *a, size_t *b,
                        struct text *why)
{
    size_t rows = study->score.row_count;
    unsigned x, y;
    int end = 0;
    bool good = sscanf(text, "%u,%u%n", &x, &y, &end) == 2 && text[end] == '\0' && x >= 1 &&
                y >= 1 && x <= rows && y <= rows && x != y;
    if (!good) {
        text_printf(why, "--between: '%s' is not two different rows of the %zu, as in 1,2", text,
                    rows);
        return false;
    }
    *a = x - 1;
    *b = y - 1;
    return true;
}

static bool spawn_gnuplot(const char *folder, FILE *script, FILE *errors, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDOUT_FILENO);
    char *arguments[] = {(char *)"gnuplot", (char *)"-", NULL};
    int error = posix_spawnp(pid, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
}

static void add_first_line(struct text *why, FILE *errors)
{
    char line[300];
    rewind(errors);
    while (fgets(line, sizeof line, errors) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] != '\0') {
            text_printf(why, ": %s", line);
            return;
        }
    }
}

static bool run_gnuplot(const char *folder, const struct text *script, FILE *input, FILE *errors,
                        struct text *why)
{
    pid_t pid;
    if (fwrite(text_string(script), 1, script->length, input) != script->length ||
        fflush(input) != 0) {
        text_printf(why, "script of gnuplot: %s", strerror(errno));
        return false;
    }
    rewind(input);
    if (!spawn_gnuplot(folder, input, errors, &pid)) {
        text_printf(why, "figures need gnuplot, which cannot be started: %s", strerror(errno));
        return false;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    text_add(why, "gnuplot failed");
    add_first_line(why, errors);
    return false;
}

bool figures_write(const struct study *study, const char *folder, enum figures_kind kind, size_t a,
                   size_t b, struct text *why)
{
    struct stat found;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        text_printf(why, "%s: %s", folder, strerror(errno));
        return false;
    }
    if (stat(folder, &found) != 0 || !S_ISDIR(found.st_mode)) {
        text_printf(why, "%s: not a folder", folder);
        return false;
    }
    struct text script;
    text_init(&script);
    figures_script(&script, study, kind, a, b);
    FILE *input = tmpfile(), *errors = tmpfile();
    bool good = input != NULL && errors != NULL;
    if (good)
        good = run_gnuplot(folder, &script, input, errors, why);
    else
        text_printf(why, "temporary file: %s", strerror(errno));
    if (input != NULL)
        fclose(input);
    if (errors != NULL)
        fclose(errors);
    text_finish(&script);
    return good;
}
