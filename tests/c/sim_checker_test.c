// The checker, on histories made by hand: each way to break a rule is reported, once and as what it
// is, and what only looks like one is not.

#include "../../c/sim/invariants.h"
#include "test.h"

#define SECOND FL_TICKS_PER_SECOND
#define A FL_NODE_CLIENT
#define B (FL_NODE_CLIENT + 1)
#define NOTHING FL_VIOLATION_KINDS

static fl_scenario scenario;
static fl_checker checker;
static uint32_t sequence;
static double now;

static fl_scenario_client a_client(void) {
    return (fl_scenario_client){
        .renews = true, .fences = true, .cycles = 1, .retry = SECOND / 2, .clock = {.rate = 1}};
}

// Two clients, one lock and one key; a lease of 10 seconds, of which 9.75 are trusted. The network
// may lose messages, so that I5 is not promised.
static void plan(void) {
    memset(&scenario, 0, sizeof scenario);
    scenario.lease = 10 * SECOND;
    scenario.first_token = 1;
    scenario.until = 100 * SECOND;
    scenario.max_clock_skew = SECOND / 4;
    scenario.min_renew_lead = 2 * SECOND;
    scenario.service_clock.rate = 1;
    scenario.storage_clock.rate = 1;
    scenario.latency_max = SECOND / 100;
    scenario.loss = 0.1;
    scenario.timeout = SECOND / 2;
    scenario.calm_from = FL_NEVER;
    scenario.client_count = 2;
    for (int i = 0; i < 2; i++)
        scenario.clients[i] = a_client();
}

static void begin(void) {
    fl_checker_begin(&checker, &scenario);
    sequence = 0;
    now = 0;
}

static void begin_plain(void) {
    plan();
    begin();
}

static fl_event event_of(fl_event_kind kind, uint8_t node, uint8_t peer, double token) {
    return (fl_event){.kind = (uint8_t) kind,
                      .node = node,
                      .peer = peer,
                      .other = FL_NODE_NONE,
                      .until = -1,
                      .token = token,
                      .highest = -1};
}

static void see(fl_event event) {
    event.time = now * SECOND;
    event.local_time = event.time;
    fl_checker_observe(&checker, &event, sequence++);
}

static void at_service(fl_event_kind kind, uint8_t client, double token, fl_outcome outcome) {
    fl_event event = event_of(kind, FL_NODE_SERVICE, client, token);
    event.outcome = (uint8_t) outcome;
    event.message = 1;
    see(event);
}

static void granted(uint8_t client, double token) {
    at_service(FL_EVENT_ACQUIRE, client, token, FL_OUTCOME_GRANTED);
}

static void granted_when_the_clock_reads(double seconds, uint8_t client, double token) {
    fl_event event = event_of(FL_EVENT_ACQUIRE, FL_NODE_SERVICE, client, token);
    event.outcome = FL_OUTCOME_GRANTED;
    event.message = 1;
    event.time = now * SECOND;
    event.local_time = seconds * SECOND;
    fl_checker_observe(&checker, &event, sequence++);
}

static void refused(uint8_t client) {
    at_service(FL_EVENT_ACQUIRE, client, -1, FL_OUTCOME_REFUSED);
}

static void asks(uint8_t client) {
    fl_event event = event_of(FL_EVENT_SEND, client, FL_NODE_SERVICE, -1);
    event.operation = FL_OPERATION_ACQUIRE;
    event.message = 1;
    event.until = (now + 0.01) * SECOND;
    see(event);
}

static void trusts(uint8_t client, double token, double until) {
    fl_event event = event_of(FL_EVENT_TRUST, client, FL_NODE_NONE, token);
    event.until = until * SECOND;
    see(event);
}

static void distrusts(uint8_t client, double token, fl_reason reason) {
    fl_event event = event_of(FL_EVENT_DISTRUST, client, FL_NODE_NONE, token);
    event.reason = (uint8_t) reason;
    see(event);
}

static void happens_to(uint8_t node, fl_event_kind kind) {
    see(event_of(kind, node, FL_NODE_NONE, -1));
}

static void at_storage(fl_event_kind kind, uint8_t client, double token, bool accepted) {
    fl_event event = event_of(kind, FL_NODE_STORAGE, client, token);
    event.outcome = accepted ? FL_OUTCOME_ACCEPTED : FL_OUTCOME_REJECTED;
    see(event);
}

static void writes(uint8_t client, double token, bool accepted, uint32_t previous, uint32_t value) {
    fl_event event = event_of(FL_EVENT_WRITE, FL_NODE_STORAGE, client, token);
    event.outcome = accepted ? FL_OUTCOME_ACCEPTED : FL_OUTCOME_REJECTED;
    event.previous = previous;
    event.value = value;
    see(event);
}

// A client fences, reads and gets the answer.
static void reads(uint8_t client, double token, uint32_t value) {
    at_storage(FL_EVENT_FENCE, client, token, true);
    fl_event event = event_of(FL_EVENT_READ, FL_NODE_STORAGE, client, token);
    event.value = value;
    see(event);
    event = event_of(FL_EVENT_DELIVER, client, FL_NODE_STORAGE, token);
    event.operation = FL_OPERATION_READ;
    event.flags = FL_EVENT_REPLY;
    event.value = value;
    see(event);
}

// Whether just this was reported so far, or nothing at all.
static bool reported(fl_violation_kind kind) {
    if (kind == NOTHING) return checker.count == 0;
    return checker.count == 1 && checker.violations[0].kind == kind;
}

// The lock service -----------------------------------------------------------------------------

static void what_goes_well_is_not_reported(void) {
    begin_plain();
    asks(A), granted(A, 1), trusts(A, 1, 9.75);
    now = 1, reads(A, 1, 0), refused(B);
    now = 3, at_service(FL_EVENT_RENEW, A, 1, FL_OUTCOME_OK), trusts(A, 1, 12.75);
    now = 4, writes(A, 1, true, 0, 7), distrusts(A, 1, FL_REASON_RELEASED);
    now = 5, at_service(FL_EVENT_RELEASE, A, 1, FL_OUTCOME_OK), granted(B, 2), trusts(B, 2, 14.75);
    now = 6, writes(A, 1, true, 7, 8), writes(B, 2, true, 8, 9), writes(A, 1, false, 9, 9);
    fl_checker_end(&checker, 10.0 * SECOND);
    fl_checker_see_key(&checker, 0, 9, 2);
    CHECK(reported(NOTHING));
}

static void a_grant_while_a_lease_is_live(void) {
    begin_plain();
    granted(A, 1);
    now = 9.999, granted(B, 2);
    CHECK(reported(FL_VIOLATION_GRANT_WHILE_LIVE));
    begin();
    granted(A, 1);
    now = 10, granted(B, 2);
    CHECK(reported(NOTHING));
}

static void a_token_that_is_not_the_next(void) {
    static const double tokens[] = {1, 3, 0};
    for (int i = 0; i < 3; i++) {
        begin_plain();
        granted(A, 1), at_service(FL_EVENT_RELEASE, A, 1, FL_OUTCOME_OK);
        happens_to(FL_NODE_SERVICE, FL_EVENT_CRASH), happens_to(FL_NODE_SERVICE, FL_EVENT_RESTART);
        now = 10, granted(B, tokens[i]);
        CHECK(reported(FL_VIOLATION_TOKEN_NOT_NEXT));
    }
}

static void a_grant_before_the_old_leases_are_waited_out(void) {
    begin_plain();
    granted(A, 1), happens_to(FL_NODE_SERVICE, FL_EVENT_CRASH);
    now = 3, happens_to(FL_NODE_SERVICE, FL_EVENT_RESTART);
    now = 12, refused(B);
    CHECK(reported(NOTHING));
    now = 12.999, granted(B, 2);
    CHECK(reported(FL_VIOLATION_GRANT_AFTER_RESTART));
    // That its clock went on and then back does not bring the old leases to life again (R7).
    begin();
    granted(A, 1), happens_to(FL_NODE_SERVICE, FL_EVENT_CRASH);
    now = 3, happens_to(FL_NODE_SERVICE, FL_EVENT_RESTART);
    now = 13, happens_to(FL_NODE_SERVICE, FL_EVENT_CLOCK_STEP);
    now = 13.1, granted_when_the_clock_reads(5, B, 2);
    CHECK(reported(NOTHING));
}

static void the_instant_at_which_a_lease_ends(void) {
    begin_plain();
    granted(A, 1);
    now = 10, refused(B);
    CHECK(reported(FL_VIOLATION_REFUSED_WHILE_FREE));
    begin();
    granted(A, 1);
    now = 10, at_service(FL_EVENT_EXPIRE, A, 1, FL_OUTCOME_REFUSED);
    CHECK(reported(FL_VIOLATION_LIVE_AT_ITS_END));
}

static void renewals_and_releases_of_what_is_live_and_what_is_not(void) {
    static const struct {
        fl_event_kind kind;
        double time;
        double token;
        fl_outcome outcome;
        fl_violation_kind violation;
    } cases[] = {
        {FL_EVENT_RENEW, 9.9, 1, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RENEW, 10, 1, FL_OUTCOME_REFUSED, NOTHING},
        {FL_EVENT_RENEW, 10, 1, FL_OUTCOME_OK, FL_VIOLATION_RENEWED_DEAD},
        {FL_EVENT_RENEW, 5, 2, FL_OUTCOME_OK, FL_VIOLATION_RENEWED_DEAD},
        {FL_EVENT_RENEW, 9.9, 1, FL_OUTCOME_REFUSED, FL_VIOLATION_RENEWAL_REFUSED},
        {FL_EVENT_RELEASE, 9.9, 1, FL_OUTCOME_OK, NOTHING},
        {FL_EVENT_RELEASE, 10, 1, FL_OUTCOME_REFUSED, NOTHING},
        {FL_EVENT_RELEASE, 10, 1, FL_OUTCOME_OK, FL_VIOLATION_RELEASED_DEAD},
        {FL_EVENT_RELEASE, 9.9, 1, FL_OUTCOME_REFUSED, FL_VIOLATION_RELEASE_REFUSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_plain();
        granted(A, 1);
        now = cases[i].time;
        at_service(cases[i].kind, A, cases[i].token, cases[i].outcome);
        CHECK(reported(cases[i].violation));
    }
}

static void a_retry_that_finds_its_own_grant(void) {
    begin_plain();
    asks(A), granted(A, 1);
    now = 1, asks(A), refused(A);
    CHECK(reported(FL_VIOLATION_GRANT_FORGOTTEN));
    // One that crashed in between is another asker.
    begin();
    asks(A), granted(A, 1), happens_to(A, FL_EVENT_CRASH);
    now = 1, asks(A), refused(A);
    CHECK(reported(NOTHING));
}

// The storage ----------------------------------------------------------------------------------

static void a_token_that_falls(void) {
    begin_plain();
    writes(B, 2, true, 0, 1), writes(A, 1, true, 1, 2);
    CHECK(reported(FL_VIOLATION_TOKEN_FELL));
    begin();
    at_storage(FL_EVENT_FENCE, B, 2, true), writes(A, 1, true, 0, 2);
    CHECK(reported(FL_VIOLATION_TOKEN_FELL));
    begin();
    writes(B, 2, true, 0, 1), at_storage(FL_EVENT_FENCE, A, 1, true);
    CHECK(reported(FL_VIOLATION_TOKEN_FELL));
}

static void a_rejected_write_that_changed_the_value(void) {
    begin_plain();
    writes(B, 2, true, 0, 1), writes(A, 1, false, 1, 2), writes(B, 2, true, 2, 3);
    CHECK(reported(FL_VIOLATION_REJECTED_BUT_CHANGED));
    // Where nobody looks afterwards, the last look finds it.
    static const struct {
        uint32_t value;
        double highest;
    } ends[] = {{2, 2}, {1, 1}, {1, 3}, {1, -1}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        begin();
        writes(B, 2, true, 0, 1), writes(A, 1, false, 1, 2);
        fl_checker_end(&checker, 10.0 * SECOND);
        CHECK(reported(NOTHING));
        fl_checker_see_key(&checker, 0, ends[i].value, ends[i].highest);
        fl_checker_see_key(&checker, 0, ends[i].value, ends[i].highest);
        CHECK(reported(FL_VIOLATION_CHANGED_AT_LAST));
    }
}

static void a_good_token_that_is_rejected(void) {
    begin_plain();
    writes(A, 1, true, 0, 1), writes(A, 1, false, 1, 2);
    CHECK(reported(FL_VIOLATION_WRITE_WRONGLY_REJECTED));
    begin();
    writes(A, 1, true, 0, 1), at_storage(FL_EVENT_FENCE, A, 1, false);
    CHECK(reported(FL_VIOLATION_FENCE_WRONGLY_REJECTED));
    scenario.fencing = FL_SCENARIO_ABOVE;
    begin();
    at_storage(FL_EVENT_FENCE, A, 1, true), writes(A, 1, true, 0, 1), writes(A, 1, false, 1, 2);
    CHECK(reported(NOTHING));
    writes(A, 1, true, 1, 2);
    CHECK(reported(FL_VIOLATION_WRITE_WRONGLY_ACCEPTED));
    begin();
    at_storage(FL_EVENT_FENCE, A, 1, true), writes(A, 1, false, 0, 1);
    CHECK(reported(FL_VIOLATION_WRITE_WRONGLY_REJECTED));
}

static void an_update_that_is_lost(void) {
    begin_plain();
    reads(A, 1, 0), writes(B, 1, true, 0, 5), writes(A, 1, true, 5, 6);
    CHECK(reported(FL_VIOLATION_LOST_UPDATE));
    // It is lost, too, when the one that read has crashed before its write arrives.
    begin();
    reads(A, 1, 0), writes(B, 1, true, 0, 5), happens_to(A, FL_EVENT_CRASH);
    writes(A, 1, true, 5, 6);
    CHECK(reported(FL_VIOLATION_LOST_UPDATE));
    // A client's own writes in a row are not lost ones, nor are those that read nothing.
    begin();
    reads(A, 1, 0), writes(A, 1, true, 0, 5), writes(A, 1, true, 5, 6);
    happens_to(A, FL_EVENT_CRASH), writes(A, 2, true, 6, 7);
    CHECK(reported(NOTHING));
}

static void a_write_that_is_taken_twice(void) {
    begin_plain();
    writes(A, 1, true, 0, 5), writes(A, 1, true, 5, 6), writes(A, 1, true, 6, 5);
    CHECK(reported(FL_VIOLATION_WRITTEN_TWICE));
    begin(); // a late one that is rejected is not taken
    writes(A, 1, true, 0, 5), writes(A, 2, true, 5, 7), writes(A, 1, false, 7, 6);
    CHECK(reported(NOTHING));
}

// The clients ----------------------------------------------------------------------------------

static void two_that_trust_at_once(void) {
    begin_plain();
    granted(A, 1), trusts(A, 1, 9.75);
    now = 10, granted(B, 2), trusts(B, 2, 19.75);
    CHECK(reported(NOTHING));
    distrusts(A, 1, FL_REASON_EXPIRED); // at the same instant: they hand over
    now = 11, refused(A);
    CHECK(reported(NOTHING));

    begin();
    granted(A, 1), trusts(A, 1, 9.75);
    now = 10, granted(B, 2), trusts(B, 2, 19.75);
    now = 10.1, distrusts(A, 1, FL_REASON_EXPIRED);
    CHECK(reported(FL_VIOLATION_TWO_HOLDERS));

    // What matters is the clock of the one that should have let go.
    scenario.clients[0].clock.rate = 0.5;
    for (int other_rate = 1; other_rate <= 2; other_rate++) {
        scenario.clients[1].clock.rate = other_rate == 1 ? 1 : 0.5;
        begin();
        trusts(A, 1, 9.75), trusts(B, 2, 9.75);
        now = 1, refused(A);
        CHECK(checker.violations[0].kind == FL_VIOLATION_TWO_HOLDERS_BY_CLOCKS);
        begin();
        trusts(B, 1, 9.75), trusts(A, 2, 9.75);
        now = 1, refused(A);
        CHECK(checker.violations[0].kind ==
              (other_rate == 1 ? FL_VIOLATION_TWO_HOLDERS : FL_VIOLATION_TWO_HOLDERS_BY_CLOCKS));
    }
}

static void one_that_sleeps_trusts_only_when_it_wakes(void) {
    begin_plain();
    granted(A, 1), trusts(A, 1, 9.75), happens_to(A, FL_EVENT_SUSPEND);
    now = 10, granted(B, 2), trusts(B, 2, 19.75);
    now = 12, happens_to(A, FL_EVENT_WAKE), distrusts(A, 1, FL_REASON_SLEPT);
    now = 13, refused(A);
    CHECK(reported(NOTHING));
    begin();
    granted(A, 1), trusts(A, 1, 9.75), happens_to(A, FL_EVENT_SUSPEND);
    now = 10, granted(B, 2), trusts(B, 2, 19.75);
    now = 12, happens_to(A, FL_EVENT_WAKE);
    now = 12.001, distrusts(A, 1, FL_REASON_SLEPT);
    CHECK(reported(FL_VIOLATION_TWO_HOLDERS));
}

static void a_lock_that_a_short_partition_costs(void) {
    plan();
    scenario.loss = 0;
    scenario.fault_count = 1;
    scenario.faults[0] = (fl_fault){.kind = FL_FAULT_PARTITION,
                                    .node = A,
                                    .peer = FL_NODE_SERVICE,
                                    .from = 3 * SECOND,
                                    .to = 5 * SECOND};
    begin();
    trusts(A, 1, 9.75);
    now = 9.75, distrusts(A, 1, FL_REASON_EXPIRED);
    CHECK(reported(FL_VIOLATION_LOST_IN_PARTITION));
    begin();
    trusts(A, 1, 9.75), distrusts(A, 1, FL_REASON_RELEASED);
    CHECK(reported(NOTHING));
    begin(); // a lease that came late was short from the start
    trusts(A, 1, 9), distrusts(A, 1, FL_REASON_EXPIRED);
    CHECK(reported(NOTHING));
}

static void what_i5_is_judged_by(void) {
    plan();
    scenario.loss = 0;
    scenario.lease =
        3 * SECOND; // so 2.75 are trusted; 0.25 are kept for the skew, and 0.5 are slack
    fl_fault cut = {.kind = FL_FAULT_PARTITION,
                    .node = A,
                    .peer = FL_NODE_SERVICE,
                    .from = 3 * SECOND,
                    .to = 5 * SECOND};
    scenario.faults[0] = cut;
    scenario.faults[1] = cut;
    scenario.faults[1].from = 8 * SECOND;
    scenario.faults[1].to = 9 * SECOND;
    scenario.fault_count = 2;
    begin();
    CHECK(checker.i5_is_promised);
    scenario.faults[1].from--; // no lease between the two
    begin();
    CHECK(!checker.i5_is_promised);
    scenario.faults[1] = (fl_fault){.kind = FL_FAULT_CLOCK_STEP, .node = A};
    static const fl_ticks good_steps[] = {-SECOND / 4, 0, SECOND / 4};
    static const fl_ticks bad_steps[] = {-SECOND / 4 - 1, SECOND / 3};
    for (size_t i = 0; i < sizeof good_steps / sizeof good_steps[0]; i++) {
        scenario.faults[1].by = good_steps[i];
        begin();
        CHECK(checker.i5_is_promised);
    }
    for (size_t i = 0; i < sizeof bad_steps / sizeof bad_steps[0]; i++) {
        scenario.faults[1].by = bad_steps[i];
        begin();
        CHECK(!checker.i5_is_promised);
    }
    scenario.fault_count = 1;
    static const double good_rates[] = {0.93, 1, 1.125}; // which gains 0.25 in 2
    static const double bad_rates[] = {0.9, 1.17, 1.5, 100};
    for (size_t i = 0; i < sizeof good_rates / sizeof good_rates[0]; i++) {
        scenario.clients[0].clock.rate = good_rates[i];
        begin();
        CHECK(checker.i5_is_promised);
    }
    for (size_t i = 0; i < sizeof bad_rates / sizeof bad_rates[0]; i++) {
        scenario.clients[0].clock.rate = bad_rates[i];
        begin();
        CHECK(!checker.i5_is_promised);
    }
    scenario.clients[0].renews = false; // whose clock no lease holder goes by
    begin();
    CHECK(checker.i5_is_promised);
    static const fl_fault_kind others[] = {FL_FAULT_PAUSE, FL_FAULT_SUSPEND, FL_FAULT_CRASH,
                                           FL_FAULT_DELAY, FL_FAULT_DROP,    FL_FAULT_DUPLICATE};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        scenario.faults[0].kind = others[i];
        begin();
        CHECK(!checker.i5_is_promised);
    }
    scenario.fault_count = 0;
    scenario.loss = 0.01;
    begin();
    CHECK(!checker.i5_is_promised);
}

static void one_that_waits_too_long(void) {
    begin_plain();
    asks(B);
    now = 11, refused(A);
    CHECK(checker.count == 1 && checker.violations[0].kind == FL_VIOLATION_REFUSED_WHILE_FREE);
    now = 11.05, refused(A);
    CHECK(checker.violations[2].kind == FL_VIOLATION_REFUSED_WHILE_FREE);
    CHECK(checker.violations[1].kind == FL_VIOLATION_NOBODY_GOT_IT);
    CHECK(checker.violations[1].node == B);
}

static void waiting_that_is_nobodys_fault(void) {
    begin_plain();
    asks(B);
    now = 8, granted(A, 1), at_service(FL_EVENT_RELEASE, A, 1, FL_OUTCOME_OK); // another got it
    fl_checker_end(&checker, 18.0 * SECOND);
    CHECK(reported(NOTHING));

    scenario.faults[0] = (fl_fault){.kind = FL_FAULT_PAUSE, .node = B, .to = 8 * SECOND};
    scenario.fault_count = 1;
    begin();
    asks(B);
    fl_checker_end(&checker, 18.0 * SECOND);
    CHECK(reported(NOTHING));

    scenario.faults[0] = (fl_fault){.kind = FL_FAULT_CRASH, .to = FL_NEVER};
    begin();
    asks(B);
    fl_checker_end(&checker, 90.0 * SECOND);
    CHECK(reported(NOTHING));

    scenario.faults[0] = (fl_fault){.kind = FL_FAULT_SUSPEND, .node = B, .to = FL_NEVER};
    begin();
    asks(B);
    fl_checker_end(&checker, 90.0 * SECOND);
    CHECK(reported(NOTHING));

    plan(); // the last token is out, and no other can follow
    scenario.first_token = FL_TOKEN_MAX;
    begin();
    granted(A, (double) FL_TOKEN_MAX), asks(B);
    fl_checker_end(&checker, 90.0 * SECOND);
    CHECK(reported(NOTHING));

    plan(); // another's slow retry excuses nobody
    scenario.clients[0].retry = 60 * SECOND;
    begin();
    asks(B);
    fl_checker_end(&checker, 12.0 * SECOND);
    CHECK(reported(FL_VIOLATION_NOBODY_GOT_IT));
    begin();
    asks(A);
    fl_checker_end(&checker, 70.0 * SECOND);
    CHECK(reported(NOTHING));
}

static void a_renewal_after_the_loss(void) {
    static const fl_reason losses[] = {FL_REASON_EXPIRED, FL_REASON_REFUSED, FL_REASON_RELEASED,
                                       FL_REASON_CRASHED, FL_REASON_SLEPT};
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        begin_plain();
        granted(A, 1), trusts(A, 1, 9.75), distrusts(A, 1, losses[i]);
        fl_event event = event_of(FL_EVENT_SEND, A, FL_NODE_SERVICE, 1);
        event.operation = FL_OPERATION_RENEW;
        see(event);
        CHECK(reported(losses[i] == FL_REASON_SLEPT ? NOTHING : FL_VIOLATION_RENEWED_AFTER_LOSS));
    }
}

static void a_lease_that_is_trusted_again_after_its_loss(void) {
    begin_plain();
    granted(A, 1), trusts(A, 1, 9.75), distrusts(A, 1, FL_REASON_SLEPT), trusts(A, 1, 9.75);
    CHECK(reported(NOTHING));
    now = 9.75, distrusts(A, 1, FL_REASON_EXPIRED), trusts(A, 1, 12);
    CHECK(reported(FL_VIOLATION_TRUSTED_AFTER_LOSS));
}

static void an_answer_that_shortens_trust(void) {
    begin_plain();
    granted(A, 1), trusts(A, 1, 9.75);
    now = 3, trusts(A, 1, 12.75);
    now = 4, trusts(A, 1, 12.75);
    CHECK(reported(NOTHING));
    now = 5, trusts(A, 1, 11);
    CHECK(reported(FL_VIOLATION_TRUST_FELL));
    begin();
    granted(A, 1), trusts(A, 1, 9.75), trusts(A, 2, 5); // another lease
    CHECK(reported(NOTHING));
    scenario.faults[0] = (fl_fault){.kind = FL_FAULT_CLOCK_STEP, .node = A, .by = 1};
    scenario.fault_count = 1;
    begin();
    granted(A, 1), trusts(A, 1, 9.75), trusts(A, 1, 5);
    CHECK(reported(NOTHING));
}

static void a_renewal_after_a_refusal(void) {
    begin_plain();
    granted(A, 1), trusts(A, 1, 9.75), distrusts(A, 1, FL_REASON_SLEPT);
    fl_event event = event_of(FL_EVENT_DELIVER, A, FL_NODE_SERVICE, 1);
    event.operation = FL_OPERATION_RENEW;
    event.outcome = FL_OUTCOME_REFUSED;
    event.flags = FL_EVENT_REPLY;
    see(event);
    CHECK(reported(NOTHING));
    event = event_of(FL_EVENT_SEND, A, FL_NODE_SERVICE, 1);
    event.operation = FL_OPERATION_RENEW;
    see(event);
    CHECK(reported(FL_VIOLATION_RENEWED_AFTER_LOSS));
}

static void more_violations_are_counted_than_kept(void) {
    begin_plain();
    for (uint32_t i = 0; i < FL_VIOLATIONS_MAX + 10; i++)
        refused(A);
    CHECK(checker.count == FL_VIOLATIONS_MAX + 10);
    CHECK(fl_checker_kept(&checker) == FL_VIOLATIONS_MAX);
}

TEST_MAIN(TEST_CASE(what_goes_well_is_not_reported), TEST_CASE(a_grant_while_a_lease_is_live),
          TEST_CASE(a_token_that_is_not_the_next),
          TEST_CASE(a_grant_before_the_old_leases_are_waited_out),
          TEST_CASE(the_instant_at_which_a_lease_ends),
          TEST_CASE(renewals_and_releases_of_what_is_live_and_what_is_not),
          TEST_CASE(a_retry_that_finds_its_own_grant), TEST_CASE(a_token_that_falls),
          TEST_CASE(a_rejected_write_that_changed_the_value),
          TEST_CASE(a_good_token_that_is_rejected), TEST_CASE(an_update_that_is_lost),
          TEST_CASE(a_write_that_is_taken_twice), TEST_CASE(two_that_trust_at_once),
          TEST_CASE(one_that_sleeps_trusts_only_when_it_wakes),
          TEST_CASE(a_lock_that_a_short_partition_costs), TEST_CASE(what_i5_is_judged_by),
          TEST_CASE(one_that_waits_too_long), TEST_CASE(waiting_that_is_nobodys_fault),
          TEST_CASE(a_renewal_after_the_loss), TEST_CASE(a_renewal_after_a_refusal),
          TEST_CASE(a_lease_that_is_trusted_again_after_its_loss),
          TEST_CASE(an_answer_that_shortens_trust),
          TEST_CASE(more_violations_are_counted_than_kept))
