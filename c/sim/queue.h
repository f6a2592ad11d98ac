// What is still to happen, as a binary heap in the order of (time, sequence).

#ifndef FL_SIM_QUEUE_H
#define FL_SIM_QUEUE_H

#include "trace.h"

typedef enum fl_occurrence {
    FL_OCCURS_ARRIVAL,     // index: the message
    FL_OCCURS_TIMER,       // node, slot; index: the timer's version
    FL_OCCURS_FAULT_BEGIN, // index: the fault
    FL_OCCURS_FAULT_END,
} fl_occurrence;

typedef struct fl_queue_entry {
    fl_ticks time;
    uint32_t sequence;
    uint32_t index;
    uint8_t occurrence;
    uint8_t node;
    uint8_t slot;
} fl_queue_entry;

typedef struct fl_queue {
    fl_queue_entry *entries;
    size_t count;
    size_t capacity;
    uint32_t sequence;
} fl_queue;

// Adds an entry, whose sequence is set here; false without memory.
bool fl_queue_push(fl_queue *queue, const fl_allocator *allocator, fl_queue_entry entry);

// Takes the earliest entry; false when there is none.
bool fl_queue_pop(fl_queue *queue, fl_queue_entry *entry);

#endif
