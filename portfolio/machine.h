#ifndef REGATTA_PORTFOLIO_MACHINE_H
#define REGATTA_PORTFOLIO_MACHINE_H

#include <stdint.h>

// What a run stands on, for its record. What the system does not tell is "" or 0.

struct machine {
    char system[160]; // name and release of the kernel, its architecture
    char cpu[160];    // model of the first processor
    uint64_t memory_bytes;
};

void machine_describe(struct machine *machine);

#endif
