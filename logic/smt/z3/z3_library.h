#ifndef REGATTA_LOGIC_SMT_Z3_Z3_LIBRARY_H
#define REGATTA_LOGIC_SMT_Z3_Z3_LIBRARY_H

#include <z3.h>

// Z3, loaded when its first context is made. Linked in the ordinary way, it and the C++ library that it needs are half of what it
// takes to start the program; a run that needs it loads it beside the others of the race.
//
// Its functions are called as z3_library.mk_add(…), after z3_library_load. One that is missing here is added to the list.

// clang-format off
#define Z3_LIBRARY_NAMES(NAME)                                                                     \
    NAME(apply_result_dec_ref) NAME(apply_result_get_num_subgoals)                                 \
    NAME(apply_result_get_subgoal) NAME(apply_result_inc_ref) NAME(ast_vector_dec_ref)             \
    NAME(ast_vector_get) NAME(ast_vector_inc_ref) NAME(ast_vector_size) NAME(dec_ref)              \
    NAME(del_config) NAME(del_context) NAME(fixedpoint_add_callback) NAME(fixedpoint_add_rule)     \
    NAME(fixedpoint_dec_ref) NAME(fixedpoint_get_cover_delta)                                      \
    NAME(fixedpoint_get_rule_names_along_trace) NAME(fixedpoint_inc_ref) NAME(fixedpoint_query)    \
    NAME(fixedpoint_query_relations) NAME(fixedpoint_register_relation)                            \
    NAME(fixedpoint_set_params) NAME(func_decl_to_ast) NAME(func_entry_dec_ref)                    \
    NAME(func_entry_get_arg) NAME(func_entry_get_value) NAME(func_entry_inc_ref)                   \
    NAME(func_interp_dec_ref) NAME(func_interp_get_else) NAME(func_interp_get_entry)               \
    NAME(func_interp_get_num_entries) NAME(func_interp_inc_ref) NAME(get_app_arg)                  \
    NAME(get_app_decl) NAME(get_app_num_args) NAME(get_array_sort_domain)                          \
    NAME(get_array_sort_range) NAME(get_as_array_func_decl) NAME(get_ast_id) NAME(get_ast_kind)    \
    NAME(get_bv_sort_size) NAME(get_decl_func_decl_parameter) NAME(get_decl_int_parameter)         \
    NAME(get_decl_kind) NAME(get_decl_name) NAME(get_decl_num_parameters)                          \
    NAME(get_decl_parameter_kind) NAME(get_error_code) NAME(get_error_msg)                         \
    NAME(get_func_decl_id) NAME(get_index_value) NAME(get_numeral_string)                          \
    NAME(get_quantifier_body) NAME(get_quantifier_num_bound) NAME(get_sort) NAME(get_sort_id)      \
    NAME(get_sort_kind) NAME(get_symbol_kind) NAME(get_symbol_string) NAME(get_version)            \
    NAME(goal_assert) NAME(goal_dec_ref) NAME(goal_formula) NAME(goal_inc_ref)                     \
    NAME(goal_precision) NAME(goal_size) NAME(inc_ref) NAME(interrupt) NAME(is_algebraic_number)   \
    NAME(is_lambda) NAME(mk_add) NAME(mk_and) NAME(mk_app) NAME(mk_array_sort)                     \
    NAME(mk_bool_sort) NAME(mk_bv_sort) NAME(mk_bvadd) NAME(mk_bvand) NAME(mk_bvashr)              \
    NAME(mk_bvlshr) NAME(mk_bvmul) NAME(mk_bvneg) NAME(mk_bvnot) NAME(mk_bvor) NAME(mk_bvsdiv)     \
    NAME(mk_bvshl) NAME(mk_bvsle) NAME(mk_bvslt) NAME(mk_bvsmod) NAME(mk_bvsrem) NAME(mk_bvudiv)   \
    NAME(mk_bvule) NAME(mk_bvult) NAME(mk_bvurem) NAME(mk_bvxor) NAME(mk_concat) NAME(mk_config)   \
    NAME(mk_const) NAME(mk_const_array) NAME(mk_context_rc) NAME(mk_div)                           \
    NAME(mk_enumeration_sort) NAME(mk_eq) NAME(mk_exists_const) NAME(mk_ext_rotate_left)           \
    NAME(mk_ext_rotate_right) NAME(mk_extract) NAME(mk_false) NAME(mk_fixedpoint)                  \
    NAME(mk_forall_const) NAME(mk_fresh_func_decl) NAME(mk_func_decl) NAME(mk_goal) NAME(mk_gt)    \
    NAME(mk_implies) NAME(mk_int) NAME(mk_int2real) NAME(mk_int64) NAME(mk_int_sort)               \
    NAME(mk_ite) NAME(mk_le) NAME(mk_lt) NAME(mk_mod) NAME(mk_mul) NAME(mk_not) NAME(mk_numeral)   \
    NAME(mk_or) NAME(mk_params) NAME(mk_quantifier_const) NAME(mk_real_sort) NAME(mk_select)       \
    NAME(mk_sign_ext) NAME(mk_simple_solver) NAME(mk_store) NAME(mk_string_symbol)                 \
    NAME(mk_tactic) NAME(mk_true) NAME(mk_unary_minus) NAME(mk_unsigned_int64) NAME(mk_zero_ext)   \
    NAME(model_dec_ref) NAME(model_eval) NAME(model_get_func_interp) NAME(model_inc_ref)           \
    NAME(params_dec_ref) NAME(params_inc_ref) NAME(params_set_bool) NAME(params_set_symbol)        \
    NAME(params_set_uint) NAME(set_error_handler) NAME(set_param_value) NAME(solver_assert)        \
    NAME(solver_check_assumptions) NAME(solver_dec_ref) NAME(solver_get_model)                     \
    NAME(solver_get_reason_unknown) NAME(solver_get_unsat_core) NAME(solver_inc_ref)               \
    NAME(solver_pop) NAME(solver_push) NAME(solver_reset) NAME(solver_set_params)                  \
    NAME(sort_to_ast) NAME(substitute_vars) NAME(tactic_and_then) NAME(tactic_apply)               \
    NAME(tactic_dec_ref) NAME(tactic_inc_ref) NAME(tactic_using_params) NAME(to_app)
// clang-format on

struct z3_library {
#define Z3_LIBRARY_FIELD(name) __typeof__(Z3_##name) *name;
    Z3_LIBRARY_NAMES(Z3_LIBRARY_FIELD)
#undef Z3_LIBRARY_FIELD
};

extern struct z3_library z3_library; // read only, once it is loaded

// NULL, or why it cannot be loaded. Any thread; the text stays.
const char *z3_library_load(void);

#endif
