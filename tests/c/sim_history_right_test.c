// What other systems do for good reasons, and what nobody knows the outcome of, is no fault; what
// only looks like it is one.

#include "history_steps.h"

static void a_lock_taken_again_and_again(void) {
    begin();
    granted(A, 7, 10);
    now += 1, granted(A, 7, 10), now += 1, released(A, 7);
    now += 1, granted(A, 7, 10), now += 1, released(A, 7), now += 1, released(A, 7);
    now += 1, granted(B, 8, 10);
    CHECK(found(NOTHING));
    // Once B has it, what A had is over.
    now += 1, refused(FL_EVENT_RENEW, B, 8, FL_REASON_NOT_LIVE);
    CHECK(found(FL_VIOLATION_RENEWAL_REFUSED));
    begin();
    granted(A, 7, 10), now += 1, granted(A, 7, 10), now += 1, expired(A, 7);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(FL_VIOLATION_REFUSED_WHILE_FREE));
}

static void a_nested_lease_that_is_over(void) {
    begin(); // by its end
    granted(A, 7, 10), now += 1, granted(A, 7, 10);
    now += 11, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(FL_VIOLATION_REFUSED_WHILE_FREE));
    begin(); // as another shows that it has the lock
    granted_without_end(A, 7), now += 1, granted_without_end(A, 7), now += 1, renewed(B, 8, 10);
    now += 1, refused(FL_EVENT_RENEW, B, 8, FL_REASON_NONE);
    CHECK(found(FL_VIOLATION_RENEWAL_REFUSED));
}

static void a_nested_lease_is_judged_by_little(void) {
    begin();
    granted(A, 7, 10), now += 1, granted(A, 7, 10), now += 1, released(A, 7);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
    now += 1, renewed(A, 7, 10), refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
    CHECK(found(NOTHING));
    CHECK(checker->judged.decisions == 0);
}

static void an_acquire_that_nobody_knows(void) {
    const fl_history_event asks = at_service(FL_EVENT_ACQUIRE, B, -1, FL_OUTCOME_NONE);
    begin(); // A's lease is sure, and nobody else can have it
    granted(A, 7, 100), now += 1, see(asks);
    now += 1, granted(C, 8, 10);
    CHECK(found_at(FL_VIOLATION_GRANT_WHILE_LIVE, 7));
    begin();
    granted(A, 7, 100), now += 1, see(asks), now += 1, renewed(B, 8, 10);
    CHECK(found(FL_VIOLATION_RENEWED_DEAD));
    begin(); // but it may be had later
    granted(A, 7, 10), now += 1, see(asks), now += 1, released(A, 7);
    now += 1, refused(FL_EVENT_ACQUIRE, C, -1, FL_REASON_HELD);
    now += 1, renewed(B, 8, 10);
    CHECK(found(NOTHING));
    now += 1, refused(FL_EVENT_RENEW, B, 8, FL_REASON_NONE);
    CHECK(found(FL_VIOLATION_RENEWAL_REFUSED));
    begin(); // an expiry of the lease before it says nothing
    granted(A, 7, 10), now += 10.5, see(asks), now += 0.1, expired(A, 7);
    now += 1, refused(FL_EVENT_ACQUIRE, C, -1, FL_REASON_HELD);
    now += 1, renewed(B, 8, 10);
    CHECK(found(NOTHING));
    begin(); // until another has it
    see(asks), now += 1, granted(C, 8, 10), now += 1, released(C, 8);
    now += 1, refused(FL_EVENT_ACQUIRE, A, -1, FL_REASON_HELD);
    CHECK(found(FL_VIOLATION_REFUSED_WHILE_FREE));
    begin(); // and the holder may have it twice
    granted(A, 7, 10);
    now += 1, see(at_service(FL_EVENT_ACQUIRE, A, -1, FL_OUTCOME_NONE));
    now += 1, released(A, 7), now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    now += 1, renewed(A, 7, 10);
    CHECK(found(NOTHING));
    begin();
    granted_without_end(A, 7), now += 1, see(asks), now += 1, granted_without_end(A, 7);
    CHECK(found(NOTHING));
    for (uint32_t also = B; also <= C; also++) {
        begin(); // or have it already when it asks again
        fl_history_event other = asks;
        if (also == C) other.peer = C;
        granted(A, 7, 10), now += 1, released(A, 7), now += 1, see(other), see(asks);
        now += 1, granted(B, 8, 10), now += 1, released(B, 8), now += 1, granted(B, 8, 10);
        CHECK(found(NOTHING));
    }
}

static void a_renewal_or_release_that_nobody_knows(void) {
    begin();
    granted(A, 7, 10), now += 5, unknown(at_service(FL_EVENT_RENEW, A, 7, FL_OUTCOME_NONE));
    now += 7, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    now += 1, granted(A, 7, 10);
    CHECK(found(NOTHING));
    begin(); // until its end it lasts
    granted(A, 7, 10), now += 5, unknown(at_service(FL_EVENT_RENEW, A, 7, FL_OUTCOME_NONE));
    now += 1, granted(B, 8, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin(); // the release comes about after the next renewal
    granted(A, 7, 10), now += 1, unknown(at_service(FL_EVENT_RELEASE, A, 7, FL_OUTCOME_NONE));
    now += 1, renewed(A, 7, 10), now += 1, granted(B, 8, 10);
    CHECK(found(NOTHING));
    begin(); // but not of another lease
    granted(A, 7, 10), now += 1, unknown(at_service(FL_EVENT_RELEASE, A, 7, FL_OUTCOME_NONE));
    now += 1, granted(A, 8, 10), now += 1, granted(B, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin();
    granted(A, 7, 10), now += 1, unknown(at_service(FL_EVENT_RELEASE, B, 6, FL_OUTCOME_NONE));
    now += 1, granted(B, 8, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
}

static void a_refusal_for_a_reason_of_its_own(void) {
    begin();
    granted(A, 7, 10);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_LOST);
    now += 1, refused(FL_EVENT_RELEASE, A, 7, FL_REASON_LOST);
    CHECK(found(NOTHING));
    CHECK(checker->judged.decisions == 0);
    now += 1, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NOT_LIVE);
    CHECK(found(FL_VIOLATION_RENEWAL_REFUSED));
}

static void a_holder_that_was_not_seen(void) {
    fl_history_event refusal = at_service(FL_EVENT_ACQUIRE, C, -1, FL_OUTCOME_REFUSED);
    refusal.reason = FL_REASON_HELD;
    for (uint32_t holder = A; holder <= B; holder++) {
        begin();
        granted(A, 7, 10), refusal.holder = holder;
        now += 12, see(refusal);
        CHECK(found(holder == A ? FL_VIOLATION_REFUSED_WHILE_FREE : NOTHING));
    }
    now += 1, renewed(B, 8, 10), now += 1, granted(C, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin();
    granted(A, 7, 10);
    now += 1, see(refusal); // A's goes on
    now += 1, granted(C, 9, 10);
    CHECK(found(FL_VIOLATION_GRANT_WHILE_LIVE));
}

static void a_renewal_of_what_another_took_over(void) {
    begin();
    granted_without_end(A, 1), now += 1, granted_without_end(B, 2);
    now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK));
    CHECK(found_at(FL_VIOLATION_RENEWED_DEAD, 7));
    now += 1, see(at_service(FL_EVENT_RENEW, B, 2, FL_OUTCOME_OK));
    CHECK(found_at(FL_VIOLATION_RENEWED_DEAD, 7));
    now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK)); // and again
    fl_history_settle(history, INFINITY);
    CHECK(checker->count == 2);
    begin(); // nor does it hold it then
    granted_without_end(A, 1), now += 1, granted_without_end(B, 2);
    for (int i = 0; i < 3; i++)
        now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK));
    fl_history_settle(history, INFINITY);
    CHECK(checker->count == 3);
    begin(); // it may go on with another token of its own
    granted_without_end(A, 1), now += 1, see(at_service(FL_EVENT_RENEW, A, 2, FL_OUTCOME_OK));
    now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK));
    CHECK(found(NOTHING));
    begin(); // its own it may hold twice
    granted_without_end(A, 1), now += 1, granted_without_end(A, 2);
    now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK));
    CHECK(found(NOTHING));
    begin(); // and a renewal counts, where the grant is not told
    granted_without_end(A, 1), now += 1, see(at_service(FL_EVENT_RENEW, B, 2, FL_OUTCOME_OK));
    now += 1, see(at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK));
    CHECK(found(FL_VIOLATION_RENEWED_DEAD));
}

static void a_refusal_of_what_was_given_back(void) {
    begin();
    granted_without_end(A, 1), now += 1, released(A, 1);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(FL_VIOLATION_REFUSED_WHILE_FREE));
    CHECK(checker->judged.decisions == 1);
    // Another's release, or expiry, ends nothing.
    begin();
    granted_without_end(A, 2), now += 1, released(B, 1), expired(B, -1), expired(A, 1);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(NOTHING));
    begin(); // nor one of what is not known
    released(A, 1), expired(A, 1);
    now += 1, refused(FL_EVENT_ACQUIRE, B, -1, FL_REASON_HELD);
    CHECK(found(NOTHING));
}

static void a_clock_set_back_after_the_end(void) {
    begin();
    granted(A, 7, 10), now += 11, refused(FL_EVENT_RENEW, A, 7, FL_REASON_NONE);
    now += 1, happens_to(SERVICE, FL_EVENT_CLOCK_STEP);
    now += 1, renewed(A, 7, 10);
    CHECK(found(NOTHING));
}

// Values -----------------------------------------------------------------------------------------

static void a_write_that_nobody_knows(void) {
    fl_history_event late = at_storage(FL_EVENT_WRITE, A, 7, true);
    late.value = 9, late.flags = FL_TOLD_VALUE;
    begin();
    replaces(A, 7, 1, 2), now += 1, unknown(late);
    now += 1, reads(A, 2), now += 1, reads(A, 9), now += 1, reads(A, 9);
    CHECK(found(NOTHING));
    now += 1, reads(A, 3);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
    begin(); // two of them, or one of no told value
    replaces(A, 7, 1, 2), now += 1, unknown(late), late.value = 8, unknown(late), late.value = 9;
    now += 1, reads(A, 9), now += 1, reads(A, 8);
    CHECK(found(NOTHING));
    begin(); // an accepted token above its own shuts it out
    replaces(A, 7, 1, 2), now += 1, unknown(late), now += 1, fences(B, 8);
    now += 1, reads(A, 8);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
    begin(); // but it may have come about before that
    replaces(A, 7, 1, 2), now += 1, unknown(late), now += 1, fences(B, 8);
    now += 0.0005, reads(A, 2), now += 1, reads(A, 9);
    CHECK(found(NOTHING));
    now += 1, reads(A, 2);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
    begin();
    replaces(A, 7, 1, 2), now += 1, unknown(late), now += 1, fences(B, 8);
    now += 1, reads(A, 2), now += 1, reads(A, 9);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
    begin(); // what replaces it tells it
    replaces(A, 7, 1, 2), now += 1, unknown(late), now += 1, replaces(B, 8, 9, 3);
    CHECK(found(NOTHING));
    now += 1, reads(A, 9);
    CHECK(found(FL_VIOLATION_REJECTED_BUT_CHANGED));
    begin(); // where it has one
    late.token = -1, replaces(A, 7, 1, 2), now += 1, unknown(late), now += 1, fences(B, 8);
    now += 1, reads(A, 9);
    CHECK(found(NOTHING));
}

static void an_update_that_is_tried_again(void) {
    fl_history_event attempt = at_storage(FL_EVENT_WRITE, A, 7, true);
    begin();
    fences(A, 7), now += 1, reads(A, 1), now += 1, unknown(attempt);
    now += 1, replaces(A, 7, 2, 2);
    CHECK(found(NOTHING));
    begin(); // it may come about after the next read too, and after the same fence
    fences(A, 7), now += 1, reads(A, 1), now += 1, unknown(attempt);
    now += 1, reads(A, 1), now += 1, replaces(A, 7, 2, 3);
    now += 1, fences(A, 7), now += 1, reads(A, 3), now += 1, replaces(A, 7, 2, 4);
    CHECK(checker->judged.updates == 0);
    now += 1, fences(A, 8), now += 1, reads(A, 4), now += 1, replaces(A, 8, 4, 5);
    CHECK(checker->judged.updates == 1);
    begin(); // a write of no told value
    fences(A, 7), now += 1, reads(A, 1), now += 1, see(attempt);
    now += 1, replaces(A, 7, 2, 3);
    CHECK(found(NOTHING));
}

static void the_highest_judged_by_is_told(void) {
    begin();
    rejected(FL_EVENT_WRITE, 9, 8, FL_REASON_NONE);
    CHECK(found(FL_VIOLATION_WRITE_WRONGLY_REJECTED));
    CHECK(checker->violations[0].other == 8);
    begin();
    rejected(FL_EVENT_FENCE, 9, 8, FL_REASON_NONE);
    CHECK(found(FL_VIOLATION_FENCE_WRONGLY_REJECTED));
    CHECK(checker->violations[0].other == 8);
    begin();
    fl_history_event event = at_storage(FL_EVENT_FENCE, A, 9, true);
    event.highest = 8, event.flags = FL_TOLD_HIGHEST, unknown(event);
    CHECK(found(NOTHING));
    begin(); // the higher one of what it says and what it took
    writes(B, 9), now += 1, rejected(FL_EVENT_WRITE, 9, 8, FL_REASON_STALE);
    CHECK(found(NOTHING));
}

static void a_token_may_be_used_once_after_a_fence(void) {
    begin_by_rule(FL_SCENARIO_ABOVE);
    writes(A, 7), now += 1, fences(A, 8), now += 1, writes(A, 8);
    CHECK(found(NOTHING));
    now += 1, writes(A, 8);
    CHECK(found(FL_VIOLATION_WRITE_WRONGLY_ACCEPTED));
    begin(); // a storage without fencing lets all believe in it
    writes(B, 9);
    fl_history_event event = at_storage(FL_EVENT_FENCE, A, 7, true);
    event.flags = FL_EVENT_STALE;
    now += 1, see(event), unknown(at_storage(FL_EVENT_FENCE, A, 12, true));
    now += 1, writes(B, 9);
    CHECK(found(NOTHING));
}

// Trust ------------------------------------------------------------------------------------------

static void trust_that_a_crash_ends(void) {
    begin();
    trusts(A, 7, INFINITY), now += 1, trusts(B, 8, 5);
    now += 2, happens_to(A, FL_EVENT_CRASH); // until then it went on
    CHECK(found_at(FL_VIOLATION_TWO_HOLDERS, 6));
    begin(); // at once, or about then
    trusts(A, 7, INFINITY), now += 1, trusts(B, 8, 5);
    now += 0.0005, happens_to(A, FL_EVENT_CRASH), trusts(A, 7, INFINITY);
    now += 1, trusts(B, 8, 10), now += 1, distrusts(A, 7);
    CHECK(found(NOTHING));
    begin(); // in each of its locks, and in no other client's
    fl_history_event event = event_of(FL_EVENT_TRUST, A, FL_NOBODY, 7);
    for (event.lock = 0; event.lock < 30; event.lock++)
        see(event);
    event.node = B, event.lock = 3, now += 1, see(for_seconds(event, 100));
    event.lock = 5, see(for_seconds(event, 100));
    event.node = C, event.lock = 5, now += 1, see(event);
    now += 1, happens_to(A, FL_EVENT_CRASH);
    fl_history_settle(history, INFINITY);
    CHECK(checker->count == 3);
    event.node = A, event.lock = 7, now += 1, see(event), now += 1, distrusts(A, -1);
    fl_history_settle(history, INFINITY);
    CHECK(checker->count == 3);
}

static void trust_that_goes_on_after_sleep(void) {
    begin();
    trusts(A, 7, 100), now += 1, happens_to(A, FL_EVENT_SUSPEND);
    now += 4, trusts(B, 8, 50);
    now += 5, happens_to(A, FL_EVENT_WAKE);
    now += 1, distrusts(A, 7);
    CHECK(found_at(FL_VIOLATION_TWO_HOLDERS, 8));
    CHECK(checker->violations[0].node == A);
    begin(); // not when it looks first
    trusts(A, 7, 100), now += 1, happens_to(A, FL_EVENT_SUSPEND);
    now += 4, trusts(B, 8, 50);
    now += 5, happens_to(A, FL_EVENT_WAKE), distrusts(A, 7);
    CHECK(found(NOTHING));
    begin(); // nor when it falls asleep at once
    trusts(B, 8, 50), now += 1, trusts(A, 7, 100);
    now += 0.0005, happens_to(A, FL_EVENT_SUSPEND);
    CHECK(found(NOTHING));
    begin(); // nor twice
    trusts(B, 8, 50), trusts(A, 7, 100), now += 1, happens_to(A, FL_EVENT_SUSPEND);
    now += 5, happens_to(A, FL_EVENT_WAKE), now += 1;
    CHECK(found(FL_VIOLATION_TWO_HOLDERS));
    begin(); // where its end is not told, when it is known that it went on
    trusts(A, 7, INFINITY), now += 1, happens_to(A, FL_EVENT_SUSPEND);
    now += 4, trusts(B, 8, 50);
    now += 5, happens_to(A, FL_EVENT_WAKE), now += 1;
    CHECK(found(NOTHING));
    distrusts(A, 7);
    CHECK(found_at(FL_VIOLATION_TWO_HOLDERS, 8));
    begin(); // a crash ends its sleep, too
    happens_to(A, FL_EVENT_SUSPEND), now += 1, happens_to(A, FL_EVENT_CRASH);
    now += 1, trusts(A, 7, 10), now += 1, trusts(B, 8, 10);
    CHECK(found(FL_VIOLATION_TWO_HOLDERS));
}

static void trust_in_another_lease(void) {
    begin(); // given up with another token, it goes on
    trusts(A, 7, INFINITY), now += 1, distrusts(A, 6);
    now += 1, trusts(B, 8, 10), now += 1, distrusts(A, 7);
    CHECK(found(FL_VIOLATION_TWO_HOLDERS));
    begin(); // taken up with another token, it has begun anew
    trusts(A, 7, INFINITY), now += 1, trusts(B, 8, 1);
    now += 2, trusts(A, 9, INFINITY), now += 1, distrusts(A, 9);
    CHECK(found(NOTHING));
    begin();
    trusts(A, 7, 10), now += 1, trusts(B, 8, INFINITY), now += 1, trusts(A, 9, 10);
    now += 1, distrusts(B, 8);
    fl_history_settle(history, INFINITY);
    CHECK(checker->count == 2);
    CHECK(checker->violations[1].sequence == 6 || checker->violations[1].sequence == 7);
}

TEST_MAIN(TEST_CASE(a_lock_taken_again_and_again), TEST_CASE(a_nested_lease_that_is_over),
          TEST_CASE(a_nested_lease_is_judged_by_little), TEST_CASE(an_acquire_that_nobody_knows),
          TEST_CASE(a_renewal_or_release_that_nobody_knows),
          TEST_CASE(a_refusal_for_a_reason_of_its_own), TEST_CASE(a_holder_that_was_not_seen),
          TEST_CASE(a_renewal_of_what_another_took_over),
          TEST_CASE(a_refusal_of_what_was_given_back), TEST_CASE(a_clock_set_back_after_the_end),
          TEST_CASE(a_write_that_nobody_knows), TEST_CASE(an_update_that_is_tried_again),
          TEST_CASE(the_highest_judged_by_is_told),
          TEST_CASE(a_token_may_be_used_once_after_a_fence), TEST_CASE(trust_that_a_crash_ends),
          TEST_CASE(trust_that_goes_on_after_sleep), TEST_CASE(trust_in_another_lease))
