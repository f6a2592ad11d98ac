#include "segments.h"

void fl_segments_init(fl_segments *segments, size_t element_size) {
    FL_ASSERT(element_size > 0);
    FL_ASSERT(element_size <= UINT32_MAX / FL_SEGMENT_LENGTH);
    *segments = (fl_segments){.element_size = (uint32_t) element_size};
}

// Bytes of the last segment, as it is now.
static size_t last_segment_size(const fl_segments *segments) {
    FL_ASSERT(segments->capacity > 0);
    uint32_t length =
        segments->capacity < FL_SEGMENT_LENGTH ? segments->capacity : FL_SEGMENT_LENGTH;
    return (size_t) length * segments->element_size;
}

FL_COLD static void free_last_segment(fl_segments *segments, const fl_allocator *allocator) {
    uint32_t last = (segments->capacity - 1) >> FL_SEGMENT_LENGTH_LOG2;
    fl_free(allocator, segments->directory[last], last_segment_size(segments));
    segments->directory[last] = NULL;
    segments->capacity = last << FL_SEGMENT_LENGTH_LOG2;
}

void fl_segments_destroy(fl_segments *segments, const fl_allocator *allocator) {
    while (segments->capacity > 0)
        free_last_segment(segments, allocator);
    fl_free(allocator, segments->directory, segments->directory_length * sizeof(uint8_t *));
    fl_segments_init(segments, segments->element_size);
}

FL_COLD static fl_result grow_directory(fl_segments *segments, const fl_allocator *allocator) {
    uint32_t length = segments->directory_length ? segments->directory_length * 2 : 1;
    uint8_t **directory = allocator->reallocate(allocator->context, segments->directory,
                                                segments->directory_length * sizeof(uint8_t *),
                                                length * sizeof(uint8_t *));
    if (!directory) return FL_OUT_OF_MEMORY;
    for (uint32_t i = segments->directory_length; i < length; i++)
        directory[i] = NULL;
    segments->directory = directory;
    segments->directory_length = length;
    return FL_OK;
}

// The first segment doubles until it is a full one.
FL_COLD static fl_result grow_first_segment(fl_segments *segments, const fl_allocator *allocator) {
    uint32_t length = segments->capacity ? segments->capacity * 2 : FL_SEGMENT_LENGTH_MIN;
    FL_ASSERT(length <= FL_SEGMENT_LENGTH);
    uint8_t *segment = allocator->reallocate(allocator->context, segments->directory[0],
                                             (size_t) segments->capacity * segments->element_size,
                                             (size_t) length * segments->element_size);
    if (!segment) return FL_OUT_OF_MEMORY;
    segments->directory[0] = segment;
    segments->capacity = length;
    return FL_OK;
}

fl_result fl_segments_reserve(fl_segments *segments, const fl_allocator *allocator,
                              uint32_t count) {
    if (count <= segments->capacity) return FL_OK;
    FL_ASSERT(count == segments->capacity + 1);
    uint32_t index = segments->capacity >> FL_SEGMENT_LENGTH_LOG2;
    if (index >= segments->directory_length && grow_directory(segments, allocator) != FL_OK) {
        return FL_OUT_OF_MEMORY;
    }
    if (segments->capacity < FL_SEGMENT_LENGTH) return grow_first_segment(segments, allocator);
    if (segments->capacity > UINT32_MAX - FL_SEGMENT_LENGTH) return FL_OUT_OF_MEMORY;
    uint8_t *segment = fl_allocate(allocator, (size_t) FL_SEGMENT_LENGTH * segments->element_size);
    if (!segment) return FL_OUT_OF_MEMORY;
    segments->directory[index] = segment;
    segments->capacity += FL_SEGMENT_LENGTH;
    return FL_OK;
}

void fl_segments_trim(fl_segments *segments, const fl_allocator *allocator, uint32_t count) {
    FL_ASSERT(count <= segments->capacity);
    while (segments->capacity - count >= 2 * FL_SEGMENT_LENGTH) {
        free_last_segment(segments, allocator);
    }
}
