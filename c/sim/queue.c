#include "queue.h"

#define FL_QUEUE_CAPACITY_MIN 128

static bool fl_queue_is_before(const fl_queue_entry *a, const fl_queue_entry *b) {
    if (a->time != b->time) return a->time < b->time;
    return a->sequence < b->sequence;
}

bool fl_queue_push(fl_queue *queue, const fl_allocator *allocator, fl_queue_entry entry) {
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity == 0 ? FL_QUEUE_CAPACITY_MIN : queue->capacity * 2;
        void *entries = allocator->reallocate(allocator->context, queue->entries,
                                              queue->capacity * sizeof(fl_queue_entry),
                                              capacity * sizeof(fl_queue_entry));
        if (entries == NULL) return false;
        queue->entries = entries;
        queue->capacity = capacity;
    }
    entry.sequence = queue->sequence++;
    size_t hole = queue->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!fl_queue_is_before(&entry, &queue->entries[parent])) break;
        queue->entries[hole] = queue->entries[parent];
        hole = parent;
    }
    queue->entries[hole] = entry;
    return true;
}

bool fl_queue_pop(fl_queue *queue, fl_queue_entry *entry) {
    if (queue->count == 0) return false;
    *entry = queue->entries[0];
    fl_queue_entry last = queue->entries[--queue->count];
    size_t hole = 0;
    for (;;) {
        size_t child = hole * 2 + 1;
        if (child >= queue->count) break;
        if (child + 1 < queue->count &&
            fl_queue_is_before(&queue->entries[child + 1], &queue->entries[child])) {
            child++;
        }
        if (!fl_queue_is_before(&queue->entries[child], &last)) break;
        queue->entries[hole] = queue->entries[child];
        hole = child;
    }
    if (queue->count > 0) queue->entries[hole] = last;
    return true;
}
