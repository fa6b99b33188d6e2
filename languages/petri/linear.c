#include "languages/petri/linear.h"

#include <assert.h>
#include <lpsolve/lp_lib.h>

#include "base/memory.h"

// For each program lp_solve looks for a library "myBLAS" on all paths of the system: that takes longer than to solve a
// small program, runs whatever has this name, and changes what other threads' programs compute with. The linker
// puts this in its place (meson.build), so that lp_solve's own functions are what is used, always.
MYBOOL __wrap_load_BLAS(char *library);

MYBOOL __wrap_load_BLAS(char *library)
{
    (void)library;
    return FALSE;
}

struct linear {
    lprec *program;
    int *columns; // for a row
    REAL *weights;
    bool (*go_on)(void *context, uint64_t steps);
    void *context;
};

struct linear *linear_create(uint32_t columns)
{
    struct linear *l = memory_zalloc(sizeof *l);
    l->program = make_lp(0, (int)columns);
    l->columns = memory_alloc(((size_t)columns + 1) * sizeof *l->columns);
    l->weights = memory_alloc(((size_t)columns + 1) * sizeof *l->weights);
    set_verbose(l->program, NEUTRAL);
    set_minim(l->program);
    for (uint32_t c = 0; c < columns; c++) {
        l->columns[c] = (int)c + 1;
        l->weights[c] = 1;
    }
    set_obj_fnex(l->program, (int)columns, l->weights, l->columns);
    set_add_rowmode(l->program, TRUE);
    return l;
}

void linear_destroy(struct linear *l)
{
    if (l == NULL)
        return;
    delete_lp(l->program);
    memory_free(l->columns);
    memory_free(l->weights);
    memory_free(l);
}

void linear_integers(struct linear *l)
{
    for (int c = 1; c <= get_Ncolumns(l->program); c++)
        set_int(l->program, c, TRUE);
}

void linear_upper(struct linear *l, uint32_t column, double most)
{
    set_add_rowmode(l->program, FALSE);
    assert(column < (uint32_t)get_Ncolumns(l->program));
    set_upbo(l->program, (int)column + 1, most);
}

static int copy_terms(struct linear *l, const struct linear_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert(terms[i].column < (uint32_t)get_Ncolumns(l->program));
        l->columns[i] = (int)terms[i].column + 1;
        l->weights[i] = terms[i].weight;
    }
    return (int)count;
}

void linear_cost(struct linear *l, const struct linear_term *terms, size_t count)
{
    set_add_rowmode(l->program, FALSE);
    set_obj_fnex(l->program, copy_terms(l, terms, count), l->weights, l->columns);
    set_add_rowmode(l->program, TRUE);
}

void linear_row(struct linear *l, const struct linear_term *terms, size_t count,
                enum linear_relation relation, double bound)
{
    assert(count <= (size_t)get_Ncolumns(l->program) && "each column once");
    static const int RELATIONS[] = {LE, GE, EQ};
    add_constraintex(l->program, copy_terms(l, terms, count), l->weights, l->columns,
                     RELATIONS[relation], bound);
}

void linear_bound(struct linear *l, uint32_t row, double bound)
{
    set_add_rowmode(l->program, FALSE);
    assert(row < (uint32_t)get_Nrows(l->program));
    set_rh(l->program, (int)row + 1, bound);
}

static int __WINAPI is_over(lprec *program, void *context)
{
    struct linear *l = context;
    (void)program;
    return !l->go_on(l->context, 1);
}

enum linear_result linear_solve(struct linear *l, double *out,
                                bool (*go_on)(void *context, uint64_t steps), void *context)
{
    set_add_rowmode(l->program, FALSE);
    l->go_on = go_on;
    l->context = context;
    put_abortfunc(l->program, is_over, l);
    int result = solve(l->program);
    if (result == INFEASIBLE)
        return LINEAR_INFEASIBLE;
    if (result != OPTIMAL && result != SUBOPTIMAL && result != PRESOLVED)
        return LINEAR_STOPPED;
    get_variables(l->program, out);
    return LINEAR_SOLVED;
}
