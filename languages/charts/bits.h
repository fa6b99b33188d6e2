#ifndef REGATTA_LANGUAGES_CHARTS_BITS_H
#define REGATTA_LANGUAGES_CHARTS_BITS_H

#include "languages/charts/chart.h"

// Configurations as bit vectors: Czipo et al. 2017, section 3, corrected so that parallel composite states do not share
// bits. A region has bits that number its states, then an area that its states, of which one is active, share; inside a state
// its regions follow one another. What is not active has all bits off.

struct chart_code {
    uint32_t first; // bit of the region's number
    uint32_t width; // bits of the number
    uint32_t area;  // of them and of all inside
};

// codes: one for each region of the chart. The number of bits.
uint32_t chart_bits_layout(const struct chart *chart, struct chart_code *codes);
// Bits of a configuration, given by the place of the active state for each region, -1: inactive. bits: all of them.
void chart_bits_of(const struct chart *chart, const struct chart_code *codes, const int64_t *places,
                   bool *bits);
// In the middle of a step the bits do not tell what is not yet entered from first states. False: some action asks for that.
bool chart_bits_suffice(const struct chart *chart);

#endif
