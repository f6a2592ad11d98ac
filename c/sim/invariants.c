#include "decisions.h"

_Static_assert(sizeof(fl_violation) == 48, "JavaScript reads violations at these offsets");

const char *fl_violation_rule(unsigned kind) {
#define FL_VIOLATION_RULE(name, rule, text) rule,
    static const char *const rules[] = {FL_VIOLATION_MAP(FL_VIOLATION_RULE)};
#undef FL_VIOLATION_RULE
    return kind < FL_VIOLATION_KINDS ? rules[kind] : NULL;
}

const char *fl_violation_text(unsigned kind) {
#define FL_VIOLATION_TEXT(name, rule, text) text,
    static const char *const texts[] = {FL_VIOLATION_MAP(FL_VIOLATION_TEXT)};
#undef FL_VIOLATION_TEXT
    return kind < FL_VIOLATION_KINDS ? texts[kind] : NULL;
}

// An event with its nodes and names as a violation has them.
static fl_sighting fl_sighting_of(const fl_event *event) {
#define FL_SEEN(index) (event->index == FL_NODE_NONE ? FL_NOBODY : event->index)
    return (fl_sighting){event,        FL_SEEN(node), FL_SEEN(peer), FL_SEEN(lock),
                         FL_SEEN(key), FL_SEEN(key),  FL_NOBODY};
#undef FL_SEEN
}

// What a client does that breaks a rule.
static void fl_report_client(fl_checker *checker, fl_violation_kind kind, const fl_event *event) {
    fl_sighting seen = fl_sighting_of(event);
    fl_report_event(checker, kind, &seen, seen.node, -1, FL_NOBODY);
}

static fl_checked_client *fl_checked_client_of(fl_checker *checker, uint8_t node) {
    FL_ASSERT(node >= FL_NODE_CLIENT);
    return &checker->clients[node - FL_NODE_CLIENT];
}

static uint32_t fl_client_bit(uint8_t node) {
    return (uint32_t) 1 << (node - FL_NODE_CLIENT);
}

// The clients --------------------------------------------------------------------------------

static void fl_check_ask(fl_checker *checker, const fl_event *event, fl_checked_client *client) {
    if (!client->asks) {
        client->asks = true;
        client->first_ask = event->message;
        client->granted = -1;
    }
    if (client->waiting) return;
    client->waiting = true;
    client->waiting_since = event->time;
    if (event->time + client->patience < checker->judge_waiting_at) {
        checker->judge_waiting_at = event->time + client->patience;
    }
}

static void fl_check_send(fl_checker *checker, const fl_event *event) {
    // A message that is late, or that never comes, is a fault that lasts until it would have come.
    bool is_odd = event->reason == FL_REASON_DELAYED || (event->flags & FL_EVENT_COPY) != 0;
    if (is_odd && event->until > checker->faults_end) checker->faults_end = event->until;
    if ((event->flags & FL_EVENT_REPLY) != 0) return;
    fl_checked_client *client = fl_checked_client_of(checker, event->node);
    if (event->operation == FL_OPERATION_ACQUIRE) fl_check_ask(checker, event, client);
    if (event->operation == FL_OPERATION_RENEW && client->lost && client->token == event->token) {
        fl_report_client(checker, FL_VIOLATION_RENEWED_AFTER_LOSS, event);
    }
}

static void fl_check_deliver(fl_checker *checker, const fl_event *event) {
    if ((event->flags & FL_EVENT_REPLY) == 0) return;
    fl_checked_client *client = fl_checked_client_of(checker, event->node);
    bool is_awaited = event->reason != FL_REASON_IGNORED;
    if (event->operation == FL_OPERATION_ACQUIRE) {
        if (event->token == client->granted) client->granted = -1;
        if (is_awaited) client->asks = false; // what it asks from now on is another request
    }
    if (event->operation == FL_OPERATION_RENEW && is_awaited &&
        event->outcome == FL_OUTCOME_REFUSED) {
        client->lost = true; // at once, and whether or not it was trusted just then (R16)
        client->token = event->token;
    }
    if (event->operation == FL_OPERATION_READ && is_awaited) {
        client->writer.base = event->value;
        client->writer.base_token = event->token;
        client->writer.base_key = event->key;
    }
}

static void fl_check_trust(fl_checker *checker, const fl_event *event) {
    const fl_scenario_client *plan = &checker->scenario->clients[event->node - FL_NODE_CLIENT];
    fl_checked_client *client = fl_checked_client_of(checker, event->node);
    client->waiting = false;
    client->asks = false;
    if (client->token != event->token) {
        client->holds_in_time = false;
    } else if (client->lost) {
        fl_report_client(checker, FL_VIOLATION_TRUSTED_AFTER_LOSS, event);
    } else if (event->until < client->trusted_until && !client->steps) {
        fl_report_client(checker, FL_VIOLATION_TRUST_FELL, event);
    }
    client->token = event->token;
    client->lost = false;
    client->trusted_until = event->until - 2 - 2 / plan->clock.rate; // as readings are rounded
    if (event->until - event->time >= client->fresh_trust) client->holds_in_time = true;
    // A naive client believes whatever happens, and is not meant by I4.
    if (!plan->renews) return;
    checker->locks[event->lock].trusted_by |= fl_client_bit(event->node);
    checker->locks[event->lock].overlap_due = true;
}

static void fl_check_distrust(fl_checker *checker, const fl_event *event) {
    fl_checked_client *client = fl_checked_client_of(checker, event->node);
    checker->locks[event->lock].trusted_by &= ~fl_client_bit(event->node);
    if (event->reason == FL_REASON_LATE) {
        client->waiting_since = event->time;
        client->asks = false;
        return;
    }
    client->token = event->token;
    client->lost = event->reason != FL_REASON_SLEPT && event->reason != FL_REASON_STEPPED;
    bool is_loss = event->reason == FL_REASON_EXPIRED || event->reason == FL_REASON_REFUSED;
    if (is_loss && checker->i5_is_promised && client->holds_in_time) {
        fl_report_client(checker, FL_VIOLATION_LOST_IN_PARTITION, event);
    }
}

static void fl_check_crash(fl_checker *checker, const fl_event *event) {
    if (event->node == FL_NODE_SERVICE) {
        for (int i = 0; i < FL_SCENARIO_NAMES_MAX; i++)
            checker->locks[i].live = false;
        // It forgets which requests it has answered, too.
        for (uint32_t i = 0; i < checker->scenario->client_count; i++)
            checker->clients[i].asks = false;
    } else if (event->node >= FL_NODE_CLIENT) {
        fl_checked_client *client = fl_checked_client_of(checker, event->node);
        client->waiting = false;
        client->asks = false;
        checker->suspended &= ~fl_client_bit(event->node);
    }
}

static void fl_check_restart(fl_checker *checker, const fl_event *event) {
    if (event->node != FL_NODE_SERVICE) return;
    checker->latest = event->local_time;
    checker->quiet_until = event->local_time + (double) checker->scenario->lease;
}

// A sleeping client does nothing, so its trust counts from when it wakes.
static void fl_check_sleep(fl_checker *checker, const fl_event *event) {
    if (event->node < FL_NODE_CLIENT) return;
    fl_checked_client *client = fl_checked_client_of(checker, event->node);
    if (event->kind == FL_EVENT_SUSPEND) {
        checker->suspended |= fl_client_bit(event->node);
        return;
    }
    client->asks = false;
    checker->suspended &= ~fl_client_bit(event->node);
    uint8_t lock = checker->scenario->clients[event->node - FL_NODE_CLIENT].lock;
    checker->locks[lock].overlap_due = true;
}

// Time goes on -------------------------------------------------------------------------------

static void fl_judge_overlaps(fl_checker *checker) {
    for (uint8_t i = 0; i < FL_SCENARIO_NAMES_MAX; i++) {
        fl_checked_lock *lock = &checker->locks[i];
        if (!lock->overlap_due) continue;
        lock->overlap_due = false;
        uint32_t awake = lock->trusted_by & ~checker->suspended;
        if ((awake & (awake - 1)) == 0) continue;
        uint8_t first = 0;
        while ((awake >> first & 1) == 0)
            first++;
        uint8_t second = (uint8_t) (first + 1);
        while ((awake >> second & 1) == 0)
            second++;
        // The one with the older token should have let go first.
        bool first_is_older = checker->clients[first].token < checker->clients[second].token;
        fl_violation_kind kind = checker->clients[first_is_older ? first : second].i4_is_promised
                                     ? FL_VIOLATION_TWO_HOLDERS
                                     : FL_VIOLATION_TWO_HOLDERS_BY_CLOCKS;
        fl_report(checker, (fl_violation){.kind = (uint8_t) kind,
                                          .node = FL_NODE_CLIENT + first,
                                          .peer = FL_NODE_CLIENT + second,
                                          .lock = i,
                                          .key = FL_NOBODY,
                                          .token = checker->clients[first].token,
                                          .other = checker->clients[second].token});
    }
}

// I6: judged when the client that must have got the lock first has waited too long.
static void fl_judge_waiting(fl_checker *checker, double time) {
    double next = 1e300;
    // A service without tokens can grant nothing (R2).
    bool is_promised = checker->i6_is_promised && checker->next_token <= (double) FL_TOKEN_MAX;
    for (uint32_t i = 0; i < checker->scenario->client_count; i++) {
        fl_checked_client *client = &checker->clients[i];
        if (!client->waiting) continue;
        uint8_t lock = checker->scenario->clients[i].lock;
        double since = client->waiting_since;
        if (checker->faults_end > since) since = checker->faults_end;
        if (checker->locks[lock].last_change > since) since = checker->locks[lock].last_change;
        if (since + client->patience < time && is_promised) {
            fl_report(checker, (fl_violation){.kind = FL_VIOLATION_NOBODY_GOT_IT,
                                              .node = FL_NODE_CLIENT + i,
                                              .peer = FL_NOBODY,
                                              .lock = lock,
                                              .key = FL_NOBODY,
                                              .token = -1,
                                              .other = -1});
            client->waiting_since = time;
            since = time;
        }
        if (since + client->patience < next) next = since + client->patience;
    }
    checker->judge_waiting_at = next;
}

static void fl_checker_advance(fl_checker *checker, double time) {
    if (time <= checker->time) return;
    fl_judge_overlaps(checker);
    if (time > checker->judge_waiting_at) fl_judge_waiting(checker, time);
    checker->time = time;
}

void fl_checker_begin(fl_checker *checker, const fl_scenario *scenario) {
    *checker = (fl_checker){
        .scenario = scenario,
        .time = -1,
        .latest = -1e300,
        .quiet_until = -1e300,
        .judge_waiting_at = 1e300,
    };
    if (scenario == NULL) return;
    checker->fencing = scenario->fencing;
    checker->fencing_is_known = true;
    checker->next_token = (double) scenario->first_token;
    for (int i = 0; i < FL_SCENARIO_NAMES_MAX; i++) {
        checker->locks[i] = (fl_checked_lock){.is_known = true, .end_is_known = true};
        checker->keys[i] = (fl_checked_key){.highest = -1, .value = {.is_known = true}};
    }
    for (int i = 0; i < FL_SCENARIO_CLIENTS_MAX; i++) {
        checker->clients[i] =
            (fl_checked_client){.token = -1, .granted = -1, .writer = {.base_token = -1}};
    }
    fl_checker_judge_promises(checker);
}

void fl_checker_observe(fl_checker *checker, const fl_event *event, uint32_t sequence) {
    fl_checker_advance(checker, event->time);
    checker->sequence = sequence;
    fl_sighting seen = fl_sighting_of(event);
    switch ((fl_event_kind) event->kind) {
    case FL_EVENT_ACQUIRE:
    case FL_EVENT_RENEW:
    case FL_EVENT_RELEASE:
    case FL_EVENT_EXPIRE:
        fl_check_service(checker, &seen, &checker->locks[event->lock],
                         fl_checked_client_of(checker, event->peer));
        break;
    case FL_EVENT_WRITE:
        fl_check_write(checker, &seen, &checker->keys[event->key],
                       &fl_checked_client_of(checker, event->peer)->writer);
        break;
    case FL_EVENT_FENCE:
        fl_check_fence(checker, &seen, &checker->keys[event->key]);
        break;
    case FL_EVENT_READ:
        fl_check_read(checker, &seen, &checker->keys[event->key]);
        break;
    case FL_EVENT_SEND:
        fl_check_send(checker, event);
        break;
    case FL_EVENT_DELIVER:
        fl_check_deliver(checker, event);
        break;
    case FL_EVENT_DROP:
        if (event->time > checker->faults_end) checker->faults_end = event->time;
        break;
    case FL_EVENT_TRUST:
        fl_check_trust(checker, event);
        break;
    case FL_EVENT_DISTRUST:
        fl_check_distrust(checker, event);
        break;
    case FL_EVENT_CRASH:
        fl_check_crash(checker, event);
        break;
    case FL_EVENT_RESTART:
        fl_check_restart(checker, event);
        break;
    case FL_EVENT_SUSPEND:
    case FL_EVENT_WAKE:
        fl_check_sleep(checker, event);
        break;
    case FL_EVENT_CLOCK_STEP:
        if (event->node == FL_NODE_SERVICE) fl_see_service_clock(checker, event);
        break;
    case FL_EVENT_DONE:
        fl_checked_client_of(checker, event->node)->waiting = false;
        break;
    default:
        break;
    }
}

void fl_checker_end(fl_checker *checker, double time) {
    fl_checker_advance(checker, time);
}

void fl_checker_see_key(fl_checker *checker, uint8_t key, uint32_t value, double highest) {
    fl_checked_key *known = &checker->keys[key];
    if (known->value.value == value && known->highest == highest) return;
    fl_report(checker, (fl_violation){.kind = FL_VIOLATION_CHANGED_AT_LAST,
                                      .node = FL_NODE_STORAGE,
                                      .peer = FL_NOBODY,
                                      .lock = FL_NOBODY,
                                      .key = key,
                                      .token = known->highest,
                                      .other = -1});
    *known = (fl_checked_key){.highest = highest, .value = {.value = value}}; // reported once
}
