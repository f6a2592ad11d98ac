#include "history.h"

#include "../segments.h"

#include <math.h>
#include <string.h>

#define FL_TRUST_END_UNTOLD INFINITY

// A client that trusts a lease. The trusts of a lock are in a list, the latest first.
typedef struct fl_trust {
    double token;
    double until; // FL_TRUST_END_UNTOLD where it is
    // Who began to trust the lock while this trust, of no told end, went on.
    double overlapped_at;
    double overlapped_token;
    uint32_t overlapped_sequence;
    uint32_t overlapped_by; // FL_NOBODY for none
    uint32_t client;
    uint32_t crashes; // of the client when it began
    uint32_t next;    // or the next freed one
} fl_trust;

// What may prove to be right yet: of its instant, and of those as near to it as times may be off,
// not all is known. Trust that began is compared with that of others then; a grant while another's
// lease was live is reported then, unless that lease was given back meanwhile.
typedef struct fl_due {
    fl_violation found; // of trust: whose, in which lock, since when
    uint32_t lease;     // of a grant
} fl_due;

#define FL_DUE_NO_MORE FL_VIOLATION_KINDS

typedef struct fl_history_node {
    fl_checked_writer writer;
    double fenced_token; // the latest; -1 before
    uint32_t fenced_key;
    uint32_t crashes;
    uint32_t clock_changes;
    bool asleep;
} fl_history_node;

typedef struct fl_history_lease {
    fl_checked_lock lock;
    uint32_t crashes; // of its service, when it was looked at last
    uint32_t clock_changes;
    double granted_at;
    double token_before; // of the lease before
    uint32_t client_before;
} fl_history_lease;

typedef struct fl_history_lock {
    uint32_t first_trust; // FL_NOBODY for none
} fl_history_lock;

typedef struct fl_history_table {
    fl_segments rows;
    uint32_t count;
} fl_history_table;

struct fl_history {
    fl_allocator allocator;
    fl_checker checker;
    fl_history_table nodes;
    fl_history_table leases;
    fl_history_table locks;
    fl_history_table keys;
    fl_history_table trusts;
    uint32_t freed_trust; // FL_NOBODY for none
    fl_due *due;          // a ring
    uint32_t due_first;
    uint32_t due_count;
    uint32_t due_capacity; // a power of two
};

// Tables -------------------------------------------------------------------------------------

// The row of that number, made as a copy of `fresh` at its first use; NULL without memory.
static void *fl_history_row(fl_history *history, fl_history_table *table, uint32_t number,
                            const void *fresh) {
    FL_ASSERT(number <= table->count);
    if (number == table->count) {
        if (fl_segments_reserve(&table->rows, &history->allocator, number + 1) != FL_OK) {
            return NULL;
        }
        memcpy(fl_segments_at(&table->rows, number), fresh, table->rows.element_size);
        table->count++;
    }
    return fl_segments_at(&table->rows, number);
}

// Makes what an event names, so that rows stay where they are while it is judged.
static bool fl_history_name(fl_history *history, const fl_history_event *event) {
    const fl_history_node node = {.writer = {.base_token = -1}, .fenced_token = -1};
    const fl_history_lease lease = {
        .lock = {.client = FL_NOBODY, .token = -1, .highest = -1, .highest_at = -INFINITY},
        .granted_at = -INFINITY,
        .token_before = -1,
        .client_before = FL_NOBODY,
    };
    const fl_history_lock lock = {.first_trust = FL_NOBODY};
    const fl_checked_key key = {.highest = -1, .highest_at = -INFINITY, .value_at = -INFINITY};
    const struct {
        fl_history_table *table;
        uint32_t number;
        const void *fresh;
    } names[] = {
        {&history->nodes, event->node, &node},    {&history->nodes, event->peer, &node},
        {&history->leases, event->lease, &lease}, {&history->locks, event->lock, &lock},
        {&history->keys, event->stored, &key},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == FL_NOBODY) continue;
        if (fl_history_row(history, names[i].table, names[i].number, names[i].fresh) == NULL) {
            return false;
        }
    }
    return true;
}

static fl_history_node *fl_node_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->nodes.count);
    return fl_segments_at(&history->nodes.rows, number);
}

static fl_trust *fl_trust_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->trusts.count);
    return fl_segments_at(&history->trusts.rows, number);
}

static fl_history_lock *fl_lock_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->locks.count);
    return fl_segments_at(&history->locks.rows, number);
}

// Trust --------------------------------------------------------------------------------------

// Where the number of a client's trust in a lock stands, or where the list ends.
static uint32_t *fl_trust_place(const fl_history *history, uint32_t lock, uint32_t client) {
    uint32_t *place = &fl_lock_at(history, lock)->first_trust;
    while (*place != FL_NOBODY && fl_trust_at(history, *place)->client != client)
        place = &fl_trust_at(history, *place)->next;
    return place;
}

static void fl_trust_remove(fl_history *history, uint32_t *place) {
    uint32_t number = *place;
    fl_trust *trust = fl_trust_at(history, number);
    *place = trust->next;
    trust->next = history->freed_trust;
    history->freed_trust = number;
}

// Whether it goes on after `time`, as far as is told.
static bool fl_trust_lasts(const fl_history *history, const fl_trust *trust, double time) {
    const fl_history_node *client = fl_node_at(history, trust->client);
    return trust->crashes == client->crashes && trust->until > time;
}

// Reports what showed at an event before.
static void fl_report_then(fl_history *history, double time, uint32_t sequence,
                           fl_violation violation) {
    fl_checker *checker = &history->checker;
    double time_now = checker->time;
    uint32_t sequence_now = checker->sequence;
    checker->time = time;
    checker->sequence = sequence;
    fl_report(checker, violation);
    checker->time = time_now;
    checker->sequence = sequence_now;
}

static void fl_judge_trust(fl_history *history, const fl_violation *began) {
    double time = began->time + history->checker.tolerance;
    uint32_t mine_number = *fl_trust_place(history, began->lock, began->node);
    if (mine_number == FL_NOBODY) return;
    const fl_trust *mine = fl_trust_at(history, mine_number);
    if (!fl_trust_lasts(history, mine, time)) return;
    uint32_t next = fl_lock_at(history, began->lock)->first_trust;
    while (next != FL_NOBODY) {
        fl_trust *other = fl_trust_at(history, next);
        next = other->next;
        if (other == mine || fl_node_at(history, other->client)->asleep) continue;
        if (!fl_trust_lasts(history, other, time)) continue;
        if (other->until < FL_TRUST_END_UNTOLD) {
            fl_report_then(history, began->time, began->sequence,
                           (fl_violation){.kind = FL_VIOLATION_TWO_HOLDERS,
                                          .node = mine->client,
                                          .key = FL_NOBODY,
                                          .peer = other->client,
                                          .lock = began->lock,
                                          .token = mine->token,
                                          .other = other->token});
        } else if (other->overlapped_by == FL_NOBODY) {
            other->overlapped_at = began->time;
            other->overlapped_sequence = began->sequence;
            other->overlapped_by = mine->client;
            other->overlapped_token = mine->token;
        }
    }
}

static void fl_judge_due(fl_history *history, const fl_due *due) {
    if (due->found.kind == FL_VIOLATION_TWO_HOLDERS) {
        fl_judge_trust(history, &due->found);
        return;
    }
    if (due->found.kind == FL_DUE_NO_MORE) return;
    fl_report_then(history, due->found.time, due->found.sequence, due->found);
}

// The latest grant of the lease was right.
static void fl_due_cancel(fl_history *history, uint32_t lease) {
    for (uint32_t i = history->due_count; i-- > 0;) {
        fl_due *due = &history->due[(history->due_first + i) & (history->due_capacity - 1)];
        if (due->lease != lease) continue;
        due->found.kind = FL_DUE_NO_MORE;
        return;
    }
}

bool fl_history_settle(fl_history *history, double before) {
    while (history->due_count > 0) {
        fl_due due = history->due[history->due_first];
        if (due.found.time + history->checker.tolerance >= before) return true;
        if (history->checker.count > FL_VIOLATIONS_MAX - FL_HISTORY_TRUSTERS_MAX) return false;
        history->due_first = (history->due_first + 1) & (history->due_capacity - 1);
        history->due_count--;
        fl_judge_due(history, &due);
    }
    return true;
}

#define FL_DUE_MIN 64

static bool fl_due_grow(fl_history *history) {
    uint32_t old = history->due_capacity;
    if (old > UINT32_MAX / 4 / sizeof(fl_due)) return false;
    uint32_t capacity = old == 0 ? FL_DUE_MIN : old * 2;
    fl_due *grown = fl_allocate(&history->allocator, capacity * sizeof *grown);
    if (grown == NULL) return false;
    for (uint32_t i = 0; i < history->due_count; i++)
        grown[i] = history->due[(history->due_first + i) & (old - 1)];
    fl_free(&history->allocator, history->due, old * sizeof *grown);
    history->due = grown;
    history->due_first = 0;
    history->due_capacity = capacity;
    return true;
}

static fl_result fl_due_add(fl_history *history, fl_violation found, uint32_t lease) {
    if (history->due_count == history->due_capacity && !fl_due_grow(history)) {
        return FL_OUT_OF_MEMORY;
    }
    found.time = history->checker.time;
    found.sequence = history->checker.sequence;
    uint32_t last = history->due_first + history->due_count;
    history->due[last & (history->due_capacity - 1)] = (fl_due){found, lease};
    history->due_count++;
    return FL_OK;
}

// Frees what is over in a lock's list, and what would make it too long.
static void fl_trusts_tidy(fl_history *history, uint32_t lock, double time) {
    uint32_t kept = 0;
    uint32_t *place = &fl_lock_at(history, lock)->first_trust;
    while (*place != FL_NOBODY) {
        fl_trust *trust = fl_trust_at(history, *place);
        bool is_over = !fl_trust_lasts(history, trust, time - history->checker.tolerance);
        if (is_over || kept == FL_HISTORY_TRUSTERS_MAX - 1) {
            fl_trust_remove(history, place);
        } else {
            kept++;
            place = &trust->next;
        }
    }
}

// A new trust at the head of its lock's list; NULL without memory.
static fl_trust *fl_trust_add(fl_history *history, uint32_t lock, uint32_t client) {
    const fl_trust fresh = {0};
    uint32_t number = history->freed_trust;
    if (number == FL_NOBODY) {
        number = history->trusts.count;
        if (fl_history_row(history, &history->trusts, number, &fresh) == NULL) return NULL;
    } else {
        history->freed_trust = fl_trust_at(history, number)->next;
    }
    fl_trust *trust = fl_trust_at(history, number);
    uint32_t *first = &fl_lock_at(history, lock)->first_trust;
    *trust = (fl_trust){
        .client = client,
        .crashes = fl_node_at(history, client)->crashes,
        .overlapped_by = FL_NOBODY,
        .next = *first,
    };
    *first = number;
    return trust;
}

static fl_result fl_see_trust(fl_history *history, const fl_history_event *event) {
    fl_trusts_tidy(history, event->lock, event->time);
    uint32_t number = *fl_trust_place(history, event->lock, event->node);
    fl_trust *trust = number == FL_NOBODY ? NULL : fl_trust_at(history, number);
    // Trust that goes on with another token has begun anew.
    bool begins = trust == NULL || trust->token != event->token ||
                  !fl_trust_lasts(history, trust, event->time);
    if (trust == NULL) trust = fl_trust_add(history, event->lock, event->node);
    if (trust == NULL) return FL_OUT_OF_MEMORY;
    trust->token = event->token;
    trust->until = (event->flags & FL_TOLD_UNTIL) != 0 ? event->until : FL_TRUST_END_UNTOLD;
    trust->crashes = fl_node_at(history, event->node)->crashes;
    history->checker.judged.trusts++;
    if (!begins) return FL_OK;
    trust->overlapped_by = FL_NOBODY;
    const fl_violation began = {
        .kind = FL_VIOLATION_TWO_HOLDERS, .node = event->node, .lock = event->lock};
    return fl_due_add(history, began, FL_NOBODY);
}

// The client trusts the lease no more, or has given it back. -1 stands for whichever token.
static void fl_end_trust(fl_history *history, uint32_t lock, uint32_t client, double token) {
    uint32_t *place = fl_trust_place(history, lock, client);
    if (*place == FL_NOBODY) return;
    const fl_trust *trust = fl_trust_at(history, *place);
    if (token >= 0 && trust->token >= 0 && trust->token != token) return;
    if (trust->overlapped_by != FL_NOBODY) {
        fl_report_then(history, trust->overlapped_at, trust->overlapped_sequence,
                       (fl_violation){.kind = FL_VIOLATION_TWO_HOLDERS,
                                      .key = FL_NOBODY,
                                      .node = trust->overlapped_by,
                                      .peer = client,
                                      .lock = lock,
                                      .token = trust->overlapped_token,
                                      .other = trust->token});
    }
    fl_trust_remove(history, place);
}

// Service and storage ------------------------------------------------------------------------

// Whether the event ends the lease before the live one, so near to the grant that the two may have
// come in the other order.
static bool fl_ends_lease_before(const fl_history *history, const fl_history_event *event,
                                 const fl_history_lease *lease) {
    bool ends = event->kind == FL_EVENT_EXPIRE ||
                (event->kind == FL_EVENT_RELEASE && event->outcome == FL_OUTCOME_OK);
    if (!ends || event->time - lease->granted_at >= history->checker.tolerance) return false;
    if (event->token >= 0 && lease->token_before >= 0) return event->token == lease->token_before;
    return event->peer == lease->client_before && event->peer != lease->lock.client;
}

// That a lease was live at a grant is in question while the lease may yet be given back.
static fl_result fl_see_grant(fl_history *history, const fl_history_event *event,
                              const fl_sighting *seen, fl_history_lease *lease) {
    fl_checker *checker = &history->checker;
    uint32_t kept = checker->count;
    uint32_t next = kept;
    fl_result result = FL_OK;
    lease->granted_at = event->time;
    lease->token_before = lease->lock.token;
    lease->client_before = lease->lock.client;
    fl_check_service(checker, seen, &lease->lock, NULL);
    if (checker->count > FL_VIOLATIONS_MAX) return FL_OK;
    for (; next < checker->count; next++) {
        fl_violation found = checker->violations[next];
        if (found.kind == FL_VIOLATION_TOKEN_NOT_ABOVE) {
            checker->violations[kept++] = found;
        } else {
            result = fl_due_add(history, found, event->lease);
        }
    }
    checker->count = kept;
    return result;
}

static fl_result fl_see_service(fl_history *history, const fl_history_event *event,
                                const fl_sighting *seen) {
    const fl_history_node *service = fl_node_at(history, event->node);
    FL_ASSERT(event->lease < history->leases.count);
    fl_history_lease *lease = fl_segments_at(&history->leases.rows, event->lease);
    if (lease->crashes != service->crashes) lease->lock.is_forgotten = true;
    if (lease->clock_changes != service->clock_changes) lease->lock.end_is_known = false;
    lease->crashes = service->crashes;
    lease->clock_changes = service->clock_changes;
    bool gives_back = event->kind == FL_EVENT_RELEASE && event->outcome == FL_OUTCOME_OK;
    if (gives_back) fl_end_trust(history, event->lock, event->peer, event->token);
    if (event->kind == FL_EVENT_ACQUIRE && event->outcome == FL_OUTCOME_GRANTED) {
        return fl_see_grant(history, event, seen, lease);
    }
    if (fl_ends_lease_before(history, event, lease)) {
        fl_due_cancel(history, event->lease);
        return FL_OK;
    }
    fl_check_service(&history->checker, seen, &lease->lock, NULL);
    return FL_OK;
}

static void fl_see_read(const fl_history_event *event, fl_history_node *client) {
    bool is_behind_fence = client->fenced_token >= 0 && client->fenced_key == event->key &&
                           (event->token < 0 || event->token == client->fenced_token);
    if (!is_behind_fence || (event->flags & FL_TOLD_VALUE) == 0) return;
    client->writer.base_token = client->fenced_token;
    client->writer.base_key = event->key;
    client->writer.base = event->value;
}

static void fl_see_storage(fl_history *history, const fl_history_event *event,
                           const fl_sighting *seen) {
    fl_checker *checker = &history->checker;
    FL_ASSERT(event->stored < history->keys.count);
    fl_checked_key *key = fl_segments_at(&history->keys.rows, event->stored);
    fl_history_node *client = event->peer == FL_NOBODY ? NULL : fl_node_at(history, event->peer);
    if (event->kind == FL_EVENT_READ) {
        fl_check_read(checker, seen, key);
        if (client != NULL) fl_see_read(event, client);
        return;
    }
    FL_ASSERT(client != NULL);
    if (event->kind == FL_EVENT_WRITE) {
        fl_check_write(checker, seen, key, &client->writer);
        return;
    }
    fl_check_fence(checker, seen, key);
    if (event->outcome != FL_OUTCOME_ACCEPTED) return;
    client->fenced_token = event->token;
    client->fenced_key = event->key;
}

// Histories ----------------------------------------------------------------------------------

fl_result fl_history_new(const fl_allocator *allocator, double tolerance, uint32_t fencing,
                         fl_history **history) {
    FL_ASSERT(fencing <= FL_HISTORY_RULE_UNKNOWN);
    fl_allocator chosen = fl_allocator_or_default(allocator);
    fl_history *made = fl_allocate(&chosen, sizeof *made);
    if (made == NULL) return FL_OUT_OF_MEMORY;
    *made = (fl_history){.allocator = chosen, .freed_trust = FL_NOBODY};
    fl_checker_begin(&made->checker, NULL);
    made->checker.time = -INFINITY;
    made->checker.latest = -INFINITY;
    made->checker.tolerance = tolerance;
    made->checker.fencing_is_known = fencing != FL_HISTORY_RULE_UNKNOWN;
    if (made->checker.fencing_is_known) made->checker.fencing = (fl_fencing) fencing;
    fl_segments_init(&made->nodes.rows, sizeof(fl_history_node));
    fl_segments_init(&made->leases.rows, sizeof(fl_history_lease));
    fl_segments_init(&made->locks.rows, sizeof(fl_history_lock));
    fl_segments_init(&made->keys.rows, sizeof(fl_checked_key));
    fl_segments_init(&made->trusts.rows, sizeof(fl_trust));
    *history = made;
    return FL_OK;
}

void fl_history_free(fl_history *history) {
    if (history == NULL) return;
    fl_allocator allocator = history->allocator;
    fl_history_table *tables[] = {&history->nodes, &history->leases, &history->locks,
                                  &history->keys, &history->trusts};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        fl_segments_destroy(&tables[i]->rows, &allocator);
    fl_free(&allocator, history->due, history->due_capacity * sizeof *history->due);
    fl_free(&allocator, history, sizeof *history);
}

static fl_result fl_history_see(fl_history *history, const fl_history_event *event,
                                const fl_sighting *seen) {
    fl_history_node *node = fl_node_at(history, event->node);
    switch ((fl_event_kind) event->kind) {
    case FL_EVENT_ACQUIRE:
    case FL_EVENT_RENEW:
    case FL_EVENT_RELEASE:
    case FL_EVENT_EXPIRE:
        return fl_see_service(history, event, seen);
    case FL_EVENT_WRITE:
    case FL_EVENT_FENCE:
    case FL_EVENT_READ:
        fl_see_storage(history, event, seen);
        return FL_OK;
    case FL_EVENT_TRUST:
        return fl_see_trust(history, event);
    case FL_EVENT_DISTRUST:
        fl_end_trust(history, event->lock, event->node, event->token);
        return FL_OK;
    case FL_EVENT_CRASH:
        node->crashes++;
        node->asleep = false;
        return FL_OK;
    case FL_EVENT_SUSPEND:
    case FL_EVENT_WAKE:
        node->asleep = event->kind == FL_EVENT_SUSPEND;
        node->clock_changes++; // it stands still, or jumps
        return FL_OK;
    case FL_EVENT_CLOCK_STEP:
        node->clock_changes++;
        return FL_OK;
    default:
        return FL_OK;
    }
}

fl_result fl_history_observe(fl_history *history, const fl_history_event *event) {
    fl_checker *checker = &history->checker;
    FL_ASSERT(event->time >= checker->time);
    if (!fl_history_name(history, event)) return FL_OUT_OF_MEMORY;
    fl_history_settle(history, event->time);
    checker->time = event->time;
    checker->sequence = event->sequence;
    fl_event judged = {
        .time = event->time,
        .local_time = event->time,
        .until = event->until,
        .token = event->token,
        .highest = event->highest,
        .value = event->value,
        .previous = event->previous,
        .kind = event->kind,
        .outcome = event->outcome,
        .reason = event->reason,
        .flags = event->flags,
    };
    fl_sighting seen = {&judged, event->node, event->peer, event->lock, event->key};
    return fl_history_see(history, event, &seen);
}

fl_checker *fl_history_checker(fl_history *history) {
    return &history->checker;
}
