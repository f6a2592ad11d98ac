// An allocator for tests: counts what is allocated, checks the sizes it is told, and fails on
// demand.

#ifndef FL_TEST_MEMORY_H
#define FL_TEST_MEMORY_H

#include "fencelock.h"

typedef struct test_memory {
    size_t bytes;         // allocated now
    size_t bytes_highest; // ever
    uint64_t requests;    // for new or more memory, so far
    uint64_t fail_at;     // the number of the request that fails, and all after it; 0 for none
    bool fail_only_once;  // only that one fails
} test_memory;

fl_allocator test_memory_allocator(test_memory *memory);

#endif
