#ifndef REGATTA_CONFIGS_OPTIONS_H
#define REGATTA_CONFIGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configs/part_list.h"
#include "configs/solver_name.h"
#include "configs/text_value.h"

// Every option of an engine: one line. The struct, the parser, the checks, `regatta list options`,
// the documentation and the fuzz ranges all come from these lists. Names and values are the field's
// own (docs/definitions/cegar.md 10); they are read case-insensitively and written as here. The
// engine is an option like others, so that a wrong one is an error where it is written.

// Enumerated options.
// E(constant, option name, default value, help)  with the values in V(option constant, constant,
// name, help)
#define OPTION_ENUMS(E)                                                                            \
    E(OPTION_ENGINE, "engine", ENGINE_CEGAR, "what looks for the answer")                          \
    E(OPTION_DOMAIN, "domain", DOMAIN_PRED_CART, "abstract domain")                                \
    E(OPTION_AUTOEXPL, "autoexpl", AUTOEXPL_NEWOPERANDS, "products: which variables have values")  \
    E(OPTION_INITPREC, "initprec", INITPREC_EMPTY, "precision to begin with")                      \
    E(OPTION_GRANULARITY, "precgranularity", GRANULARITY_GLOBAL,                                   \
      "one precision, or one a location")                                                          \
    E(OPTION_SEARCH, "search", SEARCH_BFS, "which waiting node comes next")                        \
    E(OPTION_STOP, "stop", STOP_FIRST, "counterexamples collected before a refinement")            \
    E(OPTION_ENCODING, "encoding", ENCODING_LBE,                                                   \
      "what an abstraction step is: a statement, an edge, a block of edges")                       \
    E(OPTION_REFINEMENT, "refinement", REFINEMENT_SEQ_ITP, "how a spurious trace is refuted")      \
    E(OPTION_PREDSPLIT, "predsplit", PREDSPLIT_WHOLE, "what becomes of an interpolant")            \
    E(OPTION_PRUNE, "prunestrategy", PRUNE_LAZY, "what a refinement keeps of the graph")           \
    E(OPTION_MONITOR, "monitor", MONITOR_CHECK, "what to do about repeated counterexamples")       \
    E(OPTION_AUXILIARY, "aux", AUXILIARY_SIMPLE, "kind, horn: invariants to begin with")           \
    E(OPTION_ABSTRACTION, "abstraction", ABSTRACTION_NONE,                                         \
      "bmc, kind, imc: what is kept from step to step, refined from spurious traces")              \
    E(OPTION_CUBES, "cubes", CUBES_VALUES, "ic3: what sets of states are made of")                 \
    E(OPTION_CHART_ABSTRACTION, "chartabstraction", CHART_ABSTRACTION_GEN,                         \
      "charts: what is visible at first")                                                          \
    E(OPTION_CHECKER, "checker", CHECKER_OAO, "charts: how configurations are looked for")         \
    E(OPTION_OPEN, "open", OPEN_STATES, "charts: what a refinement makes visible first")           \
    E(OPTION_NET_METHOD, "netmethod", NET_METHOD_SEARCH, "petri: how markings are looked for")     \
    E(OPTION_NET_ORDER, "netorder", NET_ORDER_BFS,                                                 \
      "petri SEARCH, netctl: which marking comes next")                                            \
    E(OPTION_NET_REDUCE, "netreduce", NET_REDUCE_ALL,                                              \
      "petri SEARCH, WALK: how the net is made smaller first")                                     \
    E(OPTION_NET_PLACES, "netplaces", NET_PLACES_INTEGERS,                                         \
      "nets in other engines than petri: what the number of tokens of a place is")                 \
    E(OPTION_NET_LOOP, "netloop", NET_LOOP_PLAIN,                                                  \
      "nets in other engines than petri: what a step is")                                          \
    E(OPTION_WORDS, "words", WORDS_BITS, "what machine words are in the model")                    \
    E(OPTION_EQUATION_SEARCH, "eqsearch", EQUATION_SEARCH_DFS,                                     \
      "petri EQUATION: which solution comes next")                                                 \
    E(OPTION_DISTANT, "distant", DISTANT_AFTER, "petri EQUATION: distant invariants")              \
    E(OPTION_BETTER, "better", BETTER_ON, "petri EQUATION: better intermediate markings")          \
    E(OPTION_BASE, "base", BASE_SYMBOLIC, "capsules: what values are")                             \
    E(OPTION_SUBSUMPTION, "subsumption", SUBSUMPTION_EQUAL,                                        \
      "capsules SYMBOLIC: which states are one")                                                   \
    E(OPTION_STATE_ORDER, "stateorder", STATE_ORDER_BFS, "capsules: which state comes next")       \
    E(OPTION_DIRECTION, "direction", DIRECTION_FORWARD,                                            \
      "bmc, kind, imc, ic3: where runs are looked for from")

// The engines: X(V, constant, symbol, name, help). engine_SYMBOL is the `struct engine`; the registry of engines takes its list
// from here, so a new engine is one line.
#define OPTION_ENGINES(X, V)                                                                       \
    X(V, ENGINE_CEGAR, cegar, "cegar", "abstraction refined from spurious counterexamples")        \
    X(V, ENGINE_BMC, bmc, "bmc", "runs of growing length")                                         \
    X(V, ENGINE_KIND, kinduction, "kind", "induction over runs of growing length")                 \
    X(V, ENGINE_IMC, imc, "imc", "runs of growing length, and interpolants")                       \
    X(V, ENGINE_IC3, ic3, "ic3", "sets of states pushed towards the start, frame by frame")        \
    X(V, ENGINE_HORN, horn, "horn", "Horn clauses, given to a solver of these")                    \
    X(V, ENGINE_PROCEDURES, procedures, "procedures",                                              \
      "recursive procedures as Horn clauses, given to a solver of these")                          \
    X(V, ENGINE_PETRI, petri, "petri", "the net of a Petri net")                                   \
    X(V, ENGINE_NETCTL, netctl, "netctl", "branching questions about a net")                       \
    X(V, ENGINE_CHARTS, charts, "charts", "the hierarchy of a statechart, opened step by step")    \
    X(V, ENGINE_CAPSULES, capsules, "capsules", "states of communicating capsules, one by one")

#define OPTION_ENGINE_VALUE(V, constant, symbol, name, help) V(OPTION_ENGINE, constant, name, help)

#define OPTION_VALUES(V)                                                                           \
    OPTION_ENGINES(OPTION_ENGINE_VALUE, V)                                                         \
    V(OPTION_CHART_ABSTRACTION, CHART_ABSTRACTION_GEN, "GEN",                                      \
      "states at the top, and the property's variables")                                           \
    V(OPTION_CHART_ABSTRACTION, CHART_ABSTRACTION_STT, "STT", "states at the top, all variables")  \
    V(OPTION_CHART_ABSTRACTION, CHART_ABSTRACTION_NONE, "NONE", "everything")                      \
    V(OPTION_CHECKER, CHECKER_OAO, "OAO", "successors of one configuration at a time")             \
    V(OPTION_CHECKER, CHECKER_MON, "MON", "of all together, the formula made anew")                \
    V(OPTION_CHECKER, CHECKER_MOP, "MOP", "of all together, in one solver")                        \
    V(OPTION_CHECKER, CHECKER_BMC, "BMC", "runs of growing length, up to `bound`")                 \
    V(OPTION_OPEN, OPEN_STATES, "STATES", "composite states that are active")                      \
    V(OPTION_OPEN, OPEN_VARIABLES, "VARIABLES", "variables of guards and assignments")             \
    V(OPTION_OPEN, OPEN_BOTH, "BOTH", "both")                                                      \
    V(OPTION_OPEN, OPEN_CORE, "CORE", "of both, what a solver needs to refute the run")            \
    V(OPTION_BASE, BASE_SYMBOLIC, "SYMBOLIC", "terms over what came from outside, and conditions") \
    V(OPTION_BASE, BASE_CONCRETE, "CONCRETE", "numbers; those from outside from `low` to `high`")  \
    V(OPTION_SUBSUMPTION, SUBSUMPTION_EQUAL, "EQUAL", "the same but for names of symbols")         \
    V(OPTION_SUBSUMPTION, SUBSUMPTION_WEAK, "WEAK", "one with fewer conditions stands for more")   \
    V(OPTION_STATE_ORDER, STATE_ORDER_BFS, "BFS", "the oldest")                                    \
    V(OPTION_STATE_ORDER, STATE_ORDER_DFS, "DFS", "the newest")                                    \
    V(OPTION_STATE_ORDER, STATE_ORDER_RANDOM, "RANDOM", "any, by the seed")                        \
    V(OPTION_NET_METHOD, NET_METHOD_SEARCH, "SEARCH", "one by one")                                \
    V(OPTION_NET_METHOD, NET_METHOD_WALK, "WALK", "on random runs")                                \
    V(OPTION_NET_METHOD, NET_METHOD_PROOF, "PROOF", "not at all: state equation, traps, a siphon") \
    V(OPTION_NET_METHOD, NET_METHOD_EQUATION, "EQUATION", "by solutions of the state equation")    \
    V(OPTION_EQUATION_SEARCH, EQUATION_SEARCH_DFS, "DFS", "depth first")                           \
    V(OPTION_EQUATION_SEARCH, EQUATION_SEARCH_BFS, "BFS", "breadth first along invariants")        \
    V(OPTION_EQUATION_SEARCH, EQUATION_SEARCH_HYBRID, "HYBRID",                                    \
      "depth first, smallest and largest remainders only")                                         \
    V(OPTION_DISTANT, DISTANT_OFF, "OFF", "not looked for")                                        \
    V(OPTION_DISTANT, DISTANT_ON, "ON", "from the beginning")                                      \
    V(OPTION_DISTANT, DISTANT_AFTER, "AFTER", "when there is no answer without them")              \
    V(OPTION_BETTER, BETTER_OFF, "OFF", "not used")                                                \
    V(OPTION_BETTER, BETTER_ON, "ON", "with tokens that are lacking at the end")                   \
    V(OPTION_BETTER, BETTER_GENERAL, "GENERAL", "also with more of an invariant's; may not end")   \
    V(OPTION_NET_ORDER, NET_ORDER_BFS, "BFS", "breadth first")                                     \
    V(OPTION_NET_ORDER, NET_ORDER_DFS, "DFS", "depth first")                                       \
    V(OPTION_NET_ORDER, NET_ORDER_BEST, "BEST", "least sum of what the goal lacks first")          \
    V(OPTION_NET_ORDER, NET_ORDER_EQUATION, "EQUATION",                                            \
      "petri: fewest firings that the state equation wants first")                                 \
    V(OPTION_NET_REDUCE, NET_REDUCE_OFF, "OFF", "not")                                             \
    V(OPTION_NET_REDUCE, NET_REDUCE_CONE, "CONE", "without what the goal does not need")           \
    V(OPTION_NET_REDUCE, NET_REDUCE_LOCAL, "LOCAL", "also without dead, idle, redundant things")   \
    V(OPTION_NET_REDUCE, NET_REDUCE_ALL, "ALL", "also with places fused that are passed through")  \
    V(OPTION_NET_PLACES, NET_PLACES_INTEGERS, "INTEGERS", "an integer")                            \
    V(OPTION_NET_PLACES, NET_PLACES_BOUNDED, "BOUNDED",                                            \
      "an integer, within what P-invariants prove")                                                \
    V(OPTION_NET_PLACES, NET_PLACES_BOOLEANS, "BOOLEANS",                                          \
      "a Boolean where a P-invariant proves at most one; the others as BOUNDED")                   \
    V(OPTION_WORDS, WORDS_BITS, "BITS", "bit-vectors")                                             \
    V(OPTION_WORDS, WORDS_WRAPPING, "WRAPPING", "integers that wrap around as words do")           \
    V(OPTION_WORDS, WORDS_CHECKED, "CHECKED",                                                      \
      "integers, with a proof that none has to wrap around")                                       \
    V(OPTION_NET_LOOP, NET_LOOP_PLAIN, "PLAIN", "a transition")                                    \
    V(OPTION_NET_LOOP, NET_LOOP_ENVIRONMENT, "ENVIRONMENT",                                        \
      "the environment's, which changes nothing, then a transition, as in XSTS")                   \
    V(OPTION_DIRECTION, DIRECTION_FORWARD, "FORWARD", "from the start to the error")               \
    V(OPTION_DIRECTION, DIRECTION_BACKWARD, "BACKWARD", "from the error to the start")             \
    V(OPTION_CUBES, CUBES_VALUES, "VALUES", "values, when all variables are finite")               \
    V(OPTION_CUBES, CUBES_PREDICATES, "PREDICATES", "predicates, refined from spurious traces")    \
    V(OPTION_ABSTRACTION, ABSTRACTION_NONE, "NONE", "everything")                                  \
    V(OPTION_ABSTRACTION, ABSTRACTION_PREDICATES, "PREDICATES", "the truth of tracked predicates") \
    V(OPTION_ABSTRACTION, ABSTRACTION_VARIABLES, "VARIABLES", "the values of tracked variables")   \
    V(OPTION_AUXILIARY, AUXILIARY_NONE, "NONE", "none")                                            \
    V(OPTION_AUXILIARY, AUXILIARY_RANKING, "RANKING", "kind: octagons, and why loops end")         \
    V(OPTION_AUXILIARY, AUXILIARY_SIMPLE, "SIMPLE", "also constants, bounds, orders of variables") \
    V(OPTION_DOMAIN, DOMAIN_EXPL, "EXPL", "values of tracked variables")                           \
    V(OPTION_DOMAIN, DOMAIN_PRED_CART, "PRED_CART", "conjunctions of predicates")                  \
    V(OPTION_DOMAIN, DOMAIN_PRED_BOOL, "PRED_BOOL", "combinations of predicates, joined")          \
    V(OPTION_DOMAIN, DOMAIN_PRED_SPLIT, "PRED_SPLIT", "combinations of predicates, apart")         \
    V(OPTION_DOMAIN, DOMAIN_EXPL_PRED_CART, "EXPL_PRED_CART", "values, and PRED_CART")             \
    V(OPTION_DOMAIN, DOMAIN_EXPL_PRED_BOOL, "EXPL_PRED_BOOL", "values, and PRED_BOOL")             \
    V(OPTION_DOMAIN, DOMAIN_EXPL_PRED_SPLIT, "EXPL_PRED_SPLIT", "values, and PRED_SPLIT")          \
    V(OPTION_DOMAIN, DOMAIN_EXPL_PRED_COMBINED, "EXPL_PRED_COMBINED",                              \
      "values and PRED_BOOL, asked for together")                                                  \
    V(OPTION_AUTOEXPL, AUTOEXPL_STATIC, "STATIC", "control variables and Booleans")                \
    V(OPTION_AUTOEXPL, AUTOEXPL_NEWATOMS, "NEWATOMS",                                              \
      "also those in atoms that are not the model's")                                              \
    V(OPTION_AUTOEXPL, AUTOEXPL_NEWOPERANDS, "NEWOPERANDS",                                        \
      "also those next to operands that the model does not put there")                             \
    V(OPTION_AUTOEXPL, AUTOEXPL_VALUES, "VALUES",                                                  \
      "all, until they had more than autoexplvalues values")                                       \
    V(OPTION_INITPREC, INITPREC_EMPTY, "EMPTY", "nothing")                                         \
    V(OPTION_INITPREC, INITPREC_PROP, "PROP", "variables or atoms of the property (not CFA, CHC)") \
    V(OPTION_INITPREC, INITPREC_CTRL, "CTRL", "control variables (XSTS; not PRED_…)")              \
    V(OPTION_INITPREC, INITPREC_PROP_CTRL, "PROP_CTRL", "both of these")                           \
    V(OPTION_INITPREC, INITPREC_TOP, "TOP",                                                        \
      "control variables that no composite state contains, or their values as predicates")         \
    V(OPTION_INITPREC, INITPREC_ALLVARS, "ALLVARS", "all variables (cegar: EXPL, products)")       \
    V(OPTION_INITPREC, INITPREC_ALLASSUMES, "ALLASSUMES",                                          \
      "atoms of all assumptions, or their variables (not EXPL)")                                   \
    V(OPTION_GRANULARITY, GRANULARITY_GLOBAL, "GLOBAL", "one precision for all locations")         \
    V(OPTION_GRANULARITY, GRANULARITY_LOCAL, "LOCAL", "one precision for each location")           \
    V(OPTION_SEARCH, SEARCH_BFS, "BFS", "breadth first")                                           \
    V(OPTION_SEARCH, SEARCH_DFS, "DFS", "depth first")                                             \
    V(OPTION_SEARCH, SEARCH_ERR, "ERR", "nearest to the error location first")                     \
    V(OPTION_SEARCH, SEARCH_DFS_ERR, "DFS_ERR", "2 * distance to the error + depth")               \
    V(OPTION_SEARCH, SEARCH_ERR_DFS, "ERR_DFS", "distance to the error + 2 * depth")               \
    V(OPTION_SEARCH, SEARCH_FIFO, "FIFO", "first come, first served, also across prunings")        \
    V(OPTION_SEARCH, SEARCH_WEIGHTED, "WEIGHTED", "wE * distance to the error + wD * depth")       \
    V(OPTION_STOP, STOP_FIRST, "FIRST", "one")                                                     \
    V(OPTION_STOP, STOP_N, "N", "as many as stopcount says")                                       \
    V(OPTION_STOP, STOP_ALL, "ALL", "all there are at this precision")                             \
    V(OPTION_ENCODING, ENCODING_SBE, "SBE", "one step an edge")                                    \
    V(OPTION_ENCODING, ENCODING_LBE, "LBE", "one step a path without branching")                   \
    V(OPTION_ENCODING, ENCODING_LOOPS, "LOOPS",                                                    \
      "one step from loop to loop, whatever branches there")                                       \
    V(OPTION_ENCODING, ENCODING_STATEMENT, "STATEMENT", "one step a statement of an edge (cegar)") \
    V(OPTION_REFINEMENT, REFINEMENT_SEQ_ITP, "SEQ_ITP", "sequence interpolation")                  \
    V(OPTION_REFINEMENT, REFINEMENT_BW_BIN_ITP, "BW_BIN_ITP", "backward binary interpolation")     \
    V(OPTION_REFINEMENT, REFINEMENT_FW_BIN_ITP, "FW_BIN_ITP", "forward binary interpolation")      \
    V(OPTION_REFINEMENT, REFINEMENT_MULTI_SEQ, "MULTI_SEQ",                                        \
      "sequence interpolation of all counterexamples (stop ALL)")                                  \
    V(OPTION_REFINEMENT, REFINEMENT_UNSAT_CORE, "UNSAT_CORE", "variables of an unsat core (EXPL)") \
    V(OPTION_REFINEMENT, REFINEMENT_UCB, "UCB", "cores of post and precondition")                  \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_SP, "NWT_SP", "strongest postconditions")                  \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_WP, "NWT_WP", "weakest preconditions")                     \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_SP_LV, "NWT_SP_LV",                                        \
      "strongest postconditions of live variables")                                                \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_WP_LV, "NWT_WP_LV",                                        \
      "weakest preconditions of live variables")                                                   \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_IT_SP, "NWT_IT_SP",                                        \
      "strongest postconditions of an unsat core")                                                 \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_IT_WP, "NWT_IT_WP",                                        \
      "weakest preconditions of an unsat core")                                                    \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_IT_SP_LV, "NWT_IT_SP_LV",                                  \
      "strongest postconditions of live variables of an unsat core")                               \
    V(OPTION_REFINEMENT, REFINEMENT_NWT_IT_WP_LV, "NWT_IT_WP_LV",                                  \
      "weakest preconditions of live variables of an unsat core")                                  \
    V(OPTION_PREDSPLIT, PREDSPLIT_WHOLE, "WHOLE", "kept as one predicate")                         \
    V(OPTION_PREDSPLIT, PREDSPLIT_CONJUNCTS, "CONJUNCTS", "split at the top-level conjunction")    \
    V(OPTION_PREDSPLIT, PREDSPLIT_ATOMS, "ATOMS", "split into atoms")                              \
    V(OPTION_PREDSPLIT, PREDSPLIT_REGIONS, "REGIONS",                                              \
      "split into atoms, and of control variables in them all values: opens a composite state")    \
    V(OPTION_PRUNE, PRUNE_LAZY, "LAZY", "all but the subtree where the refutation begins")         \
    V(OPTION_PRUNE, PRUNE_FULL, "FULL", "nothing")                                                 \
    V(OPTION_MONITOR, MONITOR_DISABLE, "DISABLE", "nothing")                                       \
    V(OPTION_MONITOR, MONITOR_CHECK, "CHECK", "end the attempt as stalled")                        \
    V(OPTION_MONITOR, MONITOR_CHECK_ARG, "CHECK_ARG",                                              \
      "the same, if graph and precision repeat too")                                               \
    V(OPTION_MONITOR, MONITOR_MITIGATE, "MITIGATE", "look for another counterexample")             \
    V(OPTION_MONITOR, MONITOR_MITIGATE_ARG, "MITIGATE_ARG",                                        \
      "the same, if graph and precision repeat too")

// Whole numbers. N(constant, name, default, least, greatest, help)
#define OPTION_NUMBERS(N)                                                                          \
    N(OPTION_BOUND, "bound", 0, 0, 1000000,                                                        \
      "bmc, kind, imc, charts: steps to look at; 0 = no limit")                                    \
    N(OPTION_MAXENUM, "maxenum", 10, -1, 1000000,                                                  \
      "values: successors enumerated a step; 0 = no limit, -1 = without a solver")                 \
    N(OPTION_WEIGHT_DISTANCE, "wE", 1, -1000, 1000,                                                \
      "search WEIGHTED: weight of the distance to the error location")                             \
    N(OPTION_WEIGHT_DEPTH, "wD", 1, -1000, 1000, "search WEIGHTED: weight of a node's depth")      \
    N(OPTION_STOP_COUNT, "stopcount", 10, 1, 1000000, "stop N: counterexamples to collect")        \
    N(OPTION_AUTOEXPL_VALUES, "autoexplvalues", 10, 1, 1000,                                       \
      "autoexpl VALUES: values that a variable may have had")                                      \
    N(OPTION_SPLIT, "split", 0, 0, 1000,                                                           \
      "parallel edges that choices in one edge may become; 0 = none")                              \
    N(OPTION_CTG_DEPTH, "ctgdepth", 0, 0, 10,                                                      \
      "ic3: how deep counterexamples to generalisation are blocked; 0 = not at all")               \
    N(OPTION_CTG_COUNT, "ctgcount", 3, 1, 100,                                                     \
      "ic3: counterexamples blocked until a cube's literals are left out instead")                 \
    N(OPTION_CHECK_LIMIT, "checklimit", 0, 0, 1000000000,                                          \
      "steps of the solver a check may take; 0 = no limit")                                        \
    N(OPTION_SOLUTIONS, "eqlimit", 5000, 0, 1000000000,                                            \
      "petri EQUATION: solutions to look at for each alternative of the goal; 0 = no limit")       \
    N(OPTION_PATIENCE, "patience", 5, 1, 1000000,                                                  \
      "monitor CHECK…: rounds in a row without a new counterexample")                              \
    N(OPTION_STOP_UNCHANGED, "stop_unchanged", 0, 0, 1000000,                                      \
      "stalled: refinements in a row without a new precision; 0 = never")                          \
    N(OPTION_STOP_UNROLLING, "stop_unrolling", 0, 0, 1000000,                                      \
      "stalled: counterexamples in a row with one more round of a loop; 0 = never")                \
    N(OPTION_STOP_GROWTH, "stop_growth", 0, 0, 1000000,                                            \
      "stalled: refinements in a row with ever larger predicates; 0 = never")                      \
    N(OPTION_STOP_BRANCHING, "stop_branching", 0, 0, 1000000,                                      \
      "stalled: successors of a node on average; 0 = never")                                       \
    N(OPTION_STOP_ENDLESS, "stop_endless", 0, 0, 1000000,                                          \
      "stalled: times the nodes of the largest round before; 0 = never")                           \
    N(OPTION_STOP_FORECAST, "stop_forecast", 0, 0, 1000,                                           \
      "stalled: predicted beyond the budget, or times a round's prediction; 0 = never")            \
    N(OPTION_STOP_SOLVER, "stop_solver", 0, 0, 1000000,                                            \
      "stalled: times the time that a solver call took before; 0 = never")                         \
    N(OPTION_LOW, "low", -1, -1000000, 1000000,                                                    \
      "capsules CONCRETE: the least number that comes from outside")                               \
    N(OPTION_HIGH, "high", 1, -1000000, 1000000,                                                   \
      "capsules CONCRETE: the greatest number that comes from outside")                            \
    N(OPTION_STATE_LIMIT, "statelimit", 0, 0, 1000000000, "capsules: states to look at; 0 = all")  \
    N(OPTION_STOP_OUTGROWN, "stop_outgrown", 0, 0, 1000000,                                        \
      "stalled: percent of the states that less abstraction had at the same effort; 0 = never")    \
    N(OPTION_STOP_MEMORY, "stop_memory", 0, 0, 100,                                                \
      "stalled: memory ends within that percentage of what is left of the budget; 0 = never")

// Words for numbers, as the literature writes them; they print as numbers. W(option constant, word, number)
#define OPTION_WORDS(W) W(OPTION_MAXENUM, "1*", -1)

// Values of the literature that are no values here. H(option constant, word, what to say instead)
#define OPTION_HINTS(H)                                                                            \
    H(OPTION_STOP, "NEW", "monitor=MITIGATE searches on until a counterexample is new")

// Switches. B(constant, name, default, help)
#define OPTION_SWITCHES(B)                                                                         \
    B(OPTION_SIMPLE_PATH, "simplepath", false, "bmc, kind: no state twice on a run")               \
    B(OPTION_SAT, "sat", true, "bmc, kind, ic3: a SAT solver where all values are finite")         \
    B(OPTION_PROPAGATE, "propagate", true, "constant propagation and dead branches")               \
    B(OPTION_CONE, "cone", true, "drop variables that cannot influence the answer")                \
    B(OPTION_ACCELERATE, "accelerate", false, "many rounds of a loop as one step")                 \
    B(OPTION_PHASES, "phases", false, "a location for each side of a loop's conditions")           \
    B(OPTION_INTEGERS, "integers", true,                                                           \
      "procedures: simple facts and integers before the bits, to which proofs are brought back")   \
    B(OPTION_OPTIMIZE_STATEMENTS, "optimizestmts", false,                                          \
      "values: a solver is asked about actions specialised to the values before them")             \
    B(OPTION_FRESH_SOLVER, "freshsolver", false,                                                   \
      "cegar: a new solver for each refutation, which then depends on its path alone")             \
    B(OPTION_FILTER, "eqfilter", true,                                                             \
      "petri EQUATION: skip partial solutions that an invariant alone made new")                   \
    B(OPTION_EXCLUDE_OWN, "excludeown", true,                                                      \
      "petri EQUATION: an invariant's own transitions are none for a distant one")                 \
    B(OPTION_SHUFFLE, "shuffle", false, "petri EQUATION: transitions in a random order")           \
    B(OPTION_LIMITED, "limited", false,                                                            \
      "capsules: explore the question's parts only, and what they wait for")                       \
    B(OPTION_RESTORE, "restore", true,                                                             \
      "capsules: put back what a replay that fails waits for, and ask again")                      \
    B(OPTION_KEEP_ATTRIBUTES, "keepattributes", false,                                             \
      "capsules: keep attributes that reach neither the question nor a guard or signal")           \
    B(OPTION_STUBBORN, "stubborn", false, "petri SEARCH, EQUATION: leave interleavings out")       \
    B(OPTION_MITIGATE_SAFE, "mitigate_safe", false,                                                \
      "monitor MITIGATE…: safe, with a proof, when only refuted paths lead to the error")

// Texts; a value is a number of text_value.h. T(constant, name, default, reader, expected, help); the
// reader returns the text as it is kept, or NULL when it is not `expected`.
#define OPTION_TEXTS(T)                                                                            \
    T(OPTION_SOLVER, "solver", TEXT_VALUE_Z3, solver_name_read, SOLVER_NAME_EXPECTED,              \
      "the solver")                                                                                \
    T(OPTION_ABSTRACTION_SOLVER, "abssolver", TEXT_VALUE_NONE, solver_name_read_optional,          \
      SOLVER_NAME_EXPECTED, "cegar: another solver for abstraction")                               \
    T(OPTION_ABSTRACT, "abstract", TEXT_VALUE_NONE, part_list_read, PART_LIST_EXPECTED,            \
      "capsules: parts that are left out: auto, extract(PART), or PART|PART*")                     \
    T(OPTION_AGGREGATE, "aggregate", TEXT_VALUE_NONE, part_list_read, PART_LIST_EXPECTED,          \
      "capsules: locations that become one: composite, or PART:{A|B};PART:COMPOSITE")              \
    T(OPTION_REFINEMENT_SOLVER, "refsolver", TEXT_VALUE_NONE, solver_name_read_optional,           \
      SOLVER_NAME_EXPECTED, "cegar: another solver for refinement")

enum option {
#define E(constant, name, standard, help) constant,
#define N(constant, name, standard, least, greatest, help) constant,
#define B(constant, name, standard, help) constant,
#define T(constant, name, standard, reader, expected, help) constant,
    OPTION_ENUMS(E) OPTION_NUMBERS(N) OPTION_SWITCHES(B) OPTION_TEXTS(T)
#undef E
#undef N
#undef B
#undef T
        OPTION_COUNT
};

// Sets of options: a bit each.
#define OPTION_SET unsigned __int128
#define OPTION_BIT(option) ((OPTION_SET)1 << (option))
#define OPTION_ALL (~(OPTION_SET)0)
_Static_assert(OPTION_COUNT <= 128, "a bit for every option");

// Which options go together: conditions as in configs/constraint.h.
//
// Where an option has an effect. Elsewhere it must keep its default. Lines of one rule stand
// together; of several lines for one option all must hold. F(rule, option constant, condition)
#define OPTION_EFFECTS(F)                                                                          \
    F("maxenum", OPTION_MAXENUM, "domain = EXPL*")                                                 \
    F("optimizestmts", OPTION_OPTIMIZE_STATEMENTS,                                                 \
      "domain = EXPL_PRED_* || domain = EXPL && maxenum >= 0")                                     \
    F("predsplit", OPTION_PREDSPLIT, "domain = *PRED*")                                            \
    F("weights", OPTION_WEIGHT_DISTANCE, "search = WEIGHTED")                                      \
    F("weights", OPTION_WEIGHT_DEPTH, "search = WEIGHTED")                                         \
    F("stopcount", OPTION_STOP_COUNT, "stop = N")                                                  \
    F("autoexpl", OPTION_AUTOEXPL, "domain = EXPL_PRED_*")                                         \
    F("autoexplvalues", OPTION_AUTOEXPL_VALUES, "domain = EXPL_PRED_* && autoexpl = VALUES")       \
    F("cegar", OPTION_DOMAIN, "engine = cegar")                                                    \
    F("cegar", OPTION_INITPREC, "engine = cegar || abstraction != NONE")                           \
    F("cegar", OPTION_GRANULARITY, "engine = cegar")                                               \
    F("cegar", OPTION_SEARCH, "engine = cegar")                                                    \
    F("cegar", OPTION_STOP, "engine = cegar")                                                      \
    F("cegar", OPTION_REFINEMENT, "engine = cegar || abstraction != NONE")                         \
    F("cegar", OPTION_PREDSPLIT, "engine = cegar || abstraction = PREDICATES")                     \
    F("cegar", OPTION_PRUNE, "engine = cegar")                                                     \
    F("cegar", OPTION_MAXENUM, "engine = cegar")                                                   \
    F("cegar", OPTION_OPTIMIZE_STATEMENTS, "engine = cegar")                                       \
    F("cegar", OPTION_STOP_COUNT, "engine = cegar")                                                \
    F("cegar", OPTION_WEIGHT_DISTANCE, "engine = cegar")                                           \
    F("cegar", OPTION_WEIGHT_DEPTH, "engine = cegar")                                              \
    F("cegar", OPTION_FRESH_SOLVER, "engine = cegar || abstraction != NONE")                       \
    F("cegar", OPTION_ABSTRACTION_SOLVER, "engine = cegar || abstraction != NONE")                 \
    F("cegar", OPTION_REFINEMENT_SOLVER, "engine = cegar || abstraction != NONE")                  \
    F("cegar", OPTION_MITIGATE_SAFE, "engine = cegar")                                             \
    F("bounded", OPTION_BOUND, "engine in {bmc, kind, imc} || engine = charts && checker = BMC")   \
    F("bounded", OPTION_SIMPLE_PATH, "engine in {bmc, kind}")                                      \
    F("abstraction", OPTION_ABSTRACTION, "engine in {bmc, kind, imc}")                             \
    F("sat", OPTION_SAT, "engine in {bmc, kind, ic3} || abstraction != NONE")                      \
    F("rounds", OPTION_ACCELERATE, "engine in {bmc, kind, imc, ic3, horn}")                        \
    F("phases", OPTION_PHASES, "engine in {bmc, kind, imc, ic3, horn}")                            \
    F("direction", OPTION_DIRECTION, "engine in {bmc, kind, imc, ic3}")                            \
    F("cubes", OPTION_CUBES, "engine = ic3")                                                       \
    F("ctg", OPTION_CTG_DEPTH, "engine = ic3")                                                     \
    F("ctg", OPTION_CTG_COUNT, "engine = ic3 && ctgdepth > 0")                                     \
    F("charts", OPTION_CHART_ABSTRACTION, "engine = charts")                                       \
    F("charts", OPTION_CHECKER, "engine = charts")                                                 \
    F("charts", OPTION_OPEN, "engine = charts && chartabstraction in {GEN, STT}")                  \
    F("petri", OPTION_NET_METHOD, "engine = petri")                                                \
    F("petri", OPTION_NET_ORDER, "engine = petri && netmethod = SEARCH || engine = netctl")        \
    F("petri", OPTION_NET_REDUCE, "engine = petri && netmethod in {SEARCH, WALK}")                 \
    F("petri", OPTION_STUBBORN, "engine = petri && netmethod in {SEARCH, EQUATION}")               \
    F("net model", OPTION_NET_PLACES, "engine in {cegar, bmc, kind, imc, ic3, horn}")              \
    F("net model", OPTION_NET_LOOP, "engine in {cegar, bmc, kind, imc, ic3, horn}")                \
    F("word model", OPTION_WORDS, "engine in {cegar, bmc, kind, imc, ic3, horn}")                  \
    F("petri", OPTION_EQUATION_SEARCH, "engine = petri && netmethod = EQUATION")                   \
    F("petri", OPTION_DISTANT, "engine = petri && netmethod = EQUATION")                           \
    F("petri", OPTION_BETTER, "engine = petri && netmethod = EQUATION")                            \
    F("petri", OPTION_FILTER, "engine = petri && netmethod = EQUATION")                            \
    F("petri", OPTION_EXCLUDE_OWN, "engine = petri && netmethod = EQUATION && distant != OFF")     \
    F("petri", OPTION_SHUFFLE, "engine = petri && netmethod = EQUATION")                           \
    F("petri", OPTION_SOLUTIONS, "engine = petri && netmethod = EQUATION")                         \
    F("capsules", OPTION_BASE, "engine = capsules")                                                \
    F("capsules", OPTION_SUBSUMPTION, "engine = capsules && base = SYMBOLIC")                      \
    F("capsules", OPTION_STATE_ORDER, "engine = capsules")                                         \
    F("capsules", OPTION_LOW, "engine = capsules && base = CONCRETE")                              \
    F("capsules", OPTION_HIGH, "engine = capsules && base = CONCRETE")                             \
    F("capsules", OPTION_STATE_LIMIT, "engine = capsules")                                         \
    F("capsules", OPTION_LIMITED, "engine = capsules")                                             \
    F("capsules", OPTION_RESTORE, "engine = capsules")                                             \
    F("capsules", OPTION_KEEP_ATTRIBUTES, "engine = capsules")                                     \
    F("capsules", OPTION_ABSTRACT, "engine = capsules")                                            \
    F("capsules", OPTION_AGGREGATE, "engine = capsules")                                           \
    F("capsules", OPTION_STOP_OUTGROWN, "engine = capsules")                                       \
    F("patience", OPTION_PATIENCE, "monitor = CHECK*")                                             \
    F("procedures", OPTION_INTEGERS, "engine = procedures")                                        \
    F("aux", OPTION_AUXILIARY, "engine in {kind, horn}")

// What else must hold (legal) or had better hold (sensible). R(rule, condition)
// mitigate_safe: a plan's reaction "mitigate" may yet turn on the mitigation that it speaks of.
#define OPTION_LEGAL(R)                                                                            \
    R("unsat-core", "refinement = UNSAT_CORE -> domain = EXPL || abstraction = VARIABLES")         \
    R("allvars", "initprec = ALLVARS -> engine = cegar && domain = EXPL*")                         \
    R("allassumes", "initprec = ALLASSUMES -> engine != cegar || domain = *PRED*")                 \
    R("multi", "refinement = MULTI_SEQ -> stop = ALL")                                             \
    R("netctl", "engine = netctl -> netorder in {BFS, DFS}")                                       \
    R("statement", "encoding = STATEMENT -> engine = cegar")
#define OPTION_SENSIBLE(R)                                                                         \
    R("forward", "refinement = FW_BIN_ITP -> prunestrategy = FULL || engine != cegar")             \
    R("mitigate-safe", "mitigate_safe = on -> monitor = MITIGATE* || engine != cegar")

// Values of enumerated options, numbered through all options; see option_value_*.
enum option_value {
#define V(option, constant, name, help) constant,
    OPTION_VALUES(V)
#undef V
        OPTION_VALUE_COUNT
};

enum option_type { OPTION_TYPE_ENUM, OPTION_TYPE_NUMBER, OPTION_TYPE_SWITCH, OPTION_TYPE_TEXT };

struct option_description {
    const char *name;
    enum option_type type;
    const char *help;
    int64_t standard;                      // enum option_value, number, 0/1, or number of a text
    int64_t least, greatest;               // numbers
    const char *(*read)(const char *text); // texts: as it is kept, or NULL
    const char *expected;                  // texts: what `read` takes
};

const struct option_description *option_describe(enum option option);
int option_find(const char *name); // -1 if none
// Enumerated values: name of a constant, its help, its option.
const char *option_value_name(enum option_value value);
const char *option_value_help(enum option_value value);
enum option option_value_option(enum option_value value);
// The constant with that name for that option (case-insensitive), or -1.
int option_value_find(enum option option, const char *name);
// Words for numbers: the number behind one (case-insensitive), false when there is none; the i-th of an
// option, NULL behind the last one.
bool option_word_find(enum option option, const char *word, int64_t *number);
const char *option_word(enum option option, size_t i, int64_t *number);
const char *option_hint(enum option option, const char *word); // NULL when there is none

#endif
