/* A handler in C, called by a loop of Sluice on the bytes where they were received.
 *
 * request, length: one whole message; read it only, and only until you return.
 * reply, capacity: where the reply is sent from; at least 16 KB.
 *
 * Returns the bytes of the reply, 0 for none, or a negative number when the
 * message is another's to answer: then whatever was written is forgotten.
 *
 * One thread of a loop calls, for all its connections; several loops call at the
 * same time. It must not block, and is trusted as the JVM is.
 */
#ifndef SLUICE_HANDLER_H
#define SLUICE_HANDLER_H

#include <stddef.h>

int handle(const void *request, size_t length, void *reply, size_t capacity);

#endif
