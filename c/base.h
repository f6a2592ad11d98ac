// What every source of the core shares: the assertion, and the limits with their reasons.

#ifndef FL_BASE_H
#define FL_BASE_H

#include "fencelock.h"

// Ends the program (a trap in WebAssembly): an internal promise was broken. Never returns.
_Noreturn void fl_assertion_failed(const char *expression, const char *file, int line);

// An assertion is a proof, stays on in every build, and holds one condition. What a caller can get
// wrong is a result instead.
#define FL_ASSERT(condition)                                                                       \
    ((condition) ? (void) 0 : fl_assertion_failed(#condition, __FILE__, __LINE__))

// For a function that is called rarely, so that it is built small and kept out of the fast paths.
#define FL_COLD __attribute__((cold, noinline))

// For a small function that must not become a call, in a build for size either.
#define FL_INLINE static inline __attribute__((always_inline))

// Memory for the core: the caller's allocator, with the C library's in place of NULL.
fl_allocator fl_allocator_or_default(const fl_allocator *allocator);

// NULL when there is no memory.
void *fl_allocate(const fl_allocator *allocator, size_t size);

// `size` is what was asked for. NULL is allowed.
void fl_free(const fl_allocator *allocator, void *block, size_t size);

// Whether a time may be used in arithmetic: a finite number.
static inline bool fl_time_is_valid(double seconds) {
    return seconds - seconds == 0;
}

#endif
