// Which invariants a scenario may be judged by.

#include "invariants.h"

// Part of the slack of a lease that a round trip may take so that I5 is promised. The holder keeps
// a quarter of the slack for the try that gets through after a partition (lease_holder.c); messages
// that were under way when it began are lost too, which lengthens it by a round trip.
#define FL_ROUND_TRIPS_IN_SLACK 8

typedef struct fl_steps {
    double forward;
    double backward;
} fl_steps;

static fl_steps fl_clock_steps(const fl_scenario *scenario, uint8_t node) {
    fl_steps steps = {0};
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const fl_fault *fault = &scenario->faults[i];
        if (fault->kind != FL_FAULT_CLOCK_STEP || fault->node != node) continue;
        if (fault->by > 0) steps.forward += (double) fault->by;
        if (fault->by < 0) steps.backward -= (double) fault->by;
    }
    return steps;
}

// Trust begins no later than the lease at the service, so two can overlap only where the client's
// clock takes longer over the trusted part than the service's does over the whole lease.
static bool fl_client_ends_first(const fl_scenario *scenario, uint32_t client) {
    const fl_scenario_client *plan = &scenario->clients[client];
    if (!plan->renews) return false;
    fl_lease_holder_options options = fl_scenario_holder_options(scenario);
    double trusted =
        (options.lease_seconds * (1 - options.rate_error) - options.max_clock_skew_seconds) *
        FL_TICKS_PER_SECOND;
    trusted += fl_clock_steps(scenario, (uint8_t) (FL_NODE_CLIENT + client)).backward;
    double leased = (double) scenario->lease - fl_clock_steps(scenario, FL_NODE_SERVICE).forward;
    double slack = leased / scenario->service_clock.rate - trusted / plan->clock.rate;
    bool is_exact = scenario->service_clock.rate == 1 && plan->clock.rate == 1;
    // Clocks with a rate round their readings to a tick.
    return slack >= (is_exact ? 0 : 2 / plan->clock.rate + 2 / scenario->service_clock.rate);
}

static bool fl_is_short_partition(const fl_scenario *scenario, const fl_fault *fault) {
    return fault->kind == FL_FAULT_PARTITION && fault->to != FL_NEVER &&
           fault->to - fault->from <= scenario->min_renew_lead;
}

// Two partitions of the same pair must leave a lease's time between them to count as single ones.
static bool fl_are_apart(const fl_scenario *scenario, const fl_fault *a, const fl_fault *b) {
    bool same_pair =
        (a->node == b->node && a->peer == b->peer) || (a->node == b->peer && a->peer == b->node);
    return !same_pair || a->to + scenario->lease <= b->from || b->to + scenario->lease <= a->from;
}

static bool fl_partitions_are_short(const fl_scenario *scenario) {
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        if (!fl_is_short_partition(scenario, &scenario->faults[i])) return false;
        for (uint32_t j = 0; j < i; j++) {
            if (!fl_are_apart(scenario, &scenario->faults[i], &scenario->faults[j])) return false;
        }
    }
    return true;
}

static bool fl_i5_is_promised(fl_checker *checker) {
    const fl_scenario *scenario = checker->scenario;
    fl_ticks trust = scenario->lease - scenario->max_clock_skew -
                     (fl_ticks) ((double) scenario->lease * scenario->rate_error);
    fl_ticks slack = trust - scenario->min_renew_lead;
    fl_ticks round_trip = 2 * scenario->latency_max;
    double fastest = 1;
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        if (scenario->clients[i].clock.rate > fastest) fastest = scenario->clients[i].clock.rate;
    }
    checker->fresh_trust = (double) trust / fastest - (double) round_trip - 2;
    if (scenario->loss > 0 || round_trip * FL_ROUND_TRIPS_IN_SLACK > slack) return false;
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        if (scenario->clients[i].renews && !checker->clients[i].i4_is_promised) return false;
    }
    return fl_partitions_are_short(scenario);
}

static double fl_fault_end(const fl_fault *fault) {
    if (fault->kind >= FL_FAULT_DELAY) return 0; // seen when its message is sent
    if (fault->kind == FL_FAULT_CLOCK_STEP) return (double) fault->from;
    return fault->to == FL_NEVER ? (double) fault->from : (double) fault->to;
}

// I6 lets a client wait for one lease and one retry, each on the clock that counts it, and for the
// messages in between: a request that was lost before is sent again after a timeout.
static void fl_judge_patience(fl_checker *checker) {
    const fl_scenario *scenario = checker->scenario;
    fl_steps service_steps = fl_clock_steps(scenario, FL_NODE_SERVICE);
    double patience = 0;
    checker->faults_end = 0;
    checker->i6_is_promised = true;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const fl_fault *fault = &scenario->faults[i];
        double end = fl_fault_end(fault);
        if (end > checker->faults_end) checker->faults_end = end;
        bool is_for_good = fault->kind == FL_FAULT_CRASH && fault->to == FL_NEVER;
        if (is_for_good && fault->node == FL_NODE_SERVICE) checker->i6_is_promised = false;
    }
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        const fl_scenario_client *plan = &scenario->clients[i];
        fl_steps steps = fl_clock_steps(scenario, (uint8_t) (FL_NODE_CLIENT + i));
        double local = (double) plan->retry + (double) scenario->timeout + steps.backward;
        if (local / plan->clock.rate > patience) patience = local / plan->clock.rate;
    }
    double lease = (double) scenario->lease + service_steps.backward;
    checker->patience = patience + lease / scenario->service_clock.rate +
                        4 * (double) scenario->latency_max + FL_TICKS_PER_SECOND / 1000;
}

void fl_checker_judge_promises(fl_checker *checker) {
    for (uint32_t i = 0; i < checker->scenario->client_count; i++) {
        checker->clients[i].i4_is_promised = fl_client_ends_first(checker->scenario, i);
    }
    checker->i5_is_promised = fl_i5_is_promised(checker);
    fl_judge_patience(checker);
}
