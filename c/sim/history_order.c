// Events that are as near to each other as times are exact may stand in any order. So they wait
// until no other can come before them; then those of one lease are judged in an order in which they
// are right, as far as there is one.

#include "history_parts.h"

#include <math.h>

#define FL_DUE_MIN 64

static fl_due *fl_due_at(const fl_history *history, uint64_t number) {
    FL_ASSERT(number - history->due_first < history->due_count);
    return &history->due[number & (history->due_capacity - 1)];
}

static bool fl_due_grow(fl_history *history) {
    uint32_t old = history->due_capacity;
    if (old > UINT32_MAX / 4 / sizeof(fl_due)) return false;
    uint32_t capacity = old == 0 ? FL_DUE_MIN : old * 2;
    fl_due *grown = fl_allocate(&history->allocator, capacity * sizeof *grown);
    if (grown == NULL) return false;
    for (uint32_t i = 0; i < history->due_count; i++) {
        uint64_t number = history->due_first + i;
        grown[number & (capacity - 1)] = history->due[number & (old - 1)];
    }
    fl_free(&history->allocator, history->due, old * sizeof *grown);
    history->due = grown;
    history->due_capacity = capacity;
    return true;
}

fl_result fl_due_add(fl_history *history, fl_due due) {
    if (history->due_count == history->due_capacity && !fl_due_grow(history)) {
        return FL_OUT_OF_MEMORY;
    }
    uint64_t number = history->due_first + history->due_count++;
    due.time = history->checker.time;
    due.next = FL_DUE_NONE;
    *fl_due_at(history, number) = due;
    if (due.kind != FL_DUE_SERVICE) return FL_OK;
    fl_history_lease *lease = fl_lease_at(history, due.event.lease);
    if (lease->first_due == FL_DUE_NONE) {
        lease->first_due = number;
    } else {
        fl_due_at(history, lease->last_due)->next = number;
    }
    lease->last_due = number;
    return FL_OK;
}

// Leases -------------------------------------------------------------------------------------

static bool fl_is_about(const fl_history *history, double time, double other) {
    return fabs(time - other) < history->checker.tolerance;
}

// A release or an expiry that does not tell of which lease it is, and a grant to its client about
// then: the one may have ended the other, or not.
static void fl_lease_doubt(const fl_history *history, fl_history_lease *lease,
                           const fl_history_event *event, bool was_live) {
    fl_checked_lock *lock = &lease->lock;
    if (event->kind == FL_EVENT_ACQUIRE && event->outcome == FL_OUTCOME_GRANTED) {
        lease->granted_at = event->time;
        bool is_of_client = lease->ended_of == event->peer || lease->ended_of == FL_NOBODY;
        if (is_of_client && fl_is_about(history, event->time, lease->ended_at)) {
            lock->may_end = true;
        }
    }
    bool ends = event->kind == FL_EVENT_EXPIRE ||
                (event->kind == FL_EVENT_RELEASE && event->outcome != FL_OUTCOME_REFUSED);
    bool is_told = event->token >= 0 && (lock->token >= 0 || lock->client != event->peer);
    if (!ends || is_told) return;
    lease->ended_at = event->time;
    lease->ended_of = event->peer;
    bool was_granted = fl_is_about(history, event->time, lease->granted_at);
    if (was_live && !lock->live && was_granted) lock->is_known = false;
}

// Judges an event of a lease.
static void fl_lease_see(fl_history *history, fl_history_lease *lease, const fl_due *due) {
    const fl_history_event *event = &due->event;
    const fl_history_node *service = fl_node_at(history, event->node);
    fl_checked_lock *lock = &lease->lock;
    bool crashed = fl_is_about(history, event->time, service->crashed_at);
    bool clock_changed = fl_is_about(history, event->time, service->clock_changed_at);
    if (lease->crashes != due->crashes || crashed) lock->is_forgotten = true;
    if (lease->clock_changes != due->clock_changes || clock_changed) {
        lock->end_is_known = false;
        if (!lock->live && lock->ran_out) lock->is_known = false;
    }
    lease->crashes = due->crashes;
    lease->clock_changes = due->clock_changes;
    fl_event judged = fl_history_judged_event(event);
    fl_sighting seen = fl_history_sighting(event, &judged);
    bool was_live = lock->live;
    fl_check_service(&history->checker, &seen, lock, NULL);
    fl_lease_doubt(history, lease, event, was_live);
    if (crashed) lock->is_forgotten = true;
    if (clock_changed) lock->end_is_known = false;
}

// Of more events that are near to each other than the first no order is looked for, and not for
// longer than so many trials.
#define FL_ORDER_EVENTS 8
#define FL_ORDER_TRIALS 256

typedef struct fl_order {
    fl_history *history;
    const fl_due *events[FL_ORDER_EVENTS];
    uint32_t count;
    uint32_t trials; // left
    uint32_t best;   // the most that are right one after the other, and the first of them
    uint32_t first;
} fl_order;

// Whether a grant that is not in the order yet is of the same lease, which the event goes on with
// or ends. Taken before it, it would be right by what others do: a release of nothing harms nobody.
static bool fl_is_before_its_grant(const fl_order *order, const fl_checked_lock *lock,
                                   uint32_t left, const fl_history_event *event) {
    if (event->kind == FL_EVENT_ACQUIRE || event->outcome == FL_OUTCOME_REFUSED) return false;
    if (event->token < 0) return false;
    if (lock->live && lock->client == event->peer && lock->token == event->token) return false;
    for (uint32_t i = 0; i < order->count; i++) {
        const fl_history_event *other = &order->events[i]->event;
        bool is_grant = other->kind == FL_EVENT_ACQUIRE && other->outcome == FL_OUTCOME_GRANTED;
        if ((left >> i & 1) == 0 || !is_grant) continue;
        if (other->peer == event->peer && other->token == event->token) return true;
    }
    return false;
}

// `left` has a bit for each event that is not in the order yet, and `taken` are.
static void fl_order_search(fl_order *order, const fl_history_lease *lease, uint32_t left,
                            uint32_t taken, uint32_t first) {
    fl_checker *checker = &order->history->checker;
    if (taken > order->best) {
        order->best = taken;
        order->first = first;
    }
    const fl_due *earliest = NULL;
    for (uint32_t i = 0; i < order->count; i++) {
        if ((left >> i & 1) == 0) continue;
        const fl_due *due = order->events[i];
        if (earliest == NULL) earliest = due;
        bool may_be_next = due == earliest || due->time - earliest->time < checker->tolerance;
        if (!may_be_next || order->best == order->count || order->trials == 0) return;
        order->trials--;
        if (fl_is_before_its_grant(order, &lease->lock, left, &due->event)) continue;
        fl_history_lease then = *lease;
        fl_judged judged = checker->judged;
        uint32_t count = checker->count;
        fl_lease_see(order->history, &then, due);
        bool is_right = checker->count == count;
        checker->judged = judged;
        checker->count = count;
        if (is_right) {
            fl_order_search(order, &then, left & ~(UINT32_C(1) << i), taken + 1,
                            taken == 0 ? i : first);
        }
    }
}

// Takes the event that is judged next out of the lease's list.
static fl_due *fl_lease_next(fl_history *history, fl_history_lease *lease) {
    uint64_t numbers[FL_ORDER_EVENTS];
    fl_order order = {.history = history, .trials = FL_ORDER_TRIALS};
    double latest = fl_due_at(history, lease->first_due)->time + history->checker.tolerance;
    for (uint64_t next = lease->first_due; next != FL_DUE_NONE && order.count < FL_ORDER_EVENTS;) {
        const fl_due *due = fl_due_at(history, next);
        if (order.count > 0 && due->time >= latest) break;
        numbers[order.count] = next;
        order.events[order.count++] = due;
        next = due->next;
    }
    uint32_t all = (UINT32_C(1) << order.count) - 1;
    if (order.count > 1) fl_order_search(&order, lease, all, 0, 0);
    fl_due *chosen = fl_due_at(history, numbers[order.first]);
    if (order.first == 0) {
        lease->first_due = chosen->next;
    } else {
        fl_due_at(history, numbers[order.first - 1])->next = chosen->next;
        if (chosen->next == FL_DUE_NONE) lease->last_due = numbers[order.first - 1];
    }
    return chosen;
}

// Values -------------------------------------------------------------------------------------

void fl_judge_value(fl_history *history, const fl_history_event *event) {
    fl_checker *checker = &history->checker;
    fl_history_key *stored = fl_key_at(history, event->stored);
    bool is_read = event->kind == FL_EVENT_READ;
    bool is_of_itself = event->kind == FL_EVENT_WRITE && event->outcome == FL_OUTCOME_ACCEPTED &&
                        event->sequence == stored->written_by;
    fl_checked_value *before = is_of_itself ? &stored->before : &stored->key.value;
    uint32_t found = is_read ? event->value : event->previous;
    if (fl_is_near(history, before->changed_at)) return;
    if (is_of_itself && fl_may_be_late(&stored->key.value, found)) return;
    if (before->is_known) {
        fl_event judged = fl_history_judged_event(event);
        fl_sighting seen = fl_history_sighting(event, &judged);
        fl_check_value(checker, &seen, &stored->key, before, found);
    }
    before->value = found;
    before->is_known = true;
    if (!before->has_late || fl_is_near(history, before->late_ends)) return;
    fl_forget_late_writes(before); // it shows whether it came about
}

// --------------------------------------------------------------------------------------------

static void fl_judge_due(fl_history *history, fl_due *due) {
    fl_checker *checker = &history->checker;
    if (due->kind == FL_DUE_SERVICE) {
        fl_history_lease *lease = fl_lease_at(history, due->event.lease);
        due = fl_lease_next(history, lease);
        checker->time = due->event.time;
        checker->sequence = due->event.sequence;
        fl_lease_see(history, lease, due);
    } else if (due->kind == FL_DUE_FOUND) {
        checker->time = due->found.time;
        checker->sequence = due->found.sequence;
        const fl_history_node *client = fl_node_at(history, due->found.node);
        bool is_update = due->found.kind == FL_VIOLATION_LOST_UPDATE;
        // Of two writes of a client at once, the other may have been the first.
        if (!is_update || client->wrote_at == due->time) fl_report(checker, due->found);
    } else {
        checker->time = due->event.time;
        checker->sequence = due->event.sequence;
        if (due->kind == FL_DUE_VALUE) fl_judge_value(history, &due->event);
        if (due->kind == FL_DUE_TRUST) fl_judge_trust(history, &due->event);
    }
    due->kind = FL_DUE_DONE;
}

bool fl_history_settle(fl_history *history, double before) {
    fl_checker *checker = &history->checker;
    double time = checker->time;
    uint32_t sequence = checker->sequence;
    bool has_room = true;
    while (history->due_count > 0) {
        fl_due *due = fl_due_at(history, history->due_first);
        if (due->kind == FL_DUE_DONE) {
            history->due_first++;
            history->due_count--;
            continue;
        }
        // Exact times leave nothing in question, save for trust that begins as another's ends.
        bool is_exact = checker->tolerance == 0 && due->kind != FL_DUE_TRUST;
        if (!is_exact && due->time + checker->tolerance >= before) break;
        has_room = checker->count <= FL_VIOLATIONS_MAX - FL_HISTORY_TRUSTERS_MAX;
        if (!has_room) break;
        fl_judge_due(history, due);
    }
    checker->time = time;
    checker->sequence = sequence;
    return has_room;
}
