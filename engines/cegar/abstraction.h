#ifndef REGATTA_ENGINES_CEGAR_ABSTRACTION_H
#define REGATTA_ENGINES_CEGAR_ABSTRACTION_H

// What the statements of a path become that are not to blame (path.h).
enum abstraction {
    ABSTRACT_NOTHING, // themselves: the path is taken as if all were to blame
    ABSTRACT_ASSUMES, // assumptions are skipped, assignments kept
    ABSTRACT_ALL,     // assumptions are skipped, assignments become havocs (Dietsch et al. 2017)
};

#endif
