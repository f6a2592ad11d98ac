// An array that grows and shrinks at its end without ever moving more than one segment, so that no
// single operation stalls: a directory of equal segments, of which only the first starts small.

#ifndef FL_SEGMENTS_H
#define FL_SEGMENTS_H

#include "base.h"

// Elements in a full segment. Large enough that the directory stays in the cache (5 million locks
// need some 1,200 entries), small enough that making one takes no longer than a scheduler's tick.
#define FL_SEGMENT_LENGTH_LOG2 12
#define FL_SEGMENT_LENGTH (UINT32_C(1) << FL_SEGMENT_LENGTH_LOG2)

// Elements at first, so that thousands of small services fit side by side.
#define FL_SEGMENT_LENGTH_MIN UINT32_C(4)

typedef struct fl_segments {
    uint8_t **directory;
    uint32_t directory_length; // entries that there is room for
    uint32_t element_size;     // bytes
    uint32_t capacity;         // elements that there is memory for
} fl_segments;

void fl_segments_init(fl_segments *segments, size_t element_size);
void fl_segments_destroy(fl_segments *segments, const fl_allocator *allocator);

// Makes room for `count` elements, which must be at most one above the capacity. May move the
// elements of the first segment. The new ones are not initialised.
//   FL_OUT_OF_MEMORY: nothing changed.
fl_result fl_segments_reserve(fl_segments *segments, const fl_allocator *allocator, uint32_t count);

// Frees whole segments that lie above `count` elements, save one to spare, so that a count which
// goes up and down over a boundary does not allocate each time.
void fl_segments_trim(fl_segments *segments, const fl_allocator *allocator, uint32_t count);

// The address of an element: valid until the next reserve or trim.
FL_INLINE void *fl_segments_at(const fl_segments *segments, uint32_t index) {
    uint8_t *segment = segments->directory[index >> FL_SEGMENT_LENGTH_LOG2];
    return segment + (size_t) (index & (FL_SEGMENT_LENGTH - 1)) * segments->element_size;
}

#endif
