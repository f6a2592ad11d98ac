#include "trace.h"

#define FL_TRACE_CAPACITY_MIN 1024

_Static_assert(sizeof(fl_event) == 64, "JavaScript reads events at these offsets");

void fl_trace_init(fl_trace *trace, const fl_allocator *allocator, bool keeps) {
    *trace = (fl_trace){.allocator = fl_allocator_or_default(allocator), .keeps = keeps};
}

void fl_trace_free(fl_trace *trace) {
    fl_free(&trace->allocator, trace->events, trace->capacity * sizeof(fl_event));
    trace->events = NULL;
    trace->capacity = 0;
}

void fl_trace_begin(fl_trace *trace, size_t limit) {
    trace->count = 0;
    trace->limit = limit;
    trace->out_of_memory = false;
    trace->hash = 0;
}

uint64_t fl_hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static bool fl_trace_grow(fl_trace *trace) {
    size_t capacity = trace->capacity == 0 ? FL_TRACE_CAPACITY_MIN : trace->capacity * 2;
    void *events = trace->allocator.reallocate(trace->allocator.context, trace->events,
                                               trace->capacity * sizeof(fl_event),
                                               capacity * sizeof(fl_event));
    if (events == NULL) return false;
    trace->events = events;
    trace->capacity = capacity;
    return true;
}

void fl_trace_add(fl_trace *trace, const fl_event *event) {
    // Whole numbers are hashed as such, in fixed positions: the bytes of a struct would depend on
    // the machine. Words are taken in pairs of independent lanes, as the chain of multiplications
    // is what costs.
    uint64_t what = (uint64_t) event->kind | (uint64_t) event->node << 8 |
                    (uint64_t) event->peer << 16 | (uint64_t) event->other << 24 |
                    (uint64_t) event->lock << 32 | (uint64_t) event->key << 40 |
                    (uint64_t) event->operation << 48 | (uint64_t) event->outcome << 56;
    uint64_t message =
        (uint64_t) event->message | (uint64_t) event->reason << 32 | (uint64_t) event->flags << 40;
    uint64_t values = (uint64_t) event->value | (uint64_t) event->previous << 32;
    uint64_t even = fl_hash_word(what, (uint64_t) (int64_t) event->until);
    uint64_t odd = fl_hash_word(message, (uint64_t) (int64_t) event->local_time);
    even = fl_hash_word(even, (uint64_t) (int64_t) event->token);
    odd = fl_hash_word(odd, (uint64_t) (int64_t) event->highest);
    even = fl_hash_word(even, values);
    odd = fl_hash_word(odd, (uint64_t) (int64_t) event->time);
    trace->hash = fl_hash_word(trace->hash, even + (odd << 32 | odd >> 32));

    if (trace->keeps) {
        if (trace->count == trace->capacity && !fl_trace_grow(trace)) {
            trace->out_of_memory = true;
            return;
        }
        trace->events[trace->count] = *event;
    }
    trace->count++;
}

#define FL_TRACE_TEXT(name, text) text,

const char *fl_trace_text(fl_trace_table table, unsigned index) {
    static const char *const events[] = {FL_EVENT_MAP(FL_TRACE_TEXT) NULL};
    static const char *const operations[] = {FL_OPERATION_MAP(FL_TRACE_TEXT) NULL};
    static const char *const outcomes[] = {FL_OUTCOME_MAP(FL_TRACE_TEXT) NULL};
    static const char *const reasons[] = {FL_REASON_MAP(FL_TRACE_TEXT) NULL};
    static const struct {
        const char *const *texts;
        size_t count;
    } tables[] = {
        {events, sizeof(events) / sizeof(events[0])},
        {operations, sizeof(operations) / sizeof(operations[0])},
        {outcomes, sizeof(outcomes) / sizeof(outcomes[0])},
        {reasons, sizeof(reasons) / sizeof(reasons[0])},
    };
    FL_ASSERT((size_t) table < sizeof(tables) / sizeof(tables[0]));
    return index < tables[table].count ? tables[table].texts[index] : NULL;
}
