// What the tests of histories say happened.

#ifndef FL_TEST_HISTORY_STEPS_H
#define FL_TEST_HISTORY_STEPS_H

#include "../../c/sim/history.h"
#include "test.h"

#include <math.h>

#define NOTHING FL_VIOLATION_KINDS

// Numbers are given in the order of first use, so that the service's comes first.
enum { SERVICE, A, B, STORAGE, C };

static fl_history *history;
static fl_checker *checker;
static uint32_t sequence;
static double now;

static inline void begin_with(const fl_allocator *allocator, double tolerance, uint32_t fencing) {
    fl_history_free(history);
    history = NULL;
    sequence = 0;
    now = 1753142400; // times may count from 1970
    if (fl_history_new(allocator, tolerance, fencing, &history) != FL_OK) return;
    checker = fl_history_checker(history);
}

static inline fl_history_event event_of(fl_event_kind kind, uint32_t node, uint32_t peer,
                                        double token) {
    return (fl_history_event){
        .kind = (uint8_t) kind,
        .node = node,
        .peer = peer,
        .token = token,
        .highest = -1,
        .lock = FL_NOBODY,
        .key = FL_NOBODY,
        .lease = FL_NOBODY,
        .stored = FL_NOBODY,
        .holder = FL_NOBODY,
    };
}

static inline fl_result see(fl_history_event event) {
    event.time = now;
    event.sequence = sequence++;
    return fl_history_observe(history, &event);
}

// Names every node, so that cases may use them in any order.
static inline void begin(void) {
    begin_with(NULL, 0.001, FL_HISTORY_RULE_UNKNOWN);
    for (uint32_t node = SERVICE; node <= C; node++)
        see(event_of(FL_EVENT_PAUSE, node, FL_NOBODY, -1));
}

static inline void begin_by_rule(fl_fencing fencing) {
    begin_with(NULL, 0, (uint32_t) fencing);
    for (uint32_t node = SERVICE; node <= C; node++)
        see(event_of(FL_EVENT_PAUSE, node, FL_NOBODY, -1));
}

static inline fl_history_event at_service(fl_event_kind kind, uint32_t client, double token,
                                          fl_outcome outcome) {
    fl_history_event event = event_of(kind, SERVICE, client, token);
    event.lock = 0;
    event.lease = 0;
    event.outcome = (uint8_t) outcome;
    return event;
}

static inline fl_history_event for_seconds(fl_history_event event, double seconds) {
    event.until = now + seconds;
    event.flags |= FL_TOLD_UNTIL;
    return event;
}

static inline void granted(uint32_t client, double token, double seconds) {
    see(for_seconds(at_service(FL_EVENT_ACQUIRE, client, token, FL_OUTCOME_GRANTED), seconds));
}

static inline void granted_without_end(uint32_t client, double token) {
    see(at_service(FL_EVENT_ACQUIRE, client, token, FL_OUTCOME_GRANTED));
}

static inline void renewed(uint32_t client, double token, double seconds) {
    see(for_seconds(at_service(FL_EVENT_RENEW, client, token, FL_OUTCOME_OK), seconds));
}

static inline void released(uint32_t client, double token) {
    see(at_service(FL_EVENT_RELEASE, client, token, FL_OUTCOME_OK));
}

static inline void refused(fl_event_kind kind, uint32_t client, double token, fl_reason reason) {
    fl_history_event event = at_service(kind, client, token, FL_OUTCOME_REFUSED);
    event.reason = (uint8_t) reason;
    see(event);
}

static inline void expired(uint32_t client, double token) {
    see(at_service(FL_EVENT_EXPIRE, client, token, FL_OUTCOME_NONE));
}

static inline fl_history_event at_storage(fl_event_kind kind, uint32_t client, double token,
                                          bool accepted) {
    fl_history_event event = event_of(kind, STORAGE, client, token);
    event.key = 0;
    event.stored = 0;
    event.outcome = accepted ? FL_OUTCOME_ACCEPTED : FL_OUTCOME_REJECTED;
    return event;
}

static inline void writes(uint32_t client, double token) {
    see(at_storage(FL_EVENT_WRITE, client, token, true));
}

static inline void fences(uint32_t client, double token) {
    see(at_storage(FL_EVENT_FENCE, client, token, true));
}

static inline void unknown(fl_history_event event) {
    event.outcome = FL_OUTCOME_NONE;
    see(event);
}

static inline void rejected(fl_event_kind kind, double token, double highest, fl_reason reason) {
    fl_history_event event = at_storage(kind, A, token, false);
    event.highest = highest;
    event.flags = FL_TOLD_HIGHEST;
    event.reason = (uint8_t) reason;
    see(event);
}

static inline void replaces(uint32_t client, double token, uint32_t previous, uint32_t value) {
    fl_history_event event = at_storage(FL_EVENT_WRITE, client, token, true);
    event.previous = previous;
    event.value = value;
    event.flags = FL_TOLD_PREVIOUS | FL_TOLD_VALUE;
    see(event);
}

static inline void reads(uint32_t client, uint32_t value) {
    fl_history_event event = at_storage(FL_EVENT_READ, client, -1, true);
    event.outcome = FL_OUTCOME_OK;
    event.value = value;
    event.flags = FL_TOLD_VALUE;
    see(event);
}

static inline void trusts(uint32_t client, double token, double seconds) {
    fl_history_event event = event_of(FL_EVENT_TRUST, client, FL_NOBODY, token);
    event.lock = 0;
    see(seconds < INFINITY ? for_seconds(event, seconds) : event);
}

static inline void distrusts(uint32_t client, double token) {
    fl_history_event event = event_of(FL_EVENT_DISTRUST, client, FL_NOBODY, token);
    event.lock = 0;
    see(event);
}

static inline void happens_to(uint32_t node, fl_event_kind kind) {
    see(event_of(kind, node, FL_NOBODY, -1));
}

// Whether just this was found so far, or nothing at all.
static inline bool found(fl_violation_kind kind) {
    fl_history_settle(history, INFINITY);
    if (kind == NOTHING) return checker->count == 0;
    return checker->count == 1 && checker->violations[0].kind == kind;
}

static inline bool found_at(fl_violation_kind kind, uint32_t at) {
    return found(kind) && checker->violations[0].sequence == at;
}

#endif
