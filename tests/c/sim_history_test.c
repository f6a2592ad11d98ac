// Histories of other systems: each fault is found, and what only looks like one is not.

#include "history_steps.h"
#include "memory.h"

// The lock service -----------------------------------------------------------------------------

static void a_grant_while_a_lease_is_live(void) {
    begin();
    granted(A, 7, 10);
    now += 9.99, granted(B, 8, 10);
    CHECK(found_at(FL_VIOLATION_GRANT_WHILE_LIVE, 6));
    CHECK(checker->violations[0].node == B);
    CHECK(checker->violations[0].peer == A);
    // At its end, and where times are not exact enough to tell.
    begin();
    granted(A, 7, 10);
    now += 9.9995, granted(B, 8, 10);
    now += 10, granted(A, 9, 10);
    CHECK(found(NOTHING));
}

static void what_ends_a_lease_before_its_time(void) {
    begin();
    granted(A, 7, 10);
    now += 1, released(A, 7), granted(B, 8, 10);
    now += 1, expired(B, 8), granted(A, 9, 10);  // a session that was ended
    now += 1, expired(B, 8), granted(B, 10, 10); // told late, of another lease
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    // Where nothing tells that it lasts, it may have ended.
    begin();
    granted_without_end(A, 7);
    now += 1, granted_without_end(B, 8);
    CHECK(found(NOTHING));
}

static void tokens_that_do_not_rise(void) {
    static const struct {
        double token;
        fl_violation_kind violation;
    } cases[] = {{8, NOTHING},
                 {4000, NOTHING},
                 {7, FL_VIOLATION_TOKEN_NOT_ABOVE},
                 {6, FL_VIOLATION_TOKEN_NOT_ABOVE},
                 {-1, NOTHING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        granted(A, 7, 10), released(A, 7);
        happens_to(SERVICE, FL_EVENT_CRASH), happens_to(SERVICE, FL_EVENT_RESTART);
        now += 20, granted(i % 2 ? A : B, cases[i].token, 10);
        CHECK(found(cases[i].violation));
    }
    // Each lock, and each service, may count for itself.
    begin();
    granted(A, 7, 10);
    fl_history_event event = at_service(FL_EVENT_ACQUIRE, B, 1, FL_OUTCOME_GRANTED);
    event.lock = 1, event.lease = 1, see(event);
    event.node = STORAGE, event.lock = 0, event.lease = 2, see(event);
    CHECK(found(NOTHING));
}

static void a_lock_that_its_holder_may_take_again(void) {
    begin();
    granted(A, 7, 10);
    now += 1, granted(A, 7, 10);
    now += 1, released(A, 7);
    now += 1, renewed(A, 7, 10); // it holds it once more
    now += 1, granted(A, 8, 10);
    CHECK(found(NOTHING));
    now += 1, granted(B, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    // But not when the lease is over.
    begin();
    granted(A, 7, 10);
    now += 11, granted(A, 7, 10);
    CHECK(found(FL_VIOLATION_TOKEN_NOT_ABOVE));
}

static void a_refusal_of_what_is_free(void) {
    static const struct {
        double seconds;
        fl_reason reason;
        fl_violation_kind violation;
    } cases[] = {{10.1, FL_REASON_HELD, FL_VIOLATION_REFUSED_WHILE_FREE},
                 {9.9, FL_REASON_HELD, NOTHING},
                 {10.0005, FL_REASON_HELD, NOTHING},
                 {10.1, FL_REASON_NONE, NOTHING},
                 {10.1, FL_REASON_LOST, NOTHING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        granted(A, 7, 10);
        now += cases[i].seconds, refused(FL_EVENT_ACQUIRE, B, -1, cases[i].reason);
        CHECK(found(cases[i].violation));
    }
    begin();
    refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD); // by one from before the history
    granted_without_end(A, 7);
    now += 100, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(NOTHING));
}

static void renewals_and_releases(void) {
    static const struct {
        fl_event_kind kind;
        double seconds;
        uint32_t client;
        double token;
        fl_outcome outcome;
        fl_violation_kind violation;
    } cases[] = {
        {FL_EVENT_RENEW, 9, A, 7, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RENEW, 9, A, -1, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RENEW, 10.1, A, 7, FL_OUTCOME_OK, FL_VIOLATION_RENEWED_DEAD},
        {FL_EVENT_RENEW, 10.0005, A, 7, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RENEW, 9, B, 6, FL_OUTCOME_OK, FL_VIOLATION_RENEWED_DEAD},
        {FL_EVENT_RENEW, 9, A, 6, FL_OUTCOME_OK, FL_VIOLATION_RENEWED_DEAD},
        {FL_EVENT_RENEW, 9, A, 7, FL_OUTCOME_REFUSED, FL_VIOLATION_RENEWAL_REFUSED},
        {FL_EVENT_RENEW, 10.1, A, 7, FL_OUTCOME_REFUSED, NOTHING},
        {FL_EVENT_RENEW, 9, B, 7, FL_OUTCOME_REFUSED, NOTHING},
        {FL_EVENT_RELEASE, 9, A, 7, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RELEASE, 9, B, 6, FL_OUTCOME_OK, FL_VIOLATION_RELEASED_DEAD},
        {FL_EVENT_RELEASE, 10.1, A, 7, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RELEASE, 9, A, 7, FL_OUTCOME_REFUSED, FL_VIOLATION_RELEASE_REFUSED},
        {FL_EVENT_RELEASE, 9, A, 6, FL_OUTCOME_REFUSED, NOTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        granted(A, 7, 10);
        now += cases[i].seconds;
        see(for_seconds(
            at_service(cases[i].kind, cases[i].client, cases[i].token, cases[i].outcome), 10));
        CHECK(found(cases[i].violation));
    }
}

static void a_late_release_that_frees_the_lock_of_another(void) {
    begin();
    granted(A, 7, 10);
    now += 11, granted(B, 8, 10);
    now += 1, released(A, 7);
    CHECK(found_at(FL_VIOLATION_RELEASED_DEAD, 7));
    now += 1, granted(C, 9, 10);
    CHECK(!found(NOTHING));
    CHECK(checker->count == 2);
    CHECK(checker->violations[1].kind == FL_VIOLATION_GRANT_WHILE_LIVE);
}

static void a_release_that_does_no_harm(void) {
    begin();
    granted_without_end(A, 7);
    released(A, 7), released(A, 7);
    granted_without_end(B, 8);
    expired(B, 8), released(B, 8);
    granted_without_end(A, 9), released(B, 8);
    granted(B, 10, 10), expired(B, 10), now += 5, released(B, 10);
    CHECK(found(NOTHING));
    now += 1, renewed(B, 10, 10);
    CHECK(found(FL_VIOLATION_RENEWED_DEAD));
}

static void a_history_that_begins_in_the_middle(void) {
    begin();
    renewed(A, 7, 10);
    now += 1, granted(B, 8, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin();
    refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE), released(A, 7), renewed(B, 8, 10);
    now += 1, released(B, 8), now += 1, renewed(C, 9, 10); // whose grant is not in it
    CHECK(found(NOTHING));
    now += 1, renewed(B, 8, 10);
    CHECK(found(FL_VIOLATION_RENEWED_DEAD));
}

static void an_answer_that_nobody_knows(void) {
    begin();
    granted(A, 7, 10);
    now += 1, unknown(at_service(FL_EVENT_RELEASE, A, 7, FL_OUTCOME_NONE));
    now += 1, granted(B, 8, 10);
    now += 11, unknown(at_service(FL_EVENT_ACQUIRE, C, -1, FL_OUTCOME_NONE));
    now += 1, renewed(C, 9, 10);
    now += 1, replaces(B, 8, 0, 1);
    now += 1, unknown(at_storage(FL_EVENT_WRITE, C, 9, true));
    now += 1, reads(B, 2);
    CHECK(found(NOTHING));
}

static void a_service_that_crashed(void) {
    begin();
    granted(A, 7, 10), happens_to(SERVICE, FL_EVENT_CRASH);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE); // it may have forgotten it
    now += 1, renewed(A, 7, 10);                             // or have kept it
    now += 1, happens_to(SERVICE, FL_EVENT_CRASH);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
    now += 1, released(A, 7), granted(B, 8, 10), happens_to(SERVICE, FL_EVENT_CRASH);
    CHECK(found(NOTHING));
    now += 1, granted(A, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_AFTER_RESTART));
    // What it grants or renews afterwards it is held to.
    begin();
    granted(A, 7, 10), happens_to(SERVICE, FL_EVENT_CRASH), now += 1, renewed(B, 6, 10);
    now += 1, granted(B, 8, 10);
    now += 1, granted(A, 9, 10);
    CHECK(!found(NOTHING));
    CHECK(checker->count == 2);
    CHECK(checker->violations[0].kind == FL_VIOLATION_GRANT_AFTER_RESTART);
    CHECK(checker->violations[1].kind == FL_VIOLATION_GRANT_WHILE_LIVE);
    begin();
    granted(A, 7, 10), happens_to(SERVICE, FL_EVENT_CRASH), now += 1, renewed(A, 7, 10);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
    CHECK(found(FL_VIOLATION_RENEWAL_REFUSED));
}

static void a_service_whose_clock_was_set(void) {
    begin();
    granted(A, 7, 10), happens_to(SERVICE, FL_EVENT_CLOCK_STEP);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE), granted(B, 8, 10);
    happens_to(SERVICE, FL_EVENT_SUSPEND);
    now += 20, happens_to(SERVICE, FL_EVENT_WAKE), now += 1, renewed(B, 8, 10);
    CHECK(found(NOTHING));
    now += 1, granted(A, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
}

// The storage ----------------------------------------------------------------------------------

static void a_token_that_falls(void) {
    begin();
    writes(B, 9), writes(B, 9), now += 1, writes(A, 7);
    CHECK(found_at(FL_VIOLATION_TOKEN_FELL, 7));
    CHECK(checker->violations[0].other == 9);
    begin();
    fences(B, 9), now += 1, writes(A, 7);
    CHECK(found(FL_VIOLATION_TOKEN_FELL));
    begin();
    writes(B, 9), now += 1, fences(A, 7);
    CHECK(found(FL_VIOLATION_TOKEN_FELL));
    begin();
    writes(B, 9);
    fl_history_event event = at_storage(FL_EVENT_WRITE, A, 7, true);
    event.highest = 9, event.flags = FL_TOLD_HIGHEST, see(event); // it says so itself
    CHECK(found(FL_VIOLATION_TOKEN_FELL));
    // Each key, and each storage, for itself; and a write without a token is none to compare.
    begin();
    writes(B, 9);
    event = at_storage(FL_EVENT_WRITE, A, 7, true);
    event.key = 1, event.stored = 1, see(event);
    event.node = SERVICE, event.key = 0, event.stored = 2, see(event);
    now += 1, writes(A, -1);
    CHECK(found(NOTHING));
}

static void a_rejection(void) {
    static const struct {
        fl_event_kind kind;
        double token;
        double highest;
        fl_reason reason;
        fl_violation_kind violation;
    } cases[] = {
        {FL_EVENT_WRITE, 7, 8, FL_REASON_STALE, NOTHING},
        {FL_EVENT_WRITE, 9, 8, FL_REASON_NONE, FL_VIOLATION_WRITE_WRONGLY_REJECTED},
        {FL_EVENT_WRITE, 9, -1, FL_REASON_STALE, FL_VIOLATION_WRITE_WRONGLY_REJECTED},
        {FL_EVENT_WRITE, 9, 8, FL_REASON_LOST, NOTHING},
        {FL_EVENT_WRITE, 8, 8, FL_REASON_USED, NOTHING}, // its rule may be one write a token
        {FL_EVENT_FENCE, 9, 8, FL_REASON_NONE, FL_VIOLATION_FENCE_WRONGLY_REJECTED},
        {FL_EVENT_FENCE, 8, 8, FL_REASON_NONE, FL_VIOLATION_FENCE_WRONGLY_REJECTED},
        {FL_EVENT_FENCE, 7, 8, FL_REASON_NONE, NOTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        rejected(cases[i].kind, cases[i].token, cases[i].highest, cases[i].reason);
        CHECK(found(cases[i].violation));
    }
    // It may have seen more than the history.
    begin();
    writes(A, 7), see(at_storage(FL_EVENT_WRITE, B, 8, false));
    CHECK(found(NOTHING));
    begin_by_rule(FL_SCENARIO_AT_LEAST);
    rejected(FL_EVENT_WRITE, 8, 8, FL_REASON_USED);
    CHECK(found(FL_VIOLATION_WRITE_WRONGLY_REJECTED));
}

static void a_token_that_is_used_twice(void) {
    begin_by_rule(FL_SCENARIO_ABOVE);
    writes(A, 7), writes(A, 7);
    CHECK(found(FL_VIOLATION_WRITE_WRONGLY_ACCEPTED));
}

static void a_value_that_changed(void) {
    begin();
    reads(A, 5), reads(A, 5), replaces(A, 7, 5, 6), writes(A, 7), now += 1, reads(A, 9);
    CHECK(found(NOTHING));
    see(at_storage(FL_EVENT_WRITE, B, 6, false)), reads(A, 8);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
}

static void an_update_that_is_lost(void) {
    begin();
    fences(A, 7), now += 1, reads(A, 5);
    now += 1, replaces(B, 7, 5, 6), now += 1, replaces(A, 7, 6, 7);
    CHECK(found_at(FL_VIOLATION_LOST_UPDATE, 8));
    // It is promised only to those that fence before they read,
    begin();
    reads(A, 5), now += 1, replaces(B, 7, 5, 6), now += 1, replaces(A, 7, 6, 7);
    CHECK(found(NOTHING));
    begin();
    reads(A, 5), now += 1, fences(A, 7);
    now += 1, replaces(B, 7, 5, 6), now += 1, replaces(A, 7, 6, 7);
    CHECK(found(NOTHING));
    // with that token, in that key of that storage.
    static const struct {
        double token;
        uint32_t key;
        uint32_t stored;
    } cases[] = {{8, 0, 0}, {7, 1, 1}, {7, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        fl_history_event event = at_storage(FL_EVENT_READ, A, cases[i].token, true);
        event.value = 5, event.flags = FL_TOLD_VALUE;
        fences(A, 7);
        event.key = cases[i].key, event.stored = cases[i].stored;
        now += 1, see(event);
        now += 1, replaces(B, 7, 5, 6), now += 1, replaces(A, 7, 6, 7);
        event = at_storage(FL_EVENT_WRITE, A, cases[i].token, true);
        event.key = cases[i].key, event.stored = cases[i].stored;
        event.previous = 7, event.flags = FL_TOLD_PREVIOUS;
        now += 1, see(event);
        CHECK(checker->judged.updates == 0);
    }
    begin();
    fl_history_event event = at_storage(FL_EVENT_FENCE, A, 7, true);
    fences(A, 7), now += 1, reads(A, 5);
    event.key = 1, event.stored = 1, see(event); // another key, and the latest fence
    now += 1, replaces(B, 7, 5, 6);
    event = at_storage(FL_EVENT_WRITE, A, 7, true), event.key = 1, event.stored = 1;
    event.previous = 9, event.flags = FL_TOLD_PREVIOUS, now += 1, see(event);
    CHECK(found(NOTHING));
}

// Trust ----------------------------------------------------------------------------------------

static void two_that_trust_at_once(void) {
    begin();
    trusts(A, 7, 10);
    now += 5, trusts(B, 8, 10);
    now += 1, trusts(B, 8, 10);
    fl_history_settle(history, INFINITY);
    CHECK(found_at(FL_VIOLATION_TWO_HOLDERS, 6));
    CHECK(checker->violations[0].time == now - 1);
}

static void trust_that_ends_in_time(void) {
    begin();
    trusts(A, 7, 10);
    now += 10, trusts(B, 8, 10); // at its very end
    now += 1, trusts(C, 9, 10), distrusts(B, 8);
    now += 1, released(C, 9), trusts(A, 10, 10); // it gave the lock back
    now += 1, happens_to(A, FL_EVENT_CRASH), trusts(B, 11, 10);
    now += 1, happens_to(B, FL_EVENT_SUSPEND), trusts(A, 12, 1);
    now += 2, happens_to(B, FL_EVENT_WAKE), distrusts(B, 11);
    trusts(A, 12, 10), now += 9.9995, trusts(C, 13, 1); // nearly at its end
    now += 2, trusts(A, 14, 10), now += 0.0005, trusts(B, 15, 10), now += 0.0004, distrusts(A, 14);
    fl_history_settle(history, INFINITY);
    CHECK(found(NOTHING));
}

static void trust_whose_end_is_not_told(void) {
    begin();
    trusts(A, 7, INFINITY);
    now += 5, trusts(B, 8, 10);
    now += 100, fl_history_settle(history, INFINITY);
    CHECK(found(NOTHING));
    distrusts(A, 7); // only now is it known that it went on
    CHECK(found_at(FL_VIOLATION_TWO_HOLDERS, 6));
    CHECK(checker->violations[0].node == B);
    CHECK(checker->violations[0].peer == A);
}

static void trust_does_not_add_up(void) {
    begin();
    trusts(A, 7, INFINITY);
    for (uint32_t client = C + 1; client < 1000; client++)
        now += 1, trusts(client, client, INFINITY);
    distrusts(A, 7), distrusts(900, 900);
    CHECK(found(NOTHING));
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    begin_with(&allocator, 0.001, FL_HISTORY_RULE_UNKNOWN);
    see(event_of(FL_EVENT_PAUSE, 0, FL_NOBODY, -1));
    size_t bytes = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        now += 1, trusts(i & 3 ? 0 : i / 4 % 2, i, i & 1 ? 0.5 : INFINITY);
        if (i == 100) bytes = memory.bytes;
    }
    CHECK(memory.bytes == bytes);
    fl_history_free(history);
    history = NULL;
    CHECK(memory.bytes == 0);
}

static void more_is_found_than_there_is_room_for(void) {
    begin();
    for (uint32_t i = 0; i < 200; i++)
        now += 1, granted(i & 1 ? A : B, 1000 - i, 10);
    uint32_t count = 0;
    while (!fl_history_settle(history, INFINITY)) {
        CHECK(checker->count <= FL_VIOLATIONS_MAX);
        count += checker->count;
        checker->count = 0;
    }
    CHECK(count + checker->count == 2 * 199);
}

static void memory_that_runs_out(void) {
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        fl_allocator allocator = test_memory_allocator(&memory);
        begin_with(&allocator, 10, FL_HISTORY_RULE_UNKNOWN);
        fl_result result = history == NULL ? FL_OUT_OF_MEMORY : FL_OK;
        for (uint32_t i = 0; i < 200 && result == FL_OK; i++) {
            fl_history_event event = event_of(FL_EVENT_TRUST, i, FL_NOBODY, i);
            event.lock = i;
            result = see(event);
        }
        fl_history_free(history);
        history = NULL;
        CHECK(memory.bytes == 0);
        if (result == FL_OK) return;
    }
}

TEST_MAIN(TEST_CASE(a_grant_while_a_lease_is_live), TEST_CASE(what_ends_a_lease_before_its_time),
          TEST_CASE(tokens_that_do_not_rise), TEST_CASE(a_lock_that_its_holder_may_take_again),
          TEST_CASE(a_refusal_of_what_is_free), TEST_CASE(renewals_and_releases),
          TEST_CASE(a_late_release_that_frees_the_lock_of_another),
          TEST_CASE(a_release_that_does_no_harm), TEST_CASE(a_history_that_begins_in_the_middle),
          TEST_CASE(an_answer_that_nobody_knows), TEST_CASE(a_service_that_crashed),
          TEST_CASE(a_service_whose_clock_was_set), TEST_CASE(a_token_that_falls),
          TEST_CASE(a_rejection), TEST_CASE(a_token_that_is_used_twice),
          TEST_CASE(a_value_that_changed), TEST_CASE(an_update_that_is_lost),
          TEST_CASE(two_that_trust_at_once), TEST_CASE(trust_that_ends_in_time),
          TEST_CASE(trust_whose_end_is_not_told), TEST_CASE(trust_does_not_add_up),
          TEST_CASE(more_is_found_than_there_is_room_for), TEST_CASE(memory_that_runs_out))
