// Which invariants a scenario may be judged by.

#include "invariants.h"

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

// How long a lease is trusted on the client's clock (R14).
static double fl_trusted_ticks(const fl_scenario *scenario) {
    fl_lease_holder_options options = fl_scenario_holder_options(scenario);
    double usable = options.lease_seconds * (1 - options.rate_error);
    return (usable - options.max_clock_skew_seconds) * FL_TICKS_PER_SECOND;
}

// Trust begins no later than the lease at the service, so two can overlap only where the client's
// clock takes longer over the trusted part than the service's does over the whole lease.
static bool fl_client_ends_first(const fl_scenario *scenario, uint32_t client) {
    const fl_scenario_client *plan = &scenario->clients[client];
    if (!plan->renews) return false;
    double trusted = fl_trusted_ticks(scenario);
    trusted += fl_clock_steps(scenario, (uint8_t) (FL_NODE_CLIENT + client)).backward;
    double leased = (double) scenario->lease - fl_clock_steps(scenario, FL_NODE_SERVICE).forward;
    double slack = leased / scenario->service_clock.rate - trusted / plan->clock.rate;
    bool is_exact = scenario->service_clock.rate == 1 && plan->clock.rate == 1;
    // Clocks with a rate round their readings to a tick.
    return slack >= (is_exact ? 0 : 2 / plan->clock.rate + 2 / scenario->service_clock.rate);
}

// Whether a renewal gets through after a partition. A holder plans with slack, which is what the
// trust leaves beyond minRenewLead and a reserve for the skew (at most a third of it): the reserve
// and half of the slack are left when a partition of that length ends on the client's clock, and
// another try comes as long as a third of the slack is (lease_holder.c). The reserve and a sixth
// are thus what a partition may take longer: a round trip that was under way when it began, what
// the client's clock gains meanwhile by its rate and its steps, and a timer that is coarse.
static bool fl_client_outlasts(const fl_scenario *scenario, uint32_t client) {
    double rate = scenario->clients[client].clock.rate;
    double lead = (double) scenario->min_renew_lead;
    double longer = 2 * (double) scenario->latency_max * rate + FL_HOLDER_TIMER_TICKS;
    longer += fl_clock_steps(scenario, (uint8_t) (FL_NODE_CLIENT + client)).forward;
    if (rate > 1) longer += lead * (rate - 1);
    double rest = fl_trusted_ticks(scenario) - lead;
    double reserve = rest / 3;
    if (reserve > (double) scenario->max_clock_skew) reserve = (double) scenario->max_clock_skew;
    return longer <= reserve + (rest - reserve) / 6;
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

// Clocks that step are a matter of fl_client_ends_first and fl_client_outlasts.
static bool fl_partitions_are_short(const fl_scenario *scenario) {
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const fl_fault *fault = &scenario->faults[i];
        if (fault->kind == FL_FAULT_CLOCK_STEP) continue;
        if (!fl_is_short_partition(scenario, fault)) return false;
        for (uint32_t j = 0; j < i; j++) {
            const fl_fault *other = &scenario->faults[j];
            if (other->kind == FL_FAULT_CLOCK_STEP) continue;
            if (!fl_are_apart(scenario, fault, other)) return false;
        }
    }
    return true;
}

static bool fl_i5_is_promised(fl_checker *checker) {
    const fl_scenario *scenario = checker->scenario;
    if (scenario->loss > 0) return false;
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        if (!scenario->clients[i].renews) continue;
        if (!checker->clients[i].i4_is_promised) return false;
        if (!fl_client_outlasts(scenario, i)) return false;
    }
    return fl_partitions_are_short(scenario);
}

// How long trust lasts, at the least, that began within a round trip. Two ticks are for rounding.
static double fl_fresh_trust(const fl_scenario *scenario, uint32_t client) {
    double rate = scenario->clients[client].clock.rate;
    return (fl_trusted_ticks(scenario) - 2) / rate - 2 * (double) scenario->latency_max - 2;
}

static double fl_fault_end(const fl_fault *fault) {
    if (fault->kind >= FL_FAULT_DELAY) return 0; // seen when its message is sent
    bool is_over_at_once = fault->kind == FL_FAULT_CLOCK_STEP ||
                           (fault->kind == FL_FAULT_CRASH && fault->to == FL_NEVER);
    if (is_over_at_once) return (double) fault->from;
    return fault->to == FL_NEVER ? 1e300 : (double) fault->to;
}

// Whether I6 can be judged at all, and when what the scenario plans of faults is over.
static void fl_judge_faults(fl_checker *checker) {
    const fl_scenario *scenario = checker->scenario;
    checker->faults_end = 0;
    checker->i6_is_promised = true;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const fl_fault *fault = &scenario->faults[i];
        double end = fl_fault_end(fault);
        if (end > checker->faults_end) checker->faults_end = end;
        bool is_for_good = fault->kind == FL_FAULT_CRASH && fault->to == FL_NEVER;
        if (is_for_good && fault->node == FL_NODE_SERVICE) checker->i6_is_promised = false;
    }
}

// I6 lets a client wait for one lease and its retry, each on the clock that counts it, and for the
// messages in between: a request that was lost before is sent again after a timeout.
static double fl_patience(const fl_scenario *scenario, uint32_t client) {
    const fl_scenario_client *plan = &scenario->clients[client];
    double own = (double) plan->retry + (double) scenario->timeout;
    own += fl_clock_steps(scenario, (uint8_t) (FL_NODE_CLIENT + client)).backward;
    double lease = (double) scenario->lease + fl_clock_steps(scenario, FL_NODE_SERVICE).backward;
    return own / plan->clock.rate + lease / scenario->service_clock.rate +
           4 * (double) scenario->latency_max + FL_TICKS_PER_SECOND / 1000;
}

void fl_checker_judge_promises(fl_checker *checker) {
    for (uint32_t i = 0; i < checker->scenario->client_count; i++) {
        fl_checked_client *client = &checker->clients[i];
        fl_steps steps = fl_clock_steps(checker->scenario, (uint8_t) (FL_NODE_CLIENT + i));
        client->steps = steps.forward > 0 || steps.backward > 0;
        client->i4_is_promised = fl_client_ends_first(checker->scenario, i);
        client->fresh_trust = fl_fresh_trust(checker->scenario, i);
        client->patience = fl_patience(checker->scenario, i);
    }
    checker->i5_is_promised = fl_i5_is_promised(checker);
    fl_judge_faults(checker);
}
