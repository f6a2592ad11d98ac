#include "memory.h"

#include <stdlib.h>

#include "base.h"

// In front of each block, to know its size when it comes back.
typedef struct block_header {
    size_t size;
    size_t alignment_padding;
} block_header;

static void *reallocate(void *context, void *block, size_t old_size, size_t new_size) {
    test_memory *memory = context;
    block_header *header = block ? (block_header *) block - 1 : NULL;
    FL_ASSERT(!header || header->size == old_size);
    if (new_size > old_size) {
        memory->requests++;
        bool fails = memory->fail_only_once ? memory->requests == memory->fail_at
                                            : memory->requests >= memory->fail_at;
        if (memory->fail_at && fails) return NULL;
    }
    memory->bytes = memory->bytes - old_size + new_size;
    if (memory->bytes > memory->bytes_highest) memory->bytes_highest = memory->bytes;
    if (new_size == 0) {
        free(header);
        return NULL;
    }
    header = realloc(header, sizeof *header + new_size);
    FL_ASSERT(header);
    header->size = new_size;
    return header + 1;
}

fl_allocator test_memory_allocator(test_memory *memory) {
    return (fl_allocator){.reallocate = reallocate, .context = memory};
}
