#include "decisions.h"

void fl_report(fl_checker *checker, fl_violation violation) {
    if (checker->count < FL_VIOLATIONS_MAX) {
        violation.time = checker->time;
        violation.sequence = checker->sequence;
        checker->violations[checker->count] = violation;
    }
    checker->count++;
}

void fl_report_event(fl_checker *checker, fl_violation_kind kind, const fl_sighting *seen,
                     uint32_t client, double other, uint32_t peer) {
    fl_report(checker, (fl_violation){
                           .kind = (uint8_t) kind,
                           .node = client,
                           .peer = peer,
                           .lock = seen->lock,
                           .key = seen->key,
                           .token = seen->event->token,
                           .other = other,
                       });
}

// Whether a time is so near that two events may have come in the other order. In a simulation none
// is.
static bool fl_may_be_earlier(const fl_checker *checker, double than) {
    return checker->time - than < checker->tolerance;
}

// The lock service ---------------------------------------------------------------------------

// Of a lease whose end is not told, or is as near as the history's times are exact, neither can be
// said. In a simulation it is always the one or the other.
static bool fl_is_surely_live(const fl_checker *checker, const fl_checked_lock *lock) {
    return lock->live && lock->end_is_known &&
           checker->latest < lock->expires_at - checker->tolerance;
}

static bool fl_is_surely_dead(const fl_checked_lock *lock) {
    return lock->is_known && !lock->live;
}

// Whether the client still goes by this request: one from before a crash or a sleep is forgotten.
static bool fl_is_own_request(const fl_event *event, const fl_checked_client *client) {
    return client != NULL && client->asks && event->message >= client->first_ask;
}

static void fl_extend_lease(fl_checker *checker, const fl_event *event, fl_checked_lock *lock) {
    if (!fl_checks_history(checker)) {
        lock->end_is_known = true;
        lock->expires_at = checker->latest + (double) checker->scenario->lease;
        return;
    }
    lock->end_is_known = (event->flags & FL_TOLD_UNTIL) != 0;
    lock->expires_at = event->until;
    checker->judged.ends += lock->end_is_known;
}

static void fl_raise_lock(const fl_checker *checker, fl_checked_lock *lock, double token) {
    if (token <= lock->highest) return;
    lock->highest = token;
    lock->highest_at = checker->time;
}

// Our service counts by one over all locks. Others skip numbers, or count for each lock.
static void fl_check_token(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock) {
    double token = seen->event->token;
    if (!fl_checks_history(checker)) {
        if (token != checker->next_token) {
            fl_report_event(checker, FL_VIOLATION_TOKEN_NOT_NEXT, seen, seen->peer,
                            checker->next_token, FL_NOBODY);
        }
        checker->next_token = token + 1;
        return;
    }
    if (token < 0) return;
    if (lock->highest >= 0) {
        checker->judged.tokens++;
        // A lock may be granted to its holder again, with the token that it has.
        bool is_own = token == lock->token && seen->peer == lock->client;
        bool goes_on = is_own && lock->is_known && lock->live;
        bool rises = token > lock->highest || (token == lock->highest && goes_on);
        if (!rises && !fl_may_be_earlier(checker, lock->highest_at)) {
            fl_report_event(checker, FL_VIOLATION_TOKEN_NOT_ABOVE, seen, seen->peer, lock->highest,
                            FL_NOBODY);
        }
    }
    fl_raise_lock(checker, lock, token);
}

static void fl_check_granted(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                             fl_checked_client *client) {
    const fl_event *event = seen->event;
    // Other services may let a holder take its lock again (R3 is a rule of ours).
    bool is_again = fl_checks_history(checker) && seen->peer == lock->client;
    checker->judged.grants++;
    if (fl_is_surely_live(checker, lock) && !is_again) {
        fl_report_event(checker,
                        lock->is_forgotten ? FL_VIOLATION_GRANT_AFTER_RESTART
                                           : FL_VIOLATION_GRANT_WHILE_LIVE,
                        seen, seen->peer, lock->token, lock->client);
    }
    if (checker->latest < checker->quiet_until) {
        fl_report_event(checker, FL_VIOLATION_GRANT_AFTER_RESTART, seen, seen->peer, -1, FL_NOBODY);
    }
    fl_check_token(checker, seen, lock);
    lock->is_nested = is_again && lock->live;
    lock->is_forgotten = false;
    lock->is_known = true;
    lock->live = true;
    lock->client = seen->peer;
    lock->token = event->token;
    fl_extend_lease(checker, event, lock);
    if (fl_is_own_request(event, client)) client->granted = event->token;
}

// A service may refuse for other reasons than that the lock is held, and a history need not tell.
static bool fl_may_refuse(fl_checker *checker, const fl_event *event, const fl_checked_lock *lock) {
    if (!fl_checks_history(checker)) {
        return lock->live || checker->latest < checker->quiet_until ||
               checker->next_token > (double) FL_TOKEN_MAX;
    }
    bool is_judged = event->reason == FL_REASON_HELD && lock->is_known && lock->end_is_known &&
                     !lock->is_forgotten && !lock->is_nested;
    checker->judged.decisions += is_judged;
    return !is_judged || lock->live;
}

static void fl_check_acquire(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                             fl_checked_client *client) {
    const fl_event *event = seen->event;
    if (event->outcome == FL_OUTCOME_GRANTED) {
        fl_check_granted(checker, seen, lock, client);
        return;
    }
    if (!fl_may_refuse(checker, event, lock)) {
        fl_report_event(checker, FL_VIOLATION_REFUSED_WHILE_FREE, seen, seen->peer, -1, FL_NOBODY);
    } else if (lock->live && lock->client == seen->peer && fl_is_own_request(event, client) &&
               client->granted == lock->token) {
        fl_report_event(checker, FL_VIOLATION_GRANT_FORGOTTEN, seen, seen->peer, lock->token,
                        FL_NOBODY);
    }
}

// A history may leave tokens out, where clients tell leases apart.
static bool fl_is_of_lease(const fl_checker *checker, const fl_sighting *seen,
                           const fl_checked_lock *lock) {
    if (lock->client != seen->peer) return false;
    if (lock->token == seen->event->token) return true;
    return fl_checks_history(checker) && (seen->event->token < 0 || lock->token < 0);
}

// Whether what went well should not have. A release of what is gone harms nobody, and many services
// have a good word for it; but not of what ran out by the end that they told themselves.
static bool fl_is_wrongly_done(const fl_checker *checker, const fl_sighting *seen,
                               const fl_checked_lock *lock) {
    if (!fl_checks_history(checker)) return true;
    if (lock->is_forgotten || lock->is_nested) return false;
    if (!fl_is_surely_dead(lock)) return fl_is_surely_live(checker, lock);
    bool ran_out = lock->end_is_known && checker->latest >= lock->expires_at;
    return seen->event->kind == FL_EVENT_RENEW || ran_out;
}

static void fl_check_refused(fl_checker *checker, const fl_sighting *seen,
                             const fl_checked_lock *lock) {
    bool renews = seen->event->kind == FL_EVENT_RENEW;
    if (!fl_is_surely_live(checker, lock) || !fl_is_of_lease(checker, seen, lock)) return;
    if (lock->is_forgotten || lock->is_nested) return;
    fl_report_event(checker, renews ? FL_VIOLATION_RENEWAL_REFUSED : FL_VIOLATION_RELEASE_REFUSED,
                    seen, seen->peer, -1, FL_NOBODY);
}

static void fl_check_renew_or_release(fl_checker *checker, const fl_sighting *seen,
                                      fl_checked_lock *lock) {
    const fl_event *event = seen->event;
    bool renews = event->kind == FL_EVENT_RENEW;
    bool is_sure = fl_is_surely_live(checker, lock) || fl_is_surely_dead(lock);
    checker->judged.decisions += is_sure && !lock->is_forgotten && !lock->is_nested;
    if (event->outcome != FL_OUTCOME_OK) {
        fl_check_refused(checker, seen, lock);
        return;
    }
    if (!lock->live || !fl_is_of_lease(checker, seen, lock)) {
        if (fl_is_wrongly_done(checker, seen, lock)) {
            fl_report_event(
                checker, renews ? FL_VIOLATION_RENEWED_DEAD : FL_VIOLATION_RELEASED_DEAD, seen,
                seen->peer, lock->live ? lock->token : -1, lock->live ? lock->client : FL_NOBODY);
        }
        // Whoever holds it goes on to. Where that is not sure, a renewal tells who does.
        bool is_others = lock->live && (!renews || fl_is_surely_live(checker, lock));
        if (!fl_checks_history(checker) || is_others) return;
    }
    lock->is_known = true;
    lock->live = renews;
    if (!renews) return;
    lock->is_forgotten = false;
    lock->client = seen->peer;
    lock->token = event->token;
    fl_raise_lock(checker, lock, event->token);
    fl_extend_lease(checker, event, lock);
}

// The service works with the latest time it has seen (R7).
void fl_see_service_clock(fl_checker *checker, const fl_event *event) {
    if (event->local_time > checker->latest) checker->latest = event->local_time;
}

// In a simulation the end of a lease is known, and an expiry only has to agree with it. In a
// history it ends the lease, if it is the one that is live.
static void fl_check_expire(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock) {
    if (seen->event->outcome == FL_OUTCOME_REFUSED) {
        fl_report_event(checker, FL_VIOLATION_LIVE_AT_ITS_END, seen, seen->peer, -1, seen->peer);
        return;
    }
    if (!fl_checks_history(checker)) return;
    bool is_of_client = seen->peer == FL_NOBODY || seen->peer == lock->client;
    bool is_of_token = seen->event->token < 0 || seen->event->token == lock->token;
    if (lock->live && !(is_of_client && is_of_token)) return;
    lock->is_known = true;
    lock->live = false;
    lock->is_nested = false;
}

void fl_check_service(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                      fl_checked_client *client) {
    fl_see_service_clock(checker, seen->event);
    if (lock->live && lock->end_is_known &&
        checker->latest >= lock->expires_at + checker->tolerance) {
        lock->live = false;
    }
    if (seen->event->kind != FL_EVENT_EXPIRE && seen->event->outcome == FL_OUTCOME_NONE) {
        // Nobody knows what became of it, so nobody knows who holds the lock.
        lock->is_known = false;
        lock->live = false;
        return;
    }
    switch ((fl_event_kind) seen->event->kind) {
    case FL_EVENT_EXPIRE:
        fl_check_expire(checker, seen, lock);
        return;
    case FL_EVENT_ACQUIRE:
        fl_check_acquire(checker, seen, lock, client);
        break;
    default:
        fl_check_renew_or_release(checker, seen, lock);
        break;
    }
    if (seen->event->outcome != FL_OUTCOME_REFUSED) lock->last_change = checker->time;
}

// The storage --------------------------------------------------------------------------------

// A storage without fencing promises nothing here. It is judged all the same: that it breaks I2 and
// I3 is what it is there to show.

// What was found in a key is what it took last. Of a history's key that is not always known.
static void fl_check_value(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key,
                           uint32_t value, uint8_t told) {
    if (fl_checks_history(checker) && (seen->event->flags & told) == 0) return;
    bool is_known = key->value_is_known && !fl_may_be_earlier(checker, key->value_at);
    checker->judged.values += is_known;
    if (is_known && value != key->value) {
        fl_report_event(checker, FL_VIOLATION_REJECTED_BUT_CHANGED, seen, seen->peer, key->highest,
                        FL_NOBODY);
    }
    key->value = value;
    key->value_is_known = true;
}

// In a simulation the highest token is known. A history's storage may have seen more than is told,
// may ask for a token above the highest, and may reject for other reasons: it is judged by the
// highest token that it names.
static bool fl_is_wrongly_rejected(fl_checker *checker, const fl_sighting *seen,
                                   const fl_checked_key *key, bool may_accept, bool takes_equal) {
    const fl_event *event = seen->event;
    if (!fl_checks_history(checker)) return may_accept || checker->fencing == FL_SCENARIO_OFF;
    bool is_by_token = event->reason == FL_REASON_NONE || event->reason == FL_REASON_STALE ||
                       event->reason == FL_REASON_USED;
    if (!is_by_token || (event->flags & FL_TOLD_HIGHEST) == 0 || event->token < 0) return false;
    checker->judged.rejections++;
    double highest = event->highest > key->highest ? event->highest : key->highest;
    return event->token > highest || (event->token == highest && takes_equal);
}

static void fl_check_update(fl_checker *checker, const fl_sighting *seen,
                            fl_checked_writer *writer) {
    const fl_event *event = seen->event;
    if (writer->base_token < 0 || writer->base_token != event->token) return;
    if (writer->base_key != seen->key) return;
    if (!fl_checks_history(checker) || (event->flags & FL_TOLD_PREVIOUS) != 0) {
        checker->judged.updates++;
        if (writer->base != event->previous) {
            fl_report_event(checker, FL_VIOLATION_LOST_UPDATE, seen, seen->peer, -1, FL_NOBODY);
        }
    }
    writer->base = event->value;
}

static void fl_raise_key(const fl_checker *checker, fl_checked_key *key, double token) {
    if (token <= key->highest) return;
    key->highest = token;
    key->highest_at = checker->time;
}

static void fl_check_accepted(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key,
                              fl_checked_writer *writer) {
    const fl_event *event = seen->event;
    // A client's values rise, and an older one comes with an older token.
    if (!fl_checks_history(checker) && event->value <= writer->written &&
        checker->fencing != FL_SCENARIO_OFF) {
        fl_report_event(checker, FL_VIOLATION_WRITTEN_TWICE, seen, seen->peer, -1, FL_NOBODY);
    }
    writer->written = event->value;
    fl_check_update(checker, seen, writer);
    key->value = event->value;
    key->value_is_known = !fl_checks_history(checker) || (event->flags & FL_TOLD_VALUE) != 0;
    key->value_at = checker->time;
    key->written = key->written || event->token >= key->highest;
    fl_raise_key(checker, key, event->token);
}

void fl_check_write(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key,
                    fl_checked_writer *writer) {
    const fl_event *event = seen->event;
    bool is_above = checker->fencing == FL_SCENARIO_ABOVE;
    bool repeats = event->token == key->highest && key->written;
    bool may_accept =
        event->token > key->highest || (event->token == key->highest && !(is_above && repeats));
    fl_check_value(checker, seen, key, event->previous, FL_TOLD_PREVIOUS);
    if (event->outcome == FL_OUTCOME_NONE) {
        key->value_is_known = false; // nobody knows what became of it
        return;
    }
    if (event->outcome != FL_OUTCOME_ACCEPTED) {
        bool takes_equal = checker->fencing_is_known && !is_above;
        if (fl_is_wrongly_rejected(checker, seen, key, may_accept, takes_equal)) {
            fl_report_event(checker, FL_VIOLATION_WRITE_WRONGLY_REJECTED, seen, seen->peer,
                            key->highest, FL_NOBODY);
        }
        return;
    }
    bool is_compared = !fl_checks_history(checker) || event->token >= 0;
    checker->judged.writes += is_compared;
    // A storage that names a higher token has seen it before, whatever the times.
    bool names_higher = (event->flags & FL_TOLD_HIGHEST) != 0 && event->highest > event->token;
    bool may_be_early = !repeats && !names_higher && fl_may_be_earlier(checker, key->highest_at);
    if (is_compared && !may_accept && !may_be_early) {
        fl_report_event(checker,
                        repeats ? FL_VIOLATION_WRITE_WRONGLY_ACCEPTED : FL_VIOLATION_TOKEN_FELL,
                        seen, seen->peer, key->highest, FL_NOBODY);
    }
    fl_check_accepted(checker, seen, key, writer);
}

void fl_check_fence(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key) {
    const fl_event *event = seen->event;
    bool may_accept = event->token >= key->highest;
    if (event->outcome == FL_OUTCOME_NONE) return;
    if (event->outcome != FL_OUTCOME_ACCEPTED) {
        bool is_wrong = fl_checks_history(checker)
                            ? fl_is_wrongly_rejected(checker, seen, key, may_accept, true)
                            : may_accept;
        if (is_wrong) {
            fl_report_event(checker, FL_VIOLATION_FENCE_WRONGLY_REJECTED, seen, seen->peer,
                            key->highest, FL_NOBODY);
        }
        return;
    }
    checker->judged.fences++;
    bool is_none = checker->fencing == FL_SCENARIO_OFF || (event->flags & FL_EVENT_STALE) != 0;
    if (!may_accept && !is_none && !fl_may_be_earlier(checker, key->highest_at)) {
        fl_report_event(checker, FL_VIOLATION_TOKEN_FELL, seen, seen->peer, key->highest,
                        FL_NOBODY);
    }
    if (event->token > key->highest) key->written = false;
    fl_raise_key(checker, key, event->token);
}

void fl_check_read(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key) {
    fl_check_value(checker, seen, key, seen->event->value, FL_TOLD_VALUE);
}
