#ifndef REGATTA_LANGUAGES_C_READER_INCLUDES_H
#define REGATTA_LANGUAGES_C_READER_INCLUDES_H

// Which files a program may include. It may come from a stranger, clang's messages quote what it includes, and traces show
// values of it. So: files below the program's folder, of the system (/usr), below folders that the user named (-I), and whatever
// ends as a part of a program does (.h .c .i .inc .def); behind links, too.

// The first file that it may not, or NULL; the caller frees it. `messages`: clang's with -H, which names each file that it
// includes; `dependencies`: a rule of make with all that it has opened, #embed as well, or empty. Both end with NUL.
char *includes_refuse(const char *folder, const char *const *arguments, const char *messages,
                      const char *dependencies);

#endif
