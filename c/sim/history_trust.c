// I4 of a history: whether two clients trust a lease on one lock at once.

#include "history_parts.h"

#include <math.h>

static fl_trust *fl_trust_at(const fl_history *history, uint32_t number) {
    FL_ASSERT(number < history->trusts.count);
    return fl_segments_at(&history->trusts.rows, number);
}

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
    if (trust->next_of_client != FL_NOBODY) {
        fl_trust_at(history, trust->next_of_client)->last_of_client = trust->last_of_client;
    }
    if (trust->last_of_client != FL_NOBODY) {
        fl_trust_at(history, trust->last_of_client)->next_of_client = trust->next_of_client;
    } else {
        fl_node_at(history, trust->client)->first_trust = trust->next_of_client;
    }
    trust->next = history->freed_trust;
    history->freed_trust = number;
}

static void fl_note_overlap(fl_trust *trust, const fl_trust *other, const fl_history_event *event) {
    if (trust->overlapped_by != FL_NOBODY) return;
    trust->overlapped_at = event->time;
    trust->overlapped_sequence = event->sequence;
    trust->overlapped_by = other->client;
    trust->overlapped_token = other->token;
}

void fl_judge_trust(fl_history *history, const fl_history_event *began) {
    double time = began->time + history->checker.tolerance;
    bool wakes = began->kind == FL_EVENT_WAKE;
    uint32_t number = *fl_trust_place(history, began->lock, began->node);
    if (number == FL_NOBODY) return;
    fl_trust *mine = fl_trust_at(history, number);
    const fl_history_node *client = fl_node_at(history, mine->client);
    if (!(mine->until > time) || client->asleep) return;
    uint32_t next = fl_lock_at(history, began->lock)->first_trust;
    while (next != FL_NOBODY) {
        fl_trust *other = fl_trust_at(history, next);
        next = other->next;
        if (other == mine || fl_node_at(history, other->client)->asleep) continue;
        if (!(other->until > time)) continue;
        // What began earlier was judged when it was trusted, and what begins later is yet to be.
        if (other->began > began->sequence || (wakes && other->began < client->slept)) continue;
        if (wakes && mine->until == FL_TRUST_END_UNTOLD) {
            fl_note_overlap(mine, other, began);
        } else if (other->until < FL_TRUST_END_UNTOLD) {
            fl_report(&history->checker, (fl_violation){.kind = FL_VIOLATION_TWO_HOLDERS,
                                                        .node = mine->client,
                                                        .key = FL_NOBODY,
                                                        .peer = other->client,
                                                        .lock = began->lock,
                                                        .token = mine->token,
                                                        .other = other->token});
        } else {
            fl_note_overlap(other, mine, began);
        }
    }
}

// Frees what is over in a lock's list, and what would make it too long.
static void fl_trusts_tidy(fl_history *history, uint32_t lock, double time) {
    uint32_t kept = 0;
    uint32_t *place = &fl_lock_at(history, lock)->first_trust;
    while (*place != FL_NOBODY) {
        fl_trust *trust = fl_trust_at(history, *place);
        bool is_over = !(trust->until > time);
        if (is_over || kept == FL_HISTORY_TRUSTERS_MAX - 1) {
            fl_trust_remove(history, place);
        } else {
            kept++;
            place = &trust->next;
        }
    }
}

// A new trust at the head of its lists; NULL without memory.
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
    uint32_t *first_of_client = &fl_node_at(history, client)->first_trust;
    *trust = (fl_trust){
        .client = client,
        .lock = lock,
        .next = *first,
        .next_of_client = *first_of_client,
        .last_of_client = FL_NOBODY,
    };
    if (*first_of_client != FL_NOBODY) {
        fl_trust_at(history, *first_of_client)->last_of_client = number;
    }
    *first = number;
    *first_of_client = number;
    return trust;
}

// Trust is judged where more than one client trusts the lock.
static void fl_count_trust(fl_history *history, const fl_history_event *event) {
    fl_history_lock *lock = fl_lock_at(history, event->lock);
    if (lock->trusted_by == FL_NOBODY) lock->trusted_by = event->node;
    lock->trusts++;
    lock->has_several = lock->has_several || lock->trusted_by != event->node;
    if (!lock->has_several) return;
    history->checker.judged.trusts += lock->trusts;
    lock->trusts = 0;
}

fl_result fl_see_trust(fl_history *history, const fl_history_event *event) {
    if (fl_is_near(history, fl_node_at(history, event->node)->crashed_at)) return FL_OK;
    fl_trusts_tidy(history, event->lock, event->time);
    uint32_t number = *fl_trust_place(history, event->lock, event->node);
    fl_trust *trust = number == FL_NOBODY ? NULL : fl_trust_at(history, number);
    // Trust that goes on with another token has begun anew.
    bool begins = trust == NULL || trust->token != event->token || !(trust->until > event->time);
    if (trust == NULL) trust = fl_trust_add(history, event->lock, event->node);
    if (trust == NULL) return FL_OUT_OF_MEMORY;
    trust->token = event->token;
    trust->until = (event->flags & FL_TOLD_UNTIL) != 0 ? event->until : FL_TRUST_END_UNTOLD;
    fl_count_trust(history, event);
    if (!begins) return FL_OK;
    trust->began = event->sequence;
    trust->overlapped_by = FL_NOBODY;
    return fl_due_add(history, (fl_due){.kind = FL_DUE_TRUST, .event = *event});
}

// Ends a trust, of which it is known now that it went on so long.
static fl_result fl_trust_end(fl_history *history, uint32_t *place) {
    const fl_trust *trust = fl_trust_at(history, *place);
    fl_result result = FL_OK;
    if (trust->overlapped_by != FL_NOBODY) {
        const fl_violation found = {.kind = FL_VIOLATION_TWO_HOLDERS,
                                    .time = trust->overlapped_at,
                                    .sequence = trust->overlapped_sequence,
                                    .node = trust->overlapped_by,
                                    .peer = trust->client,
                                    .key = FL_NOBODY,
                                    .lock = trust->lock,
                                    .token = trust->overlapped_token,
                                    .other = trust->token};
        result = fl_due_add(history, (fl_due){.kind = FL_DUE_FOUND, .found = found});
    }
    fl_trust_remove(history, place);
    return result;
}

fl_result fl_end_trust(fl_history *history, uint32_t lock, uint32_t client, double token) {
    uint32_t *place = fl_trust_place(history, lock, client);
    if (*place == FL_NOBODY) return FL_OK;
    const fl_trust *trust = fl_trust_at(history, *place);
    if (token >= 0 && trust->token >= 0 && trust->token != token) return FL_OK;
    return fl_trust_end(history, place);
}

fl_result fl_end_trusts_of(fl_history *history, uint32_t client) {
    const fl_history_node *node = fl_node_at(history, client);
    while (node->first_trust != FL_NOBODY) {
        uint32_t lock = fl_trust_at(history, node->first_trust)->lock;
        fl_result result = fl_trust_end(history, fl_trust_place(history, lock, client));
        if (result != FL_OK) return result;
    }
    return FL_OK;
}

fl_result fl_see_wake(fl_history *history, const fl_history_event *event) {
    uint32_t next = fl_node_at(history, event->node)->first_trust;
    while (next != FL_NOBODY) {
        const fl_trust *trust = fl_trust_at(history, next);
        next = trust->next_of_client;
        if (!(trust->until > event->time)) continue;
        fl_due due = {.kind = FL_DUE_TRUST, .event = *event};
        due.event.lock = trust->lock;
        fl_result result = fl_due_add(history, due);
        if (result != FL_OK) return result;
    }
    return FL_OK;
}
