#include "decisions.h"

#include <math.h>

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
// said; nor where an answer is not known. In a simulation it is always the one or the other.
static bool fl_is_surely_live(const fl_checker *checker, const fl_checked_lock *lock) {
    return lock->live && lock->end_is_known && !lock->may_end &&
           checker->latest < lock->expires_at - checker->tolerance;
}

static bool fl_is_surely_dead(const fl_checked_lock *lock) {
    return lock->is_known && !lock->live && !lock->may_be_live;
}

// Whether it is judged by. How many releases end a nested lease is not known, and whether a service
// that crashed remembers what it granted is not either.
static bool fl_is_sure(const fl_checker *checker, const fl_checked_lock *lock) {
    if (lock->is_forgotten || lock->is_nested) return false;
    return fl_is_surely_live(checker, lock) || fl_is_surely_dead(lock);
}

// Whether the client still goes by this request: one from before a crash or a sleep is forgotten.
static bool fl_is_own_request(const fl_event *event, const fl_checked_client *client) {
    return client != NULL && client->asks && event->message >= client->first_ask;
}

static void fl_extend_lease(fl_checker *checker, const fl_event *event, fl_checked_lock *lock) {
    lock->ran_out = false;
    if (!fl_checks_history(checker)) {
        lock->end_is_known = true;
        lock->expires_at = checker->latest + (double) checker->scenario->lease;
        return;
    }
    lock->end_is_known = (event->flags & FL_TOLD_UNTIL) != 0;
    lock->expires_at = event->until;
    checker->judged.ends += lock->end_is_known;
}

static void fl_raise_lock(fl_checked_lock *lock, double token, uint32_t client) {
    if (token <= lock->highest) return;
    lock->highest = token;
    lock->highest_of = client;
}

// Whether two that may not be told are the same.
static bool fl_may_be_same(double token, double other) {
    return token == other || token < 0 || other < 0;
}

// Whose lease it is now. What its client asked for before, with an answer that nobody knows, may
// come about still.
static void fl_set_holder(fl_checked_lock *lock, uint32_t client, double token) {
    bool is_same = lock->client == client && fl_may_be_same(lock->token, token);
    lock->may_end = lock->may_end && is_same;
    lock->may_be_live = false;
    lock->is_forgotten = false;
    lock->is_known = true;
    lock->live = true;
    if (!is_same || token >= 0) lock->token = token;
    lock->client = client;
    fl_raise_lock(lock, token, client);
}

// Our service counts by one over all locks. Others skip numbers, or count for each lock.
static void fl_check_token(fl_checker *checker, const fl_sighting *seen,
                           const fl_checked_lock *lock, bool goes_on) {
    double token = seen->event->token;
    if (!fl_checks_history(checker)) {
        if (token != checker->next_token) {
            fl_report_event(checker, FL_VIOLATION_TOKEN_NOT_NEXT, seen, seen->peer,
                            checker->next_token, FL_NOBODY);
        }
        checker->next_token = token + 1;
        return;
    }
    if (token < 0 || lock->highest < 0) return;
    checker->judged.tokens++;
    if (token > lock->highest || (token == lock->highest && goes_on)) return;
    fl_report_event(checker, FL_VIOLATION_TOKEN_NOT_ABOVE, seen, seen->peer, lock->highest,
                    FL_NOBODY);
}

static void fl_check_granted(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                             fl_checked_client *client) {
    const fl_event *event = seen->event;
    // Other services may let a holder take its lock again (R3 is a rule of ours), with the token
    // that it has.
    bool is_again = fl_checks_history(checker) && seen->peer == lock->client;
    bool goes_on =
        is_again && (lock->live || lock->is_nested || !lock->is_known || lock->may_be_live);
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
    fl_check_token(checker, seen, lock, goes_on && event->token == lock->token);
    // What it asked for before may have given it the lock, too.
    bool may_be_second = lock->asked_by == seen->peer || lock->asked_by == FL_NOBODY;
    lock->is_nested = goes_on || (lock->may_be_live && may_be_second);
    fl_set_holder(lock, seen->peer, event->token);
    fl_extend_lease(checker, event, lock);
    if (fl_is_own_request(event, client)) client->granted = event->token;
}

// A service may refuse for other reasons than that the lock is held, and a history need not tell.
static bool fl_may_refuse(fl_checker *checker, const fl_event *event, const fl_checked_lock *lock) {
    if (!fl_checks_history(checker)) {
        return lock->live || checker->latest < checker->quiet_until ||
               checker->next_token > (double) FL_TOKEN_MAX;
    }
    bool is_judged = event->reason == FL_REASON_HELD && fl_is_sure(checker, lock);
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
    if (seen->holder != FL_NOBODY && seen->holder != lock->client) {
        // The history leaves its grant out.
        if (fl_is_surely_live(checker, lock)) return;
        lock->is_known = false;
        lock->live = false;
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
    return fl_checks_history(checker) && fl_may_be_same(lock->token, seen->event->token);
}

// Whether another client was granted the lock after this lease.
static bool fl_is_outdated(const fl_sighting *seen, const fl_checked_lock *lock) {
    return seen->event->token >= 0 && seen->event->token < lock->highest &&
           lock->highest_of != seen->peer;
}

// Whether what went well should not have. A release of what is gone harms nobody, and many services
// have a good word for it. A token that was never seen is of a grant that the history leaves out.
static bool fl_is_wrongly_done(const fl_checker *checker, const fl_sighting *seen,
                               const fl_checked_lock *lock) {
    if (!fl_checks_history(checker)) return true;
    if (lock->is_forgotten || lock->is_nested) return false;
    if (fl_is_surely_live(checker, lock)) return true;
    if (seen->event->kind != FL_EVENT_RENEW) return false;
    bool is_new = seen->event->token > lock->highest && seen->event->token > lock->token;
    return fl_is_outdated(seen, lock) || (fl_is_surely_dead(lock) && !is_new);
}

static void fl_check_refused(fl_checker *checker, const fl_sighting *seen,
                             const fl_checked_lock *lock) {
    const fl_event *event = seen->event;
    bool renews = event->kind == FL_EVENT_RENEW;
    bool is_of_others = event->reason != FL_REASON_NONE && event->reason != FL_REASON_NOT_LIVE;
    if (fl_checks_history(checker) && is_of_others) return;
    checker->judged.decisions += fl_is_sure(checker, lock);
    if (!fl_is_surely_live(checker, lock) || !fl_is_sure(checker, lock)) return;
    if (!fl_is_of_lease(checker, seen, lock)) return;
    fl_report_event(checker, renews ? FL_VIOLATION_RENEWAL_REFUSED : FL_VIOLATION_RELEASE_REFUSED,
                    seen, seen->peer, -1, FL_NOBODY);
}

static void fl_check_renew_or_release(fl_checker *checker, const fl_sighting *seen,
                                      fl_checked_lock *lock) {
    const fl_event *event = seen->event;
    bool renews = event->kind == FL_EVENT_RENEW;
    if (event->outcome != FL_OUTCOME_OK) {
        fl_check_refused(checker, seen, lock);
        return;
    }
    checker->judged.decisions += fl_is_sure(checker, lock);
    if (!lock->live || !fl_is_of_lease(checker, seen, lock)) {
        if (fl_is_wrongly_done(checker, seen, lock)) {
            fl_report_event(
                checker, renews ? FL_VIOLATION_RENEWED_DEAD : FL_VIOLATION_RELEASED_DEAD, seen,
                seen->peer, lock->live ? lock->token : -1, lock->live ? lock->client : FL_NOBODY);
        }
        // Whoever holds it goes on to. Where that is not sure, a renewal tells who does.
        if (!fl_checks_history(checker) || !renews) return;
        if (fl_is_surely_live(checker, lock) || fl_is_outdated(seen, lock)) return;
    }
    if (!renews) {
        lock->live = false;
        return;
    }
    lock->is_nested = lock->is_nested && lock->client == seen->peer;
    fl_set_holder(lock, seen->peer, event->token);
    fl_extend_lease(checker, event, lock);
}

// Nobody knows what became of it, or whether it will come about yet.
static void fl_see_unknown(const fl_checker *checker, const fl_sighting *seen,
                           fl_checked_lock *lock) {
    bool is_live = fl_is_surely_live(checker, lock);
    bool is_of_lease = fl_is_of_lease(checker, seen, lock);
    if (seen->event->kind == FL_EVENT_RELEASE) {
        lock->may_end = lock->may_end || is_of_lease;
        if (is_live && !is_of_lease) return;
    } else {
        bool is_first = !lock->may_be_live || lock->asked_by == seen->peer;
        lock->asked_by = is_first ? seen->peer : FL_NOBODY;
        lock->may_be_live = true;
        lock->is_nested = lock->is_nested || (seen->event->kind == FL_EVENT_ACQUIRE && lock->live &&
                                              lock->client == seen->peer);
        if (is_live) return;
    }
    lock->is_known = false;
    lock->live = false;
}

// The service works with the latest time it has seen (R7). A history tells when it decided.
void fl_see_service_clock(fl_checker *checker, const fl_event *event) {
    if (event->local_time > checker->latest || fl_checks_history(checker)) {
        checker->latest = event->local_time;
    }
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
    if (!is_of_client || !fl_may_be_same(seen->event->token, lock->token)) return;
    lock->live = false;
    lock->is_nested = false;
    lock->ran_out = false;
}

void fl_check_service(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                      fl_checked_client *client) {
    fl_see_service_clock(checker, seen->event);
    if (lock->live && lock->end_is_known &&
        checker->latest >= lock->expires_at + checker->tolerance) {
        lock->live = false;
        lock->is_nested = false;
        lock->ran_out = true;
    }
    if (seen->event->kind != FL_EVENT_EXPIRE && seen->event->outcome == FL_OUTCOME_NONE) {
        fl_see_unknown(checker, seen, lock);
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

void fl_check_value(fl_checker *checker, const fl_sighting *seen, const fl_checked_key *key,
                    const fl_checked_value *before, uint32_t found) {
    checker->judged.values++;
    if (found == before->value || fl_may_be_late(before, found)) return;
    fl_report_event(checker, FL_VIOLATION_REJECTED_BUT_CHANGED, seen, seen->peer, key->highest,
                    FL_NOBODY);
}

static void fl_see_late_write(const fl_event *event, fl_checked_value *known) {
    bool is_told = (event->flags & FL_TOLD_VALUE) != 0;
    if (!is_told || (known->has_late && known->late != event->value)) known->late_is_any = true;
    known->has_late = true;
    known->late = event->value;
    known->late_ends = INFINITY;
    double token = event->token < 0 ? INFINITY : event->token;
    if (token > known->late_token) known->late_token = token;
}

// The highest token that a key is known to have seen, by itself or by what it says.
static double fl_highest_judged(const fl_sighting *seen, const fl_checked_key *key) {
    bool is_told = (seen->event->flags & FL_TOLD_HIGHEST) != 0;
    return is_told && seen->event->highest > key->highest ? seen->event->highest : key->highest;
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
    double highest = fl_highest_judged(seen, key);
    return event->token > highest || (event->token == highest && takes_equal);
}

// That the client read what it replaces is known behind its own fence only, and as far as it is
// told.
static void fl_check_update(fl_checker *checker, const fl_sighting *seen,
                            fl_checked_writer *writer) {
    const fl_event *event = seen->event;
    if (writer->base_token < 0 || writer->base_token != event->token) return;
    if (writer->base_key != seen->stored) return;
    bool is_history = fl_checks_history(checker);
    bool is_near = fl_may_be_earlier(checker, writer->base_at);
    if (!is_near && (!is_history || (event->flags & FL_TOLD_PREVIOUS) != 0)) {
        checker->judged.updates++;
        if (writer->base != event->previous) {
            fl_report_event(checker, FL_VIOLATION_LOST_UPDATE, seen, seen->peer, -1, FL_NOBODY);
        }
    }
    writer->base = event->value;
    writer->base_at = checker->time;
    if (is_history && (is_near || (event->flags & FL_TOLD_VALUE) == 0)) writer->base_token = -1;
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
    // Of two at once nobody knows which was the last.
    bool is_known =
        (event->flags & FL_TOLD_VALUE) != 0 && !fl_may_be_earlier(checker, key->value.changed_at);
    if (event->token > key->value.late_token) fl_forget_late_writes(&key->value);
    key->value.value = event->value;
    key->value.is_known = is_known || !fl_checks_history(checker);
    key->value.changed_at = checker->time;
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
    if (!fl_checks_history(checker)) {
        fl_check_value(checker, seen, key, &key->value, event->previous);
    }
    if (event->outcome == FL_OUTCOME_NONE) {
        fl_see_late_write(event, &key->value);
        key->value.changed_at = checker->time;
        return;
    }
    if (event->outcome != FL_OUTCOME_ACCEPTED) {
        bool takes_equal = checker->fencing_is_known && !is_above;
        if (fl_is_wrongly_rejected(checker, seen, key, may_accept, takes_equal)) {
            fl_report_event(checker, FL_VIOLATION_WRITE_WRONGLY_REJECTED, seen, seen->peer,
                            fl_highest_judged(seen, key), FL_NOBODY);
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
                            fl_highest_judged(seen, key), FL_NOBODY);
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
    fl_checked_value *value = &key->value;
    bool ends_late = event->token > value->late_token && value->late_ends == INFINITY;
    if (value->has_late && ends_late) value->late_ends = checker->time;
    fl_raise_key(checker, key, event->token);
}

void fl_check_read(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key) {
    fl_check_value(checker, seen, key, &key->value, seen->event->value);
    key->value.value = seen->event->value;
}
