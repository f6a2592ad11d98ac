#include "fencelock.h"

#include <math.h>

#include "test.h"

static const fl_lease_holder_options ordinary = {
    .lease_seconds = 10,
    .max_clock_skew_seconds = 0.25,
    .min_renew_lead_seconds = 2,
};

static const fl_lease_holder_options tight = {
    .lease_seconds = 3,
    .max_clock_skew_seconds = 0.25,
    .min_renew_lead_seconds = 2,
};

static fl_lease_holder start(const fl_lease_holder_options *options, double sent, double now) {
    fl_lease_holder holder;
    CHECK(fl_lease_holder_start(&holder, options, sent, now) == FL_OK);
    return holder;
}

// Steps until the holder sends or stops, and moves the time on to then.
static fl_lease_step run(fl_lease_holder *holder, double *now, uint32_t random) {
    for (;;) {
        fl_lease_step step = fl_lease_holder_step(holder, *now, random);
        if (step.action != FL_LEASE_WAIT) return step;
        CHECK(step.wake_at > *now);
        *now = step.wake_at;
    }
}

static void options_are_checked(void) {
    const struct {
        fl_lease_holder_options options;
        fl_lease_options_fault fault;
    } cases[] = {
        {{10, 0.25, 2, 0}, FL_LEASE_OPTIONS_GOOD},
        {{0, 0, 0, 0}, FL_LEASE_OPTIONS_LEASE},
        {{NAN, 0, 0, 0}, FL_LEASE_OPTIONS_LEASE},
        {{INFINITY, 0, 0, 0}, FL_LEASE_OPTIONS_LEASE},
        {{10, -1, 2, 0}, FL_LEASE_OPTIONS_SKEW},
        {{10, NAN, 2, 0}, FL_LEASE_OPTIONS_SKEW},
        {{10, 0, -1, 0}, FL_LEASE_OPTIONS_LEAD},
        {{10, 0, 0, 1}, FL_LEASE_OPTIONS_RATE},
        {{10, 0, 0, -0.1}, FL_LEASE_OPTIONS_RATE},
        {{10, 0, 0, NAN}, FL_LEASE_OPTIONS_RATE},
        {{2.25, 0.25, 2, 0}, FL_LEASE_OPTIONS_LEASE_TOO_SHORT},
        {{2.26, 0.25, 2, 0}, FL_LEASE_OPTIONS_GOOD},
        {{10, 4, 4, 0.2}, FL_LEASE_OPTIONS_LEASE_TOO_SHORT},
        {{10, 4, 4, 0.1}, FL_LEASE_OPTIONS_GOOD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(fl_lease_holder_options_check(&cases[i].options) == cases[i].fault);
        fl_lease_holder holder;
        fl_result result = fl_lease_holder_start(&holder, &cases[i].options, 0, 0);
        CHECK((result == FL_OK) == (cases[i].fault == FL_LEASE_OPTIONS_GOOD));
    }
}

// R14, F27: trust counts from the request, less the skew, less the clock's error.
static void trust_ends_at_the_instant(void) {
    fl_lease_holder holder = start(&ordinary, 100, 101);
    CHECK(fl_lease_holder_trusts(&holder, 109.749));
    CHECK(!fl_lease_holder_trusts(&holder, 109.75));
    const fl_lease_holder_options slow = {10, 0, 2, 0.05};
    holder = start(&slow, 0, 0);
    CHECK(holder.safe_until == 9.5);
}

// F16: a grant that took longer than its lease is worth nothing.
static void a_late_grant_is_not_held(void) {
    const fl_lease_holder_options brief = {.lease_seconds = 1};
    fl_lease_holder holder;
    CHECK(fl_lease_holder_start(&holder, &brief, 0, 1.4) == FL_REFUSED);
    CHECK(fl_lease_holder_start(&holder, &brief, 0, 1.0) == FL_REFUSED);
    CHECK(fl_lease_holder_start(&holder, &brief, 0, 0.999) == FL_OK);
}

static void renews_at_a_third_and_moves_the_instant(void) {
    fl_lease_holder holder = start(&ordinary, 0, 0.1);
    double now = 0.1;
    fl_lease_step step = run(&holder, &now, 0);
    CHECK(step.action == FL_LEASE_RENEW && step.attempt == 1);
    CHECK(fabs(now - 10.0 / 3) < 1e-9);
    fl_lease_holder_answer(&holder, now + 0.1, 1, FL_LEASE_RENEWED);
    CHECK(fabs(holder.safe_until - (now + 9.75)) < 1e-9);
    now += 0.1;
    step = run(&holder, &now, 0);
    CHECK(step.action == FL_LEASE_RENEW && step.attempt == 2);
    CHECK(fabs(now - 20.0 / 3) < 1e-9);
}

// R15, F20, F23: without any answer the tries thin out, and the holder is lost at the instant.
static void backs_off_and_is_lost_in_silence(void) {
    for (uint32_t seed = 0; seed < 1000; seed++) {
        uint32_t random = seed * 2654435761u;
        fl_lease_holder holder = start(&tight, 0, 0);
        double now = 0, last_gap = 0, last = 0, first = 0;
        int tries = 0;
        for (;;) {
            fl_lease_step step = run(&holder, &now, random ^ (random >> 7) * (uint32_t) tries);
            if (step.action == FL_LEASE_STOP) break;
            double gap = now - last;
            bool near_the_end = gap >= (holder.safe_until - last) * 0.499;
            if (tries >= 2) CHECK(gap > last_gap || near_the_end);
            last_gap = gap;
            last = now;
            if (tries == 0) first = now;
            tries++;
            if (now < first + 2) CHECK(tries <= 8);
        }
        CHECK(tries >= 4);
        CHECK(now == 2.75);
        CHECK(holder.state == FL_LEASE_LOST_EXPIRED);
    }
}

static void outlive_partitions(const fl_lease_holder_options *options, double length,
                               double round_trip) {
    for (int begin = 0; begin < 2000; begin++) {
        double from = begin * 0.005, to = from + length;
        fl_lease_holder holder = start(options, 0, 0);
        double now = 0;
        uint32_t random = (uint32_t) begin * 2654435761u;
        while (now < to + 20) {
            fl_lease_step step = run(&holder, &now, random);
            random = random * 1664525u + 1013904223u;
            if (step.action == FL_LEASE_STOP) break;
            // Both ways have to be open: the request's arrival and the answer's.
            bool asked = now + round_trip / 2 < from || now >= to;
            bool answered = now + round_trip < from || now + round_trip / 2 >= to;
            if (!asked || !answered) continue;
            fl_lease_holder_answer(&holder, now + round_trip, step.attempt, FL_LEASE_RENEWED);
            now += round_trip;
        }
        CHECK(holder.state == FL_LEASE_HELD);
    }
}

// I5: whenever a partition of the lead's length begins, a try gets through in time, with the round
// trip that the options leave room for; also when this clock makes it longer by the whole skew.
static void a_partition_of_the_lead_costs_nothing(void) {
    const fl_lease_holder_options *all[] = {&ordinary, &tight};
    for (int which = 0; which < 2; which++) {
        outlive_partitions(all[which], 2, 0.1);
        outlive_partitions(all[which], 2.25, 0.05);
    }
}

// A service that answers late is not asked all the more often: in 30 seconds a lease of 10 is
// renewed by 9 requests when they are answered at once, and by at most 24 however late.
static void a_slow_service_is_not_stormed(void) {
    for (int delay = 0; delay < 60; delay++) {
        fl_lease_holder holder = start(&ordinary, 0, 0);
        double answer_at[64];
        int sent = 0, answered = 0;
        double now = 0;
        while (now < 30) {
            fl_lease_step step = fl_lease_holder_step(&holder, now, (uint32_t) delay << 25);
            CHECK(step.action != FL_LEASE_STOP);
            if (step.action == FL_LEASE_RENEW) answer_at[sent++] = now + delay * 0.1;
            CHECK(sent <= 24);
            if (test_failed) return;
            bool answer_is_next = answered < sent && answer_at[answered] <= step.wake_at;
            now = answer_is_next ? answer_at[answered] : step.wake_at;
            if (!answer_is_next) continue;
            answered++;
            fl_lease_holder_answer(&holder, now, (uint32_t) answered, FL_LEASE_RENEWED);
        }
        if (delay == 0) CHECK(sent == 9);
    }
}

// R16, F24: late, repeated and reordered answers.
static void answers_only_move_the_instant_forward(void) {
    const fl_lease_holder_options options = {.lease_seconds = 3, .max_clock_skew_seconds = 0.25};
    fl_lease_holder holder = start(&options, 0, 0);
    double now = 1;
    CHECK(fl_lease_holder_step(&holder, now, 0).attempt == 1);
    now = 2;
    CHECK(fl_lease_holder_step(&holder, now, 0).attempt == 2);
    fl_lease_holder_answer(&holder, 2.2, 2, FL_LEASE_RENEWED);
    CHECK(holder.safe_until == 4.75);
    fl_lease_holder_answer(&holder, 2.5, 1, FL_LEASE_RENEWED);
    fl_lease_holder_answer(&holder, 2.6, 2, FL_LEASE_RENEWED);
    CHECK(holder.safe_until == 4.75);
    CHECK(fl_lease_holder_trusts(&holder, 4.749));
    // After the instant even a good answer comes too late.
    fl_lease_holder_answer(&holder, 4.75, 2, FL_LEASE_RENEWED);
    CHECK(holder.state == FL_LEASE_LOST_EXPIRED);
}

// R16, F19: an error is not a refusal.
static void a_refusal_loses_at_once_and_an_error_does_not(void) {
    fl_lease_holder holder = start(&ordinary, 0, 0);
    double now = 0;
    fl_lease_step step = run(&holder, &now, 0);
    fl_lease_holder_answer(&holder, now, step.attempt, FL_LEASE_FAILED);
    CHECK(holder.state == FL_LEASE_HELD);
    step = run(&holder, &now, 0);
    CHECK(step.attempt == 2);
    fl_lease_holder_answer(&holder, now, step.attempt, FL_LEASE_REFUSED);
    CHECK(holder.state == FL_LEASE_LOST_REFUSED);
    CHECK(!fl_lease_holder_trusts(&holder, now));
    fl_lease_holder_answer(&holder, now, step.attempt, FL_LEASE_RENEWED);
    CHECK(holder.state == FL_LEASE_LOST_REFUSED);
    CHECK(fl_lease_holder_step(&holder, now, 0).action == FL_LEASE_STOP);
}

// F17: nothing brings a released hold back to life.
static void released_is_released(void) {
    fl_lease_holder holder = start(&ordinary, 0, 0);
    double now = 0;
    fl_lease_step step = run(&holder, &now, 0);
    fl_lease_holder_release(&holder);
    fl_lease_holder_answer(&holder, now, step.attempt, FL_LEASE_RENEWED);
    fl_lease_holder_answer(&holder, now, step.attempt, FL_LEASE_REFUSED);
    CHECK(holder.state == FL_LEASE_RELEASED);
    CHECK(fl_lease_holder_step(&holder, now + 100, 0).action == FL_LEASE_STOP);
    CHECK(!fl_lease_holder_trusts(&holder, now));
}

// F25: a clock that stood still can't vouch for the lease; only the service can.
static void a_doubtful_holder_asks_before_it_trusts(void) {
    fl_lease_holder holder = start(&ordinary, 0, 0);
    CHECK(fl_lease_holder_step(&holder, 4, 0).attempt == 1);
    fl_lease_holder_doubt(&holder, 5);
    CHECK(!fl_lease_holder_trusts(&holder, 5));
    fl_lease_holder_answer(&holder, 5, 1, FL_LEASE_RENEWED);
    CHECK(!fl_lease_holder_trusts(&holder, 5)); // asked before the doubt
    fl_lease_step step = fl_lease_holder_step(&holder, 5, 0);
    CHECK(step.action == FL_LEASE_RENEW && step.attempt == 2);
    fl_lease_holder_answer(&holder, 5.1, 2, FL_LEASE_RENEWED);
    CHECK(fl_lease_holder_trusts(&holder, 5.1));
}

// A clock that steps back by more than the skew would stretch the lease.
static void a_clock_that_steps_back_is_doubted(void) {
    fl_lease_holder holder;
    CHECK(fl_lease_holder_start(&holder, &ordinary, 10, 9.9) == FL_REFUSED);
    holder = start(&ordinary, 100, 100);
    CHECK(fl_lease_holder_step(&holder, 104, 0).attempt == 1);
    CHECK(fl_lease_holder_trusts(&holder, 103.8)); // within the skew
    CHECK(!fl_lease_holder_trusts(&holder, 3));
    fl_lease_step step = fl_lease_holder_step(&holder, 3, 0);
    CHECK(step.action == FL_LEASE_RENEW && step.attempt == 2);
    CHECK(holder.safe_until == 3 + (109.75 - 104)); // no more is left than before
    CHECK(!fl_lease_holder_trusts(&holder, 3.1));
    fl_lease_holder_answer(&holder, 3.2, 1, FL_LEASE_RENEWED);
    CHECK(!fl_lease_holder_trusts(&holder, 3.2)); // asked before the step
    fl_lease_holder_answer(&holder, 3.2, 2, FL_LEASE_RENEWED);
    CHECK(fl_lease_holder_trusts(&holder, 3.2));
    CHECK(holder.safe_until == 3 + 9.75);
}

// F33 for the holder: far from zero the clock's resolution is coarse; every step still moves on.
static void works_far_from_zero(void) {
    const double origins[] = {2147483.648, 4294967.296, 8640000, 1e12, 4e15};
    for (int i = 0; i < 5; i++) {
        fl_lease_holder holder = start(&tight, origins[i], origins[i]);
        double now = origins[i];
        int tries = 0;
        while (run(&holder, &now, 12345).action == FL_LEASE_RENEW)
            tries++;
        CHECK(tries >= 1);
        CHECK(now == holder.safe_until);
    }
}

TEST_MAIN(TEST_CASE(options_are_checked), TEST_CASE(trust_ends_at_the_instant),
          TEST_CASE(a_late_grant_is_not_held), TEST_CASE(renews_at_a_third_and_moves_the_instant),
          TEST_CASE(backs_off_and_is_lost_in_silence),
          TEST_CASE(a_partition_of_the_lead_costs_nothing),
          TEST_CASE(a_slow_service_is_not_stormed),
          TEST_CASE(answers_only_move_the_instant_forward),
          TEST_CASE(a_refusal_loses_at_once_and_an_error_does_not), TEST_CASE(released_is_released),
          TEST_CASE(a_doubtful_holder_asks_before_it_trusts),
          TEST_CASE(a_clock_that_steps_back_is_doubted), TEST_CASE(works_far_from_zero))
