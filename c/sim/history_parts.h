// What the parts of a history's judge share: history.c takes the events, history_order.c keeps
// those that others may come before yet, history_trust.c judges I4.

#ifndef FL_SIM_HISTORY_PARTS_H
#define FL_SIM_HISTORY_PARTS_H

#include "../segments.h"
#include "history.h"

#define FL_TRUST_END_UNTOLD INFINITY

// A client that trusts a lease. The trusts of a lock are in a list, the latest first, and so are
// those of a client.
typedef struct fl_trust {
    double token;
    double until; // FL_TRUST_END_UNTOLD where it is
    // Who trusted the lock while this trust, of no told end, went on.
    double overlapped_at;
    double overlapped_token;
    uint32_t overlapped_sequence;
    uint32_t overlapped_by; // FL_NOBODY for none
    uint32_t began;         // the sequence of its event
    uint32_t client;
    uint32_t lock;
    uint32_t next; // or the next freed one
    uint32_t next_of_client;
    uint32_t last_of_client;
} fl_trust;

typedef struct fl_history_node {
    fl_checked_writer writer;
    double wrote_at;
    double fenced_token; // the latest; -1 before
    double fenced_at;
    double doubtful_token; // of a write that may come about yet: no fence with it counts
    uint32_t fenced_stored;
    uint32_t first_trust;
    uint32_t crashes;
    uint32_t clock_changes;
    double crashed_at;
    double clock_changed_at;
    uint32_t slept; // the sequence of its event
    bool asleep;
} fl_history_node;

#define FL_DUE_NONE UINT64_MAX

typedef struct fl_history_lease {
    fl_checked_lock lock;
    uint32_t crashes; // of its service, when it was looked at last
    uint32_t clock_changes;
    double granted_at;
    double ended_at; // by a release or an expiry of no told token
    uint32_t ended_of;
    uint64_t first_due; // its events that are not judged yet
    uint64_t last_due;
} fl_history_lease;

typedef struct fl_history_key {
    fl_checked_key key;
    fl_checked_value before; // the write below
    uint32_t written_by;     // the sequence of the latest write
} fl_history_key;

typedef struct fl_history_lock {
    uint32_t first_trust; // FL_NOBODY for none
    uint32_t trusted_by;  // the first client that did
    uint32_t trusts;      // that are not counted yet
    bool has_several;     // clients that trusted it
} fl_history_lock;

typedef struct fl_history_table {
    fl_segments rows;
    uint32_t count;
} fl_history_table;

typedef enum fl_due_kind {
    FL_DUE_DONE,
    FL_DUE_SERVICE, // an event at a lock service, of which others may come before
    FL_DUE_VALUE,   // what a read or a write found: a write may come before
    FL_DUE_TRUST,   // a trust that began, or went on at a wake: another may end before
    FL_DUE_FOUND,   // what was found at an event before, or of an update
} fl_due_kind;

typedef struct fl_due {
    fl_due_kind kind;
    uint32_t crashes; // of the service, when the event came
    uint32_t clock_changes;
    double time;
    uint64_t next; // of its lease
    union {
        fl_history_event event;
        fl_violation found;
    };
} fl_due;

struct fl_history {
    fl_allocator allocator;
    fl_checker checker;
    fl_history_table nodes;
    fl_history_table leases;
    fl_history_table locks;
    fl_history_table keys;
    fl_history_table trusts;
    uint32_t freed_trust; // FL_NOBODY for none
    fl_due *due;          // a ring: each has a number for ever
    uint64_t due_first;
    uint32_t due_count;
    uint32_t due_capacity; // a power of two
};

FL_INLINE fl_history_node *fl_node_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->nodes.count);
    return fl_segments_at(&history->nodes.rows, number);
}

FL_INLINE fl_history_lock *fl_lock_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->locks.count);
    return fl_segments_at(&history->locks.rows, number);
}

FL_INLINE fl_history_lease *fl_lease_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->leases.count);
    return fl_segments_at(&history->leases.rows, number);
}

FL_INLINE fl_history_key *fl_key_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->keys.count);
    return fl_segments_at(&history->keys.rows, number);
}

// Whether a time is so near to the present event's that the two may have come in the other order.
FL_INLINE bool fl_is_near(const fl_history *history, double time) {
    return history->checker.time - time < history->checker.tolerance;
}

// The row of that number, made as a copy of `fresh` at its first use; NULL without memory.
void *fl_history_row(fl_history *history, fl_history_table *table, uint32_t number,
                     const void *fresh);

// The event as the checker takes it.
fl_event fl_history_judged_event(const fl_history_event *event);
fl_sighting fl_history_sighting(const fl_history_event *event, const fl_event *judged);

// Keeps what is to be judged when no earlier event comes any more. `due` has its kind, and its
// event or what was found.
//   FL_OUT_OF_MEMORY: nothing changed.
fl_result fl_due_add(fl_history *history, fl_due due);

// What a read or a write found is what was written last, unless a write was so near that it may
// come in between.
void fl_judge_value(fl_history *history, const fl_history_event *event);

// history_trust.c
fl_result fl_see_trust(fl_history *history, const fl_history_event *event);
void fl_judge_trust(fl_history *history, const fl_history_event *began);

// The client trusts the lease no more, or has given it back. -1 stands for whichever token.
//   FL_OUT_OF_MEMORY
fl_result fl_end_trust(fl_history *history, uint32_t lock, uint32_t client, double token);
fl_result fl_end_trusts_of(fl_history *history, uint32_t client);

// A client that wakes goes by what it trusted before it slept.
//   FL_OUT_OF_MEMORY
fl_result fl_see_wake(fl_history *history, const fl_history_event *event);

#endif
