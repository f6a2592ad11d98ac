#include "base.h"

#include <stdlib.h>

const char *fl_result_name(fl_result result) {
    static const char *const names[] = {
#define FL_RESULT_ENTRY(name, text) #name,
        FL_RESULT_MAP(FL_RESULT_ENTRY)
#undef FL_RESULT_ENTRY
    };
    FL_ASSERT((size_t) result < sizeof names / sizeof names[0]);
    return names[result];
}

const char *fl_result_text(fl_result result) {
    static const char *const texts[] = {
#define FL_RESULT_ENTRY(name, text) text,
        FL_RESULT_MAP(FL_RESULT_ENTRY)
#undef FL_RESULT_ENTRY
    };
    FL_ASSERT((size_t) result < sizeof texts / sizeof texts[0]);
    return texts[result];
}

static void *reallocate_by_default(void *context, void *block, size_t old_size, size_t new_size) {
    (void) context;
    (void) old_size;
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

fl_allocator fl_allocator_or_default(const fl_allocator *allocator) {
    if (allocator) return *allocator;
    return (fl_allocator){.reallocate = reallocate_by_default};
}

void *fl_allocate(const fl_allocator *allocator, size_t size) {
    FL_ASSERT(size > 0);
    return allocator->reallocate(allocator->context, NULL, 0, size);
}

void fl_free(const fl_allocator *allocator, void *block, size_t size) {
    if (block) allocator->reallocate(allocator->context, block, size, 0);
}
