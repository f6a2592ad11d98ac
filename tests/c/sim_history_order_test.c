// Events that are as near to each other as times are exact: what is right in another order is no
// fault.

#include "history_steps.h"

static void what_may_have_come_in_the_other_order(void) {
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10);
    now += 0.0005, released(A, 7);
    now += 1, granted(A, 9, 10), expired(B, 8); // one instant
    now += 1, released(A, 9), granted_without_end(B, 12), granted_without_end(C, 11);
    now += 1, granted_without_end(A, 13);
    now += 1, granted(B, 14, 10), released(A, 13);
    now += 0.0005, renewed(B, 14, 10);
    now += 1, writes(B, 14), writes(A, 13), fences(A, 12);
    now += 1, replaces(B, 15, 1, 2), reads(A, 1);
    CHECK(found(NOTHING));
    // Too long after the grant, or of neither lease, it changes nothing.
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10);
    now += 0.002, released(A, 7);
    CHECK(!found(NOTHING));
    CHECK(checker->count == 2);
    CHECK(checker->violations[0].kind == FL_VIOLATION_GRANT_WHILE_LIVE);
    CHECK(checker->violations[1].kind == FL_VIOLATION_RELEASED_DEAD);
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 6, 10), released(B, 6);
    CHECK(!found(NOTHING));
    CHECK(checker->count == 2);
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10), granted(C, 9, 10), released(B, 8);
    CHECK(found_at(FL_VIOLATION_GRANT_WHILE_LIVE, 6)); // and not at 7
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10), released(A, 6); // an older one of its
    CHECK(!found(NOTHING));
    CHECK(checker->count == 2);
    begin(); // another lock's is another matter
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10);
    fl_history_event event = at_service(FL_EVENT_ACQUIRE, A, 7, FL_OUTCOME_GRANTED);
    event.lock = 1, event.lease = 1, see(for_seconds(event, 10));
    event.peer = B, event.token = 8, see(for_seconds(event, 10));
    released(A, 7);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    CHECK(checker->violations[0].lock == 1);
    // Where times are exact, the order is what it is.
    begin_by_rule(FL_SCENARIO_AT_LEAST);
    granted(A, 7, 10), granted(B, 8, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin_by_rule(FL_SCENARIO_AT_LEAST);
    writes(B, 8), writes(A, 7);
    CHECK(found(FL_VIOLATION_TOKEN_FELL));
}

// Both within the tolerance, in the order in which they are given.
static void a_refusal_before_or_after_its_reason(void) {
    begin();
    granted(A, 7, 10);
    now += 1, released(A, 7), now += 0.0005, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(NOTHING));
    begin();
    granted(A, 7, 10), released(A, 7);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD), now += 0.0005, granted(A, 8, 10);
    CHECK(found(NOTHING));
    begin();
    granted(A, 7, 10);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE), now += 0.0005, expired(A, 7);
    CHECK(found(NOTHING));
    begin();
    granted(A, 7, 10);
    now += 1, refused(FL_EVENT_RELEASE, A, 7, FL_REASON_NONE), now += 0.0005, released(A, 7);
    CHECK(found(NOTHING));
    begin();
    granted(A, 7, 10);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE), now += 0.0015, expired(A, 7);
    CHECK(found_at(FL_VIOLATION_RENEWAL_REFUSED, 6));
}

static void a_renewal_after_its_release(void) {
    begin();
    granted(A, 7, 10);
    now += 1, released(A, 7), now += 0.0005, renewed(A, 7, 10);
    now += 1, granted(B, 8, 10);
    CHECK(found(NOTHING));
    begin();
    granted(A, 7, 10);
    now += 1, released(A, 7), now += 0.0015, renewed(A, 7, 10);
    CHECK(found_at(FL_VIOLATION_RENEWED_DEAD, 7));
}

static void a_release_before_its_grant(void) {
    begin();
    released(A, 7), now += 0.0005, granted(A, 7, 10);
    now += 1, granted(B, 8, 10);
    CHECK(found(NOTHING));
    begin(); // where tokens are not told, it may be the one or the other
    released(A, -1), now += 0.0005, granted(A, -1, 10);
    now += 1, granted(B, -1, 10);
    CHECK(found(NOTHING));
    begin();
    granted(A, -1, 10), now += 0.0005, released(A, -1);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(NOTHING));
    // Of another lease it is none.
    begin();
    released(A, 6), now += 0.0005, granted(A, 7, 10);
    now += 1, granted(B, 8, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
}

static void many_in_one_instant(void) {
    begin();
    granted(A, 7, 10);
    now += 1, granted(B, 8, 10), granted(C, 9, 10), released(A, 7), released(B, 8);
    refused(FL_EVENT_ACQUIRE, A, -1, FL_REASON_HELD), released(C, 9);
    now += 1, granted(A, 10, 10);
    CHECK(found(NOTHING));
    // What is wrong in each order is found, and nothing else.
    begin();
    granted(A, 7, 10);
    now += 1, released(A, 7), refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    granted(C, 6, 10);
    CHECK(found_at(FL_VIOLATION_TOKEN_NOT_ABOVE, 8));
    // Many more than are tried in all orders, and at many locks.
    begin();
    for (uint32_t i = 0; i < 3000; i++) {
        fl_history_event event = at_service(FL_EVENT_ACQUIRE, A, i, FL_OUTCOME_GRANTED);
        event.lock = event.lease = i / 3;
        see(for_seconds(event, 10));
        event.kind = FL_EVENT_RELEASE, event.outcome = FL_OUTCOME_OK, see(event);
    }
    CHECK(found(NOTHING));
}

static void a_service_that_crashed_about_then(void) {
    static const fl_event_kind kinds[] = {FL_EVENT_CRASH, FL_EVENT_CLOCK_STEP};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        begin();
        happens_to(SERVICE, kinds[i]), now += 0.0005, granted(A, 7, 10);
        now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
        CHECK(found(NOTHING));
        begin();
        granted(A, 7, 10);
        now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
        now += 0.0005, happens_to(SERVICE, kinds[i]);
        CHECK(found(NOTHING));
    }
}

static void a_value_and_the_write_of_it(void) {
    begin();
    replaces(A, 7, 1, 2), now += 1;
    replaces(A, 7, 2, 3), now += 0.0005, reads(B, 2);
    now += 1, reads(B, 3);
    now += 1, reads(B, 4), now += 0.0005, replaces(A, 7, 3, 4);
    now += 1, replaces(A, 7, 5, 6), now += 0.0005, replaces(A, 7, 4, 5);
    now += 0.0005, reads(B, 5);
    now += 1, reads(B, 6); // the one or the other was the last
    CHECK(found(NOTHING));
    now += 1, reads(B, 5);
    CHECK(found_at(FL_VIOLATION_REJECTED_BUT_CHANGED, 15));
}

static void a_value_and_a_late_write(void) {
    fl_history_event late = at_storage(FL_EVENT_WRITE, B, 7, true);
    late.value = 9, late.flags = FL_TOLD_VALUE;
    begin();
    replaces(A, 7, 1, 2), now += 1, replaces(A, 7, 9, 3), now += 0.0005, unknown(late);
    CHECK(found(NOTHING));
}

static void two_updates_at_once(void) {
    begin();
    fences(A, 7), now += 1, reads(A, 5);
    now += 1, replaces(A, 7, 6, 7), now += 0.0005, replaces(A, 7, 5, 6);
    CHECK(found(NOTHING));
}

static void an_update_and_what_was_read(void) {
    begin();
    fences(A, 7), now += 0.0005, reads(A, 5); // or the other way round
    now += 1, replaces(B, 7, 5, 6), now += 1, replaces(A, 7, 6, 7);
    now += 1, reads(A, 7), now += 0.0005, replaces(A, 7, 7, 8), now += 0.0005, reads(A, 7);
    now += 1, replaces(A, 7, 8, 9);
    CHECK(found(NOTHING));
}

TEST_MAIN(TEST_CASE(what_may_have_come_in_the_other_order),
          TEST_CASE(a_refusal_before_or_after_its_reason), TEST_CASE(a_renewal_after_its_release),
          TEST_CASE(a_release_before_its_grant), TEST_CASE(many_in_one_instant),
          TEST_CASE(a_service_that_crashed_about_then), TEST_CASE(a_value_and_the_write_of_it),
          TEST_CASE(a_value_and_a_late_write), TEST_CASE(two_updates_at_once),
          TEST_CASE(an_update_and_what_was_read))
