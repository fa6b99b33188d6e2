#include "logic/smt/remainder.h"

#include "logic/smt/bottom_up.h"

static const struct term *without_rem(void *data, const struct term *term,
                                      const struct term *const *children)
{
    struct term_store *store = data;
    if (term->kind != TERM_REM)
        return term_rebuild(store, term, children);
    const struct term *a = children[0], *b = children[1];
    const struct sort *integers = sort_int(store);
    const struct term *by_zero = term_var(store, "!rem0", sort_array(store, integers, integers));
    const struct term *zero = term_int(store, 0), *mod = term_mod(store, a, b);
    const struct term *signed_mod =
        term_ite(store, term_le(store, zero, b), mod, term_neg(store, mod));
    return term_ite(store, term_eq(store, b, zero), term_select(store, by_zero, a), signed_mod);
}

static bool needs_no_rewriting(void *data, const struct term *term)
{
    (void)data;
    return !(term->flags & TERM_HAS_DIVISION);
}

const struct term *smt_without_rem(struct term_store *store, const struct term *term)
{
    return term->flags & TERM_HAS_DIVISION ? bottom_up(term, needs_no_rewriting, without_rem, store)
                                           : term;
}
