#include <cvc5/cvc5.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
#include "logic/smt/cvc5/cvc5_library.h"
}

using cvc5::Kind;
using cvc5::Sort;
using cvc5::Term;

struct cvc5_library {
    cvc5::Solver solver;
    std::unordered_map<uint32_t, Term> terms; // by id
    std::unordered_map<const struct sort *, Sort> sorts;
    std::vector<Term> assumptions; // of the last check
    std::string text, error;
};

namespace
{

// As print_term writes names inside bars, so that its reader knows them again.
std::string quotable(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (; *name; name++)
        if (*name == '|' || *name == '\\')
            out += std::string("@") + digits[(unsigned char)*name >> 4] + digits[*name & 15];
        else
            out += *name;
    return out;
}

Sort make_enum(cvc5_library &l, const struct sort *sort)
{
    cvc5::DatatypeDecl declaration = l.solver.mkDatatypeDecl(quotable(sort->name));
    for (uint32_t i = 0; i < sort->literal_count; i++)
        declaration.addConstructor(l.solver.mkDatatypeConstructorDecl(quotable(sort->name) + "." +
                                                                      quotable(sort->literals[i])));
    return l.solver.mkDatatypeSort(declaration);
}

Sort sort_of(cvc5_library &l, const struct sort *sort)
{
    auto known = l.sorts.find(sort);
    if (known != l.sorts.end())
        return known->second;
    Sort made;
    switch (sort->kind) {
    case SORT_BOOL:
        made = l.solver.getBooleanSort();
        break;
    case SORT_INT:
        made = l.solver.getIntegerSort();
        break;
    case SORT_RAT:
        made = l.solver.getRealSort();
        break;
    case SORT_BV:
        made = l.solver.mkBitVectorSort(sort->width);
        break;
    case SORT_ENUM:
        made = make_enum(l, sort);
        break;
    case SORT_ARRAY:
        made = l.solver.mkArraySort(sort_of(l, sort->key), sort_of(l, sort->element));
        break;
    }
    l.sorts.emplace(sort, made);
    return made;
}

std::string digits_of(const struct term *t)
{
    return value_is_small(t->u.value) ? std::to_string(value_small_get(t->u.value))
                                      : std::string(t->u.text);
}

Term bits_of(cvc5_library &l, const struct term *t)
{
    if (value_is_small(t->u.value))
        return l.solver.mkBitVector(t->sort->width,
                                    std::to_string((uint64_t)value_small_get(t->u.value)), 10);
    return l.solver.mkBitVector(t->sort->width, t->u.text, 10);
}

Kind kind_of(const struct term *t)
{
    switch ((enum term_kind)t->kind) {
    case TERM_NOT:
        return cvc5::NOT;
    case TERM_AND:
        return cvc5::AND;
    case TERM_OR:
        return cvc5::OR;
    case TERM_EQ:
        return cvc5::EQUAL;
    case TERM_ITE:
        return cvc5::ITE;
    case TERM_LE:
        return cvc5::LEQ;
    case TERM_LT:
        return cvc5::LT;
    case TERM_ADD:
        return cvc5::ADD;
    case TERM_MUL:
        return cvc5::MULT;
    case TERM_DIV:
        return t->sort->kind == SORT_INT ? cvc5::INTS_DIVISION : cvc5::DIVISION;
    case TERM_MOD:
        return cvc5::INTS_MODULUS;
    case TERM_TO_RAT:
        return cvc5::TO_REAL;
    case TERM_BV_NOT:
        return cvc5::BITVECTOR_NOT;
    case TERM_BV_NEG:
        return cvc5::BITVECTOR_NEG;
    case TERM_BV_AND:
        return cvc5::BITVECTOR_AND;
    case TERM_BV_OR:
        return cvc5::BITVECTOR_OR;
    case TERM_BV_XOR:
        return cvc5::BITVECTOR_XOR;
    case TERM_BV_ADD:
        return cvc5::BITVECTOR_ADD;
    case TERM_BV_MUL:
        return cvc5::BITVECTOR_MULT;
    case TERM_BV_UDIV:
        return cvc5::BITVECTOR_UDIV;
    case TERM_BV_SDIV:
        return cvc5::BITVECTOR_SDIV;
    case TERM_BV_UREM:
        return cvc5::BITVECTOR_UREM;
    case TERM_BV_SREM:
        return cvc5::BITVECTOR_SREM;
    case TERM_BV_SMOD:
        return cvc5::BITVECTOR_SMOD;
    case TERM_BV_SHL:
        return cvc5::BITVECTOR_SHL;
    case TERM_BV_LSHR:
        return cvc5::BITVECTOR_LSHR;
    case TERM_BV_ASHR:
        return cvc5::BITVECTOR_ASHR;
    case TERM_BV_ULT:
        return cvc5::BITVECTOR_ULT;
    case TERM_BV_ULE:
        return cvc5::BITVECTOR_ULE;
    case TERM_BV_SLT:
        return cvc5::BITVECTOR_SLT;
    case TERM_BV_SLE:
        return cvc5::BITVECTOR_SLE;
    case TERM_BV_CONCAT:
        return cvc5::BITVECTOR_CONCAT;
    case TERM_SELECT:
        return cvc5::SELECT;
    case TERM_STORE:
        return cvc5::STORE;
    default:
        throw std::runtime_error("a term that cvc5 is not given");
    }
}

// There is no rotation by a term: two shifts that add up to the width.
Term rotation(cvc5_library &l, const struct term *t, const std::vector<Term> &a)
{
    cvc5::Solver &s = l.solver;
    uint32_t width = t->sort->width;
    Term whole = s.mkBitVector(width, std::to_string(width), 10);
    Term by = s.mkTerm(cvc5::BITVECTOR_UREM, {a[1], whole});
    Term rest = s.mkTerm(cvc5::BITVECTOR_SUB, {whole, by});
    bool left = t->kind == TERM_BV_ROL;
    return s.mkTerm(cvc5::BITVECTOR_OR,
                    {s.mkTerm(left ? cvc5::BITVECTOR_SHL : cvc5::BITVECTOR_LSHR, {a[0], by}),
                     s.mkTerm(left ? cvc5::BITVECTOR_LSHR : cvc5::BITVECTOR_SHL, {a[0], rest})});
}

Term array_of(cvc5_library &l, const struct term *t, const std::vector<Term> &a)
{
    Term array = l.solver.mkConstArray(sort_of(l, t->sort), a[0]);
    for (size_t i = 1; i + 1 < a.size(); i += 2)
        array = l.solver.mkTerm(cvc5::STORE, {array, a[i], a[i + 1]});
    return array;
}

// The body was made with constants in the place of its bound variables.
Term quantifier(cvc5_library &l, const struct term *t, const std::vector<Term> &a)
{
    std::vector<Term> constants(a.begin(), a.end() - 1), variables;
    for (uint32_t i = 0; i + 1 < t->child_count; i++)
        variables.push_back(l.solver.mkVar(sort_of(l, t->child[i]->sort)));
    return l.solver.mkTerm(t->kind == TERM_FORALL ? cvc5::FORALL : cvc5::EXISTS,
                           {l.solver.mkTerm(cvc5::VARIABLE_LIST, variables),
                            a.back().substitute(constants, variables)});
}

Term make(cvc5_library &l, const struct term *t, const std::vector<Term> &a)
{
    cvc5::Solver &s = l.solver;
    switch ((enum term_kind)t->kind) {
    case TERM_BOOL:
        return s.mkBoolean(term_is_true(t));
    case TERM_INT:
        return s.mkInteger(digits_of(t));
    case TERM_RAT:
        return s.mkReal(std::string(t->u.text));
    case TERM_BV:
        return bits_of(l, t);
    case TERM_ENUM:
        return s.mkTerm(
            cvc5::APPLY_CONSTRUCTOR,
            {sort_of(l, t->sort).getDatatype()[(size_t)value_small_get(t->u.value)].getTerm()});
    case TERM_VAR:
        return s.mkConst(sort_of(l, t->sort));
    case TERM_ARRAY:
    case TERM_CONST_ARRAY:
        return array_of(l, t, a);
    case TERM_FORALL:
    case TERM_EXISTS:
        return quantifier(l, t, a);
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        return rotation(l, t, a);
    case TERM_BV_EXTRACT:
        return s.mkTerm(s.mkOp(cvc5::BITVECTOR_EXTRACT, {t->u.extract.high, t->u.extract.low}), a);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return s.mkTerm(s.mkOp(t->kind == TERM_BV_ZEXT ? cvc5::BITVECTOR_ZERO_EXTEND
                                                       : cvc5::BITVECTOR_SIGN_EXTEND,
                               {t->sort->width - t->child[0]->sort->width}),
                        a);
    default:
        return s.mkTerm(kind_of(t), a);
    }
}

// Bottom-up with a stack of its own: path formulas are deep chains.
Term translate(cvc5_library &l, const struct term *root)
{
    std::vector<const struct term *> work{root};
    while (!work.empty()) {
        const struct term *t = work.back();
        if (l.terms.count(t->id) != 0) {
            work.pop_back();
            continue;
        }
        std::vector<Term> children;
        for (uint32_t i = 0; i < t->child_count; i++) {
            auto child = l.terms.find(t->child[i]->id);
            if (child == l.terms.end())
                work.push_back(t->child[i]);
            else
                children.push_back(child->second);
        }
        if (children.size() == t->child_count)
            l.terms.emplace(t->id, make(l, t, children));
    }
    return l.terms.at(root->id);
}

// Runs `work`; false, with the words of what was thrown, when it throws.
template <typename Work> bool guarded(struct cvc5_library *library, Work work)
{
    try {
        work();
        return true;
    } catch (const std::exception &e) {
        library->error = e.what();
    } catch (...) {
        library->error = "cvc5 failed";
    }
    return false;
}

enum cvc5_answer answer_of(cvc5_library &l, const cvc5::Result &result)
{
    if (result.isSat())
        return CVC5_SAT;
    if (result.isUnsat())
        return CVC5_UNSAT;
    if (result.getUnknownExplanation() == cvc5::RESOURCEOUT)
        return CVC5_OUT_OF_STEPS;
    l.error = result.toString();
    return CVC5_UNKNOWN;
}

} // namespace

struct cvc5_library *cvc5_library_create(unsigned seed)
{
    try {
        struct cvc5_library *library = new cvc5_library;
        bool good = guarded(library, [&] {
            cvc5::Solver &s = library->solver;
            s.setOption("incremental", "true");
            s.setOption("produce-models", "true");
            s.setOption("produce-unsat-assumptions", "true");
            s.setOption("seed", std::to_string(seed));
            s.setLogic("ALL");
        });
        if (good)
            return library;
        delete library;
    } catch (...) {
    }
    return NULL;
}

void cvc5_library_destroy(struct cvc5_library *library)
{
    delete library;
}

bool cvc5_library_assert(struct cvc5_library *library, const struct term *formula)
{
    return guarded(library, [&] { library->solver.assertFormula(translate(*library, formula)); });
}

bool cvc5_library_push(struct cvc5_library *library)
{
    return guarded(library, [&] { library->solver.push(1); });
}

bool cvc5_library_pop(struct cvc5_library *library, unsigned levels)
{
    return guarded(library, [&] { library->solver.pop(levels); });
}

enum cvc5_answer cvc5_library_check(struct cvc5_library *library,
                                    const struct term *const *assumptions, size_t count,
                                    uint64_t steps)
{
    enum cvc5_answer answer = CVC5_FAILED;
    guarded(library, [&] {
        library->assumptions.clear();
        for (size_t i = 0; i < count; i++)
            library->assumptions.push_back(translate(*library, assumptions[i]));
        library->solver.setOption("reproducible-resource-limit", std::to_string(steps));
        answer = answer_of(*library, count == 0
                                         ? library->solver.checkSat()
                                         : library->solver.checkSatAssuming(library->assumptions));
    });
    return answer;
}

const char *cvc5_library_value(struct cvc5_library *library, const struct term *term)
{
    bool good = guarded(library, [&] {
        library->text = library->solver.getValue(translate(*library, term)).toString();
    });
    return good ? library->text.c_str() : NULL;
}

bool cvc5_library_core(struct cvc5_library *library, bool *in_core)
{
    return guarded(library, [&] {
        std::vector<Term> core = library->solver.getUnsatAssumptions();
        for (size_t i = 0; i < library->assumptions.size(); i++) {
            in_core[i] = false;
            for (const Term &t : core)
                in_core[i] = in_core[i] || t == library->assumptions[i];
        }
    });
}

const char *cvc5_library_error(const struct cvc5_library *library)
{
    return library->error.c_str();
}

uint64_t cvc5_library_terms(const struct cvc5_library *library)
{
    return library->terms.size();
}
