#include "history_parts.h"

#include <math.h>
#include <string.h>

// Tables -------------------------------------------------------------------------------------

void *fl_history_row(fl_history *history, fl_history_table *table, uint32_t number,
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
    const fl_history_node node = {
        .writer = {.base_token = -1, .base_at = -INFINITY},
        .wrote_at = -INFINITY,
        .fenced_token = -1,
        .fenced_at = -INFINITY,
        .doubtful_token = -1,
        .first_trust = FL_NOBODY,
        .crashed_at = -INFINITY,
        .clock_changed_at = -INFINITY,
    };
    const fl_history_lease lease = {
        .lock = {.client = FL_NOBODY, .highest_of = FL_NOBODY, .token = -1, .highest = -1},
        .granted_at = -INFINITY,
        .ended_at = -INFINITY,
        .ended_of = FL_NOBODY,
        .first_due = FL_DUE_NONE,
    };
    const fl_history_lock lock = {.first_trust = FL_NOBODY, .trusted_by = FL_NOBODY};
    const fl_history_key key = {
        .key = {.highest = -1,
                .highest_at = -INFINITY,
                .value = {.changed_at = -INFINITY, .late_token = -1}},
        .written_by = FL_NOBODY,
    };
    const struct {
        fl_history_table *table;
        uint32_t number;
        const void *fresh;
    } names[] = {
        {&history->nodes, event->node, &node},   {&history->nodes, event->peer, &node},
        {&history->nodes, event->holder, &node}, {&history->leases, event->lease, &lease},
        {&history->locks, event->lock, &lock},   {&history->keys, event->stored, &key},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == FL_NOBODY) continue;
        if (fl_history_row(history, names[i].table, names[i].number, names[i].fresh) == NULL) {
            return false;
        }
    }
    return true;
}

// Service and storage ------------------------------------------------------------------------

fl_event fl_history_judged_event(const fl_history_event *event) {
    return (fl_event){
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
}

fl_sighting fl_history_sighting(const fl_history_event *event, const fl_event *judged) {
    return (fl_sighting){judged,     event->node,   event->peer,  event->lock,
                         event->key, event->stored, event->holder};
}

static fl_result fl_see_service(fl_history *history, const fl_history_event *event) {
    const fl_history_node *service = fl_node_at(history, event->node);
    fl_due due = {
        .kind = FL_DUE_SERVICE,
        .event = *event,
        .crashes = service->crashes,
        .clock_changes = service->clock_changes,
    };
    fl_result result = fl_due_add(history, due);
    bool gives_back = event->kind == FL_EVENT_RELEASE && event->outcome == FL_OUTCOME_OK;
    if (!gives_back || result != FL_OK) return result;
    return fl_end_trust(history, event->lock, event->peer, event->token);
}

static void fl_see_read(const fl_history *history, const fl_history_event *event,
                        fl_history_node *client) {
    bool is_behind_fence = client->fenced_token >= 0 && client->fenced_stored == event->stored &&
                           (event->token < 0 || event->token == client->fenced_token);
    if (!is_behind_fence || (event->flags & FL_TOLD_VALUE) == 0) return;
    if (fl_is_near(history, client->fenced_at) || fl_is_near(history, client->wrote_at)) return;
    client->writer.base_token = client->fenced_token;
    client->writer.base_key = event->stored;
    client->writer.base = event->value;
    client->writer.base_at = event->time;
}

static fl_result fl_see_write(fl_history *history, const fl_history_event *event,
                              const fl_sighting *seen, fl_history_node *client) {
    fl_checker *checker = &history->checker;
    fl_history_key *stored = fl_key_at(history, event->stored);
    client->wrote_at = event->time;
    if (event->outcome == FL_OUTCOME_NONE) {
        // It may come about yet, so that what its client read says nothing.
        client->writer.base_token = -1;
        client->fenced_token = -1;
        double token = event->token < 0 ? INFINITY : event->token;
        if (token > client->doubtful_token) client->doubtful_token = token;
    }
    if (event->outcome == FL_OUTCOME_ACCEPTED) {
        stored->before = stored->key.value;
        stored->written_by = event->sequence;
    }
    uint32_t count = checker->count;
    fl_check_write(checker, seen, &stored->key, &client->writer);
    if (checker->count == count || checker->count > FL_VIOLATIONS_MAX) return FL_OK;
    fl_violation last = checker->violations[checker->count - 1];
    if (last.kind != FL_VIOLATION_LOST_UPDATE) return FL_OK;
    checker->count--;
    return fl_due_add(history, (fl_due){.kind = FL_DUE_FOUND, .found = last});
}

static void fl_see_fence(fl_history *history, const fl_history_event *event,
                         const fl_sighting *seen, fl_history_node *client) {
    fl_check_fence(&history->checker, seen, &fl_key_at(history, event->stored)->key);
    if (event->outcome != FL_OUTCOME_ACCEPTED || event->token <= client->doubtful_token) return;
    client->fenced_token = event->token;
    client->fenced_stored = event->stored;
    client->fenced_at = event->time;
}

static fl_result fl_see_storage(fl_history *history, const fl_history_event *event) {
    fl_event judged = fl_history_judged_event(event);
    fl_sighting seen = fl_history_sighting(event, &judged);
    fl_history_node *client = event->peer == FL_NOBODY ? NULL : fl_node_at(history, event->peer);
    bool reads = event->kind == FL_EVENT_READ;
    bool finds = reads ? (event->flags & FL_TOLD_VALUE) != 0
                       : event->kind == FL_EVENT_WRITE && event->outcome != FL_OUTCOME_NONE &&
                             (event->flags & FL_TOLD_PREVIOUS) != 0;
    if (finds && history->checker.tolerance == 0) {
        fl_judge_value(history, event);
    } else if (finds) {
        fl_result result = fl_due_add(history, (fl_due){.kind = FL_DUE_VALUE, .event = *event});
        if (result != FL_OK) return result;
    }
    if (reads) {
        if (client != NULL) fl_see_read(history, event, client);
        return FL_OK;
    }
    FL_ASSERT(client != NULL);
    if (event->kind == FL_EVENT_WRITE) return fl_see_write(history, event, &seen, client);
    fl_see_fence(history, event, &seen, client);
    return FL_OK;
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
    fl_segments_init(&made->keys.rows, sizeof(fl_history_key));
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

static void fl_see_clock_change(const fl_history *history, fl_history_node *node) {
    node->clock_changes++; // it stands still, or jumps
    node->clock_changed_at = history->checker.time;
}

static fl_result fl_see_node(fl_history *history, const fl_history_event *event) {
    fl_history_node *node = fl_node_at(history, event->node);
    switch ((fl_event_kind) event->kind) {
    case FL_EVENT_CRASH:
        node->crashes++;
        node->crashed_at = event->time;
        node->asleep = false;
        return fl_end_trusts_of(history, event->node);
    case FL_EVENT_SUSPEND:
        node->asleep = true;
        node->slept = event->sequence;
        fl_see_clock_change(history, node);
        return FL_OK;
    case FL_EVENT_WAKE:
        node->asleep = false;
        fl_see_clock_change(history, node);
        return fl_see_wake(history, event);
    case FL_EVENT_CLOCK_STEP:
        fl_see_clock_change(history, node);
        return FL_OK;
    default:
        return FL_OK;
    }
}

static fl_result fl_history_see(fl_history *history, const fl_history_event *event) {
    switch ((fl_event_kind) event->kind) {
    case FL_EVENT_ACQUIRE:
    case FL_EVENT_RENEW:
    case FL_EVENT_RELEASE:
    case FL_EVENT_EXPIRE:
        return fl_see_service(history, event);
    case FL_EVENT_WRITE:
    case FL_EVENT_FENCE:
    case FL_EVENT_READ:
        return fl_see_storage(history, event);
    case FL_EVENT_TRUST:
        return fl_see_trust(history, event);
    case FL_EVENT_DISTRUST:
        return fl_end_trust(history, event->lock, event->node, event->token);
    default:
        return fl_see_node(history, event);
    }
}

fl_result fl_history_observe(fl_history *history, const fl_history_event *event) {
    fl_checker *checker = &history->checker;
    FL_ASSERT(event->time >= checker->time);
    if (!fl_history_name(history, event)) return FL_OUT_OF_MEMORY;
    fl_history_settle(history, event->time);
    checker->time = event->time;
    checker->sequence = event->sequence;
    return fl_history_see(history, event);
}

fl_checker *fl_history_checker(fl_history *history) {
    return &history->checker;
}
