#ifndef REGATTA_BASE_LIBXML_H
#define REGATTA_BASE_LIBXML_H

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlwriter.h>

#include "base/text.h"

// libxml2, loaded when first needed. Few inputs are XML, and the library brings ICU along: linked in the ordinary way the two
// are a quarter of what it takes to start the program, which a run with isolation does once an attempt.
//
// Its functions are called as libxml->xmlParseChunk(…), after libxml_load. One that is missing here is added to the list.

// clang-format off
#define LIBXML_NAMES(NAME)                                                                         \
    NAME(xmlBufferContent) NAME(xmlBufferCreate) NAME(xmlBufferFree) NAME(xmlBufferLength)         \
    NAME(xmlByteConsumed) NAME(xmlCheckUTF8) NAME(xmlCreateMemoryParserCtxt)                       \
    NAME(xmlCreatePushParserCtxt) NAME(xmlCtxtUseOptions) NAME(xmlDocGetRootElement)               \
    NAME(xmlFree) NAME(xmlFreeDoc) NAME(xmlFreeParserCtxt) NAME(xmlFreeTextReader)                 \
    NAME(xmlFreeTextWriter) NAME(xmlGetLastError) NAME(xmlGetLineNo)                               \
    NAME(xmlMemSetup) NAME(xmlNewTextWriterMemory) NAME(xmlNodeGetContent)                         \
    NAME(xmlNodeListGetString)                                                                     \
    NAME(xmlParseChunk) NAME(xmlParseDocument) NAME(xmlReaderForFile) NAME(xmlReaderForIO)         \
    NAME(xmlReadMemory) NAME(xmlResetLastError) NAME(xmlStopParser) NAME(xmlStrEqual)              \
    NAME(xmlTextReaderConstName) NAME(xmlTextReaderDepth) NAME(xmlTextReaderGetAttribute)          \
    NAME(xmlTextReaderGetParserColumnNumber) NAME(xmlTextReaderGetParserLineNumber)                \
    NAME(xmlTextReaderIsEmptyElement) NAME(xmlTextReaderNodeType) NAME(xmlTextReaderRead)          \
    NAME(xmlTextReaderSetStructuredErrorHandler) NAME(xmlTextWriterEndDocument)                    \
    NAME(xmlTextWriterEndElement) NAME(xmlTextWriterFlush) NAME(xmlTextWriterSetIndent)            \
    NAME(xmlTextWriterStartDocument) NAME(xmlTextWriterStartElement)                               \
    NAME(xmlTextWriterWriteAttribute) NAME(xmlTextWriterWriteDTD)
// clang-format on

struct libxml {
#define LIBXML_FIELD(name) __typeof__(name) *name;
    LIBXML_NAMES(LIBXML_FIELD)
#undef LIBXML_FIELD
};

extern const struct libxml *libxml; // once it is loaded

// NULL, or why it cannot be loaded. Any thread; the text stays.
const char *libxml_load(void);
// What is wrong, in our words where it is a limit of the library and not the text, else `otherwise` and the library's words, cut.
void libxml_say(struct text *out, const char *otherwise, const xmlError *error);
void libxml_free(void *block); // what a function of libxml2 returned to be freed; NULL is fine

#endif
