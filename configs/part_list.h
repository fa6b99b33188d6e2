#ifndef REGATTA_CONFIGS_PART_LIST_H
#define REGATTA_CONFIGS_PART_LIST_H

// Parts of a model, or groups of its locations, as an option's text: "auto", "top.cars|top.walk*",
// "top:{Start walk|Walk}". Whether a model has them is for who reads the model to say. Returns the text as it is kept, or NULL.

#define PART_LIST_EXPECTED "one line of names"

const char *part_list_read(const char *text);

#endif
