#include "engines/capsules/worth.h"

const char *capsule_worth_name(enum capsule_worth worth)
{
    static const char *const NAMES[] = {"sound",   "if replayed", "modulo deadlocks and stuttering",
                                        "bounded", "claimed",     "nothing"};
    return NAMES[worth];
}

// Columns: EF/EU true, EF/EU false, AG true, AG false, AF true, AF false. (The specification's table has AG and AF in
// one; where deadlocks and stuttering matter they differ.)
static const enum capsule_worth TABLE[ROW_COUNT][6] = {
    [ROW_CONCRETE] = {WORTH_SOUND, WORTH_SOUND, WORTH_SOUND, WORTH_SOUND, WORTH_SOUND, WORTH_SOUND},
    [ROW_RESTRICTED] = {WORTH_REPLAY, WORTH_NONE, WORTH_NONE, WORTH_REPLAY, WORTH_NONE,
                        WORTH_REPLAY},
    [ROW_SYMBOLIC] = {WORTH_REPLAY, WORTH_SOUND, WORTH_SOUND, WORTH_REPLAY, WORTH_SOUND,
                      WORTH_REPLAY},
    [ROW_WEAK] = {WORTH_REPLAY, WORTH_SOUND, WORTH_SOUND, WORTH_REPLAY, WORTH_SOUND, WORTH_REPLAY},
    [ROW_ABSTRACTED] = {WORTH_REPLAY, WORTH_SOUND, WORTH_SOUND, WORTH_REPLAY, WORTH_MODULO,
                        WORTH_REPLAY},
    [ROW_LIMITED] = {WORTH_REPLAY, WORTH_CLAIMED, WORTH_CLAIMED, WORTH_REPLAY, WORTH_CLAIMED,
                     WORTH_REPLAY},
    [ROW_BOUNDED] = {WORTH_REPLAY, WORTH_BOUNDED, WORTH_BOUNDED, WORTH_REPLAY, WORTH_BOUNDED,
                     WORTH_REPLAY},
    [ROW_PRESENT] = {WORTH_REPLAY, WORTH_CLAIMED, WORTH_CLAIMED, WORTH_REPLAY, WORTH_CLAIMED,
                     WORTH_REPLAY},
    [ROW_STUCK] = {WORTH_REPLAY, WORTH_SOUND, WORTH_SOUND, WORTH_REPLAY, WORTH_MODULO,
                   WORTH_REPLAY},
};

// Formulas with both kinds of operators: only what the strong and weak readings agree on is claimed at all (ctl_read), and
// that is so in all runs that the exploration stands for.
static const enum capsule_worth MIXED[ROW_COUNT] = {
    [ROW_CONCRETE] = WORTH_SOUND,  [ROW_RESTRICTED] = WORTH_NONE,   [ROW_SYMBOLIC] = WORTH_SOUND,
    [ROW_WEAK] = WORTH_SOUND,      [ROW_ABSTRACTED] = WORTH_MODULO, [ROW_LIMITED] = WORTH_CLAIMED,
    [ROW_BOUNDED] = WORTH_BOUNDED, [ROW_STUCK] = WORTH_MODULO,      [ROW_PRESENT] = WORTH_CLAIMED,
};

enum capsule_worth capsule_worth_of(enum capsule_row row, enum capsule_shape shape, bool truth)
{
    switch (shape) {
    case SHAPE_LOCAL:
        return row == ROW_BOUNDED || row == ROW_LIMITED || row == ROW_PRESENT ? WORTH_REPLAY
                                                                              : WORTH_SOUND;
    case SHAPE_EXISTS:
        return TABLE[row][truth ? 0 : 1];
    case SHAPE_ALL:
        return TABLE[row][truth ? 2 : 3];
    case SHAPE_ALL_FINALLY:
        return TABLE[row][truth ? 4 : 5];
    case SHAPE_EXISTS_GLOBALLY: // the negation of AF
        return TABLE[row][truth ? 5 : 4];
    default:
        return MIXED[row];
    }
}
