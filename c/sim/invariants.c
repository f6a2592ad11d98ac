#include "invariants.h"

_Static_assert(sizeof(fl_violation) == 40, "JavaScript reads violations at these offsets");

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

static void fl_report(fl_checker *checker, fl_violation violation) {
    if (checker->count < FL_VIOLATIONS_MAX) {
        violation.time = checker->time;
        violation.sequence = checker->sequence;
        checker->violations[checker->count] = violation;
    }
    checker->count++;
}

// What an event that breaks a rule concerns. `node` is the client, wherever the event was.
static void fl_report_event(fl_checker *checker, fl_violation_kind kind, const fl_event *event,
                            double other, uint8_t peer) {
    fl_report(checker, (fl_violation){
                           .kind = (uint8_t) kind,
                           .node = event->node < FL_NODE_CLIENT ? event->peer : event->node,
                           .peer = peer,
                           .lock = event->lock,
                           .key = event->key,
                           .token = event->token,
                           .other = other,
                       });
}

static fl_checked_client *fl_checked_client_of(fl_checker *checker, uint8_t node) {
    FL_ASSERT(node >= FL_NODE_CLIENT);
    return &checker->clients[node - FL_NODE_CLIENT];
}

static uint32_t fl_client_bit(uint8_t node) {
    return (uint32_t) 1 << (node - FL_NODE_CLIENT);
}

// The lock service ---------------------------------------------------------------------------

// Whether the client still goes by this request: one from before a crash or a sleep is forgotten.
static bool fl_is_own_request(const fl_checker *checker, const fl_event *event) {
    const fl_checked_client *client = &checker->clients[event->peer - FL_NODE_CLIENT];
    return client->asks && event->message >= client->first_ask;
}

static void fl_check_granted(fl_checker *checker, const fl_event *event, fl_checked_lock *lock) {
    fl_checked_client *client = fl_checked_client_of(checker, event->peer);
    if (lock->live) {
        fl_report_event(checker, FL_VIOLATION_GRANT_WHILE_LIVE, event, lock->token, lock->client);
    }
    if (checker->latest < checker->quiet_until) {
        fl_report_event(checker, FL_VIOLATION_GRANT_AFTER_RESTART, event, -1, FL_NODE_NONE);
    }
    if (event->token != checker->next_token) {
        fl_report_event(checker, FL_VIOLATION_TOKEN_NOT_NEXT, event, checker->next_token,
                        FL_NODE_NONE);
    }
    checker->next_token = event->token + 1;
    lock->live = true;
    lock->client = event->peer;
    lock->token = event->token;
    lock->expires_at = checker->latest + (double) checker->scenario->lease;
    if (fl_is_own_request(checker, event)) client->granted = event->token;
}

static void fl_check_acquire(fl_checker *checker, const fl_event *event, fl_checked_lock *lock) {
    if (event->outcome == FL_OUTCOME_GRANTED) {
        fl_check_granted(checker, event, lock);
        return;
    }
    bool may_refuse = lock->live || checker->latest < checker->quiet_until ||
                      checker->next_token > (double) FL_TOKEN_MAX;
    if (!may_refuse) {
        fl_report_event(checker, FL_VIOLATION_REFUSED_WHILE_FREE, event, -1, FL_NODE_NONE);
    } else if (lock->live && lock->client == event->peer && fl_is_own_request(checker, event) &&
               fl_checked_client_of(checker, event->peer)->granted == lock->token) {
        fl_report_event(checker, FL_VIOLATION_GRANT_FORGOTTEN, event, lock->token, FL_NODE_NONE);
    }
}

static void fl_check_renew_or_release(fl_checker *checker, const fl_event *event,
                                      fl_checked_lock *lock) {
    bool renews = event->kind == FL_EVENT_RENEW;
    bool is_live = lock->live && lock->client == event->peer && lock->token == event->token;
    if (event->outcome != FL_OUTCOME_OK) {
        if (!is_live) return;
        fl_report_event(checker,
                        renews ? FL_VIOLATION_RENEWAL_REFUSED : FL_VIOLATION_RELEASE_REFUSED, event,
                        -1, FL_NODE_NONE);
        return;
    }
    if (!is_live) {
        fl_report_event(checker, renews ? FL_VIOLATION_RENEWED_DEAD : FL_VIOLATION_RELEASED_DEAD,
                        event, lock->live ? lock->token : -1,
                        lock->live ? lock->client : FL_NODE_NONE);
    } else if (renews) {
        lock->expires_at = checker->latest + (double) checker->scenario->lease;
    } else {
        lock->live = false;
    }
}

// The service works with the latest time it has seen (R7).
static void fl_see_service_clock(fl_checker *checker, const fl_event *event) {
    if (event->local_time > checker->latest) checker->latest = event->local_time;
}

static void fl_check_service(fl_checker *checker, const fl_event *event) {
    fl_checked_lock *lock = &checker->locks[event->lock];
    fl_see_service_clock(checker, event);
    if (lock->live && checker->latest >= lock->expires_at) lock->live = false;
    if (event->kind == FL_EVENT_EXPIRE) {
        if (event->outcome == FL_OUTCOME_OK) return;
        fl_report_event(checker, FL_VIOLATION_LIVE_AT_ITS_END, event, -1, event->peer);
        return;
    }
    if (event->kind == FL_EVENT_ACQUIRE) {
        fl_check_acquire(checker, event, lock);
    } else {
        fl_check_renew_or_release(checker, event, lock);
    }
    if (event->outcome != FL_OUTCOME_REFUSED) lock->last_change = checker->time;
}

// The storage --------------------------------------------------------------------------------

// A storage without fencing promises nothing here. It is judged all the same: that it breaks I2 and
// I3 is what it is there to show.

static void fl_check_write(fl_checker *checker, const fl_event *event, fl_checked_key *key) {
    fl_fencing fencing = checker->scenario->fencing;
    bool repeats = event->token == key->highest && key->written;
    bool may_accept = event->token > key->highest ||
                      (event->token == key->highest && (fencing != FL_SCENARIO_ABOVE || !repeats));
    if (event->previous != key->value) {
        fl_report_event(checker, FL_VIOLATION_REJECTED_BUT_CHANGED, event, key->highest,
                        FL_NODE_NONE);
        key->value = event->previous;
    }
    if (event->outcome != FL_OUTCOME_ACCEPTED) {
        if (may_accept || fencing == FL_SCENARIO_OFF) {
            fl_report_event(checker, FL_VIOLATION_WRITE_WRONGLY_REJECTED, event, key->highest,
                            FL_NODE_NONE);
        }
        return;
    }
    if (!may_accept) {
        fl_report_event(checker,
                        repeats ? FL_VIOLATION_WRITE_WRONGLY_ACCEPTED : FL_VIOLATION_TOKEN_FELL,
                        event, key->highest, FL_NODE_NONE);
    }
    fl_checked_client *client = fl_checked_client_of(checker, event->peer);
    // A client's values rise, and an older one comes with an older token.
    if (event->value <= client->written && fencing != FL_SCENARIO_OFF) {
        fl_report_event(checker, FL_VIOLATION_WRITTEN_TWICE, event, -1, FL_NODE_NONE);
    }
    client->written = event->value;
    if (client->base_token == event->token) {
        if (client->base != event->previous) {
            fl_report_event(checker, FL_VIOLATION_LOST_UPDATE, event, -1, FL_NODE_NONE);
        }
        client->base = event->value;
    }
    key->value = event->value;
    key->written = key->written || event->token >= key->highest;
    if (event->token > key->highest) key->highest = event->token;
}

static void fl_check_fence(fl_checker *checker, const fl_event *event, fl_checked_key *key) {
    bool may_accept = event->token >= key->highest;
    bool accepted = event->outcome == FL_OUTCOME_ACCEPTED;
    bool is_off = checker->scenario->fencing == FL_SCENARIO_OFF;
    if (accepted && !may_accept && !is_off) {
        fl_report_event(checker, FL_VIOLATION_TOKEN_FELL, event, key->highest, FL_NODE_NONE);
    }
    if (!accepted && may_accept) {
        fl_report_event(checker, FL_VIOLATION_FENCE_WRONGLY_REJECTED, event, key->highest,
                        FL_NODE_NONE);
    }
    if (!accepted || event->token <= key->highest) return;
    key->highest = event->token;
    key->written = false;
}

static void fl_check_read(fl_checker *checker, const fl_event *event, fl_checked_key *key) {
    if (event->value == key->value) return;
    fl_report_event(checker, FL_VIOLATION_REJECTED_BUT_CHANGED, event, key->highest, FL_NODE_NONE);
    key->value = event->value;
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
        fl_report_event(checker, FL_VIOLATION_RENEWED_AFTER_LOSS, event, -1, FL_NODE_NONE);
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
        client->base = event->value;
        client->base_token = event->token;
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
        fl_report_event(checker, FL_VIOLATION_TRUSTED_AFTER_LOSS, event, -1, FL_NODE_NONE);
    } else if (event->until < client->trusted_until && !client->steps) {
        fl_report_event(checker, FL_VIOLATION_TRUST_FELL, event, -1, FL_NODE_NONE);
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
        fl_report_event(checker, FL_VIOLATION_LOST_IN_PARTITION, event, -1, FL_NODE_NONE);
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
                                          .node = (uint8_t) (FL_NODE_CLIENT + first),
                                          .peer = (uint8_t) (FL_NODE_CLIENT + second),
                                          .lock = i,
                                          .key = FL_NODE_NONE,
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
                                              .node = (uint8_t) (FL_NODE_CLIENT + i),
                                              .peer = FL_NODE_NONE,
                                              .lock = lock,
                                              .key = FL_NODE_NONE,
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
    checker->scenario = scenario;
    checker->judge_waiting_at = 1e300;
    checker->time = -1;
    checker->sequence = 0;
    checker->next_token = (double) scenario->first_token;
    checker->latest = -1e300;
    checker->quiet_until = -1e300;
    checker->suspended = 0;
    checker->count = 0;
    for (int i = 0; i < FL_SCENARIO_NAMES_MAX; i++) {
        checker->locks[i] = (fl_checked_lock){0};
        checker->keys[i] = (fl_checked_key){.highest = -1};
    }
    for (int i = 0; i < FL_SCENARIO_CLIENTS_MAX; i++) {
        checker->clients[i] = (fl_checked_client){.token = -1, .granted = -1, .base_token = -1};
    }
    fl_checker_judge_promises(checker);
}

void fl_checker_observe(fl_checker *checker, const fl_event *event, uint32_t sequence) {
    fl_checker_advance(checker, event->time);
    checker->sequence = sequence;
    switch ((fl_event_kind) event->kind) {
    case FL_EVENT_ACQUIRE:
    case FL_EVENT_RENEW:
    case FL_EVENT_RELEASE:
    case FL_EVENT_EXPIRE:
        fl_check_service(checker, event);
        break;
    case FL_EVENT_WRITE:
        fl_check_write(checker, event, &checker->keys[event->key]);
        break;
    case FL_EVENT_FENCE:
        fl_check_fence(checker, event, &checker->keys[event->key]);
        break;
    case FL_EVENT_READ:
        fl_check_read(checker, event, &checker->keys[event->key]);
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
    if (known->value == value && known->highest == highest) return;
    fl_report(checker, (fl_violation){.kind = FL_VIOLATION_CHANGED_AT_LAST,
                                      .node = FL_NODE_STORAGE,
                                      .peer = FL_NODE_NONE,
                                      .lock = FL_NODE_NONE,
                                      .key = key,
                                      .token = known->highest,
                                      .other = -1});
    *known = (fl_checked_key){.highest = highest, .value = value}; // reported once
}
