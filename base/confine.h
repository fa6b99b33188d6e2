#ifndef REGATTA_BASE_CONFINE_H
#define REGATTA_BASE_CONFINE_H

// A process that reads what strangers wrote, and asks programs about it, needs no file to write and no network. From here on
// neither it nor what it starts has them: the kernel refuses (Landlock, from kernel 5.13 on; a seccomp filter).
// Descriptors that are open stay usable, and /dev/null can be written. Cannot be undone. Before the process has threads.

enum { CONFINED_FILES = 1, CONFINED_NETWORK = 2 };

// What the kernel granted of these, as bits; REGATTA_UNCONFINED in the environment: nothing.
unsigned confine_process(void);

#endif
