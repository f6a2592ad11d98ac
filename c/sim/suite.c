#include "suite.h"

#include <string.h>

// The kinds of trouble of which each run draws some.
typedef enum fl_trouble {
    FL_TROUBLE_PAUSES,
    FL_TROUBLE_SUSPENSIONS,
    FL_TROUBLE_CLIENT_CRASHES,
    FL_TROUBLE_SERVER_CRASHES,
    FL_TROUBLE_PARTITIONS,
    FL_TROUBLE_CLOCK_STEPS,
    FL_TROUBLE_CLOCK_RATES,
    FL_TROUBLE_LOSS,
    FL_TROUBLE_DUPLICATION,
    FL_TROUBLE_LATENESS,
    FL_TROUBLE_SLOW_NETWORK,
    FL_TROUBLES,
} fl_trouble;

// Of what skew a lease holder allows, in milliseconds, each of two clocks may take a half, and of
// that half its rate and its one step may take these.
#define FL_DRIFT_RATE_MS 65
#define FL_DRIFT_STEP_MS 60

// A slow network overtakes itself: its messages come in another order than they were sent in.
#define FL_SLOW_NETWORK_MS 1200

#define FL_CHAOS_PHASE_MS 12000
#define FL_DRIFT_PHASE_MS 20000

// What min_renew_lead must stand.
#define FL_PARTITION_MS 2000

// In so many of four drift runs nothing but short partitions and skew happens, so that I5 and I4
// are both judged.
#define FL_DRIFT_PURE_OF_FOUR 1

// In so many of the other four a holder is stopped for longer than its lease, just when clocks come
// apart by all that is allowed, while others ask often: a margin that is a little too small shows.
#define FL_DRIFT_SHARP_OF_FOUR 1

typedef struct fl_draw {
    fl_choice *choice;
    fl_scenario *scenario;
    uint32_t ordinal;
    uint32_t phase_ms; // how long faults may happen
    bool has[FL_TROUBLES];
} fl_draw;

const char *fl_suite_name(unsigned suite) {
#define FL_SUITE_NAME(name, text) text,
    static const char *const names[] = {FL_SUITE_MAP(FL_SUITE_NAME)};
#undef FL_SUITE_NAME
    return suite < FL_SUITES ? names[suite] : NULL;
}

static uint32_t fl_draw_below(fl_draw *draw, uint32_t count) {
    fl_decision decision = {FL_DECIDE_SUITE, 0, draw->ordinal++};
    return fl_choose(draw->choice, decision, count);
}

static uint32_t fl_draw_between(fl_draw *draw, uint32_t low, uint32_t high) {
    return low + fl_draw_below(draw, high - low + 1);
}

static fl_ticks fl_ticks_from_ms(int64_t ms) {
    int64_t thousandths = ms * FL_TICKS_PER_SECOND;
    return (thousandths + (thousandths < 0 ? -500 : 500)) / 1000;
}

static fl_ticks fl_draw_ms(fl_draw *draw, uint32_t low, uint32_t high) {
    return fl_ticks_from_ms(fl_draw_between(draw, low, high));
}

static fl_ticks fl_draw_signed_ms(fl_draw *draw, uint32_t most) {
    return fl_ticks_from_ms((int64_t) fl_draw_below(draw, 2 * most + 1) - most);
}

// A rate within so many millionths of 1, as a decimal. The ends are what a margin has to stand, so
// they are drawn often.
static double fl_draw_rate(fl_draw *draw, uint32_t slower, uint32_t faster) {
    uint32_t range = slower + faster;
    uint32_t drawn = fl_draw_below(draw, range + 1);
    uint32_t end = fl_draw_below(draw, 4);
    if (end == 2) drawn = 0;
    if (end == 3) drawn = range;
    return (1000000.0 - slower + drawn) / 1000000.0;
}

static uint8_t fl_draw_client(fl_draw *draw) {
    return (uint8_t) (FL_NODE_CLIENT + fl_draw_below(draw, draw->scenario->client_count));
}

static uint8_t fl_draw_server(fl_draw *draw) {
    return (uint8_t) fl_draw_below(draw, FL_NODE_CLIENT);
}

// Mostly a client.
static uint8_t fl_draw_node(fl_draw *draw) {
    return fl_draw_below(draw, 5) == 4 ? fl_draw_server(draw) : fl_draw_client(draw);
}

// Adds a fault of some length within the phase.
static fl_fault *fl_draw_fault(fl_draw *draw, fl_fault_kind kind, uint8_t node, uint32_t low,
                               uint32_t high) {
    FL_ASSERT(draw->scenario->fault_count < FL_SCENARIO_FAULTS_MAX);
    fl_fault *fault = &draw->scenario->faults[draw->scenario->fault_count++];
    uint32_t from = fl_draw_below(draw, draw->phase_ms - low);
    uint32_t to = from + fl_draw_between(draw, low, high);
    *fault = (fl_fault){
        .kind = kind,
        .node = node,
        .peer = node,
        .from = fl_ticks_from_ms(from),
        .to = fl_ticks_from_ms(to < draw->phase_ms ? to : draw->phase_ms),
    };
    return fault;
}

static void fl_draw_stalls(fl_draw *draw, fl_fault_kind kind, uint32_t longest_ms) {
    for (uint32_t i = fl_draw_between(draw, 1, 4); i > 0; i--)
        fl_draw_fault(draw, kind, fl_draw_node(draw), 20, longest_ms);
}

static void fl_draw_partition(fl_draw *draw, uint8_t server, uint32_t longest_ms) {
    uint8_t client = fl_draw_client(draw);
    uint32_t ways = fl_draw_below(draw, 4); // both, both, to the server, to the client
    fl_fault *fault = fl_draw_fault(draw, FL_FAULT_PARTITION, client, 20, longest_ms);
    fault->node = ways == 3 ? server : client;
    fault->peer = ways == 3 ? client : server;
    fault->one_way = ways >= 2;
}

static void fl_draw_clock_steps(fl_draw *draw, uint32_t most_ms) {
    // At most one a node, as the sum of a node's steps is what counts.
    for (uint8_t node = 0; node < fl_scenario_node_count(draw->scenario); node++) {
        if (fl_draw_below(draw, 3) != 2) continue;
        fl_fault *fault = fl_draw_fault(draw, FL_FAULT_CLOCK_STEP, node, 0, 0);
        fault->by = fl_draw_signed_ms(draw, most_ms);
        fault->to = fault->from;
    }
}

static void fl_draw_lateness(fl_draw *draw, uint32_t messages, uint32_t longest_ms) {
    for (uint32_t i = fl_draw_between(draw, 1, 5); i > 0; i--) {
        uint8_t client = fl_draw_client(draw);
        uint8_t server = fl_draw_below(draw, 3) == 2 ? FL_NODE_STORAGE : FL_NODE_SERVICE;
        bool replies = fl_draw_below(draw, 2) == 1;
        uint32_t kind = fl_draw_below(draw, 6);
        fl_fault *fault = fl_draw_fault(draw, FL_FAULT_DELAY, replies ? server : client, 0, 0);
        fault->peer = replies ? client : server;
        fault->from = 0;
        fault->to = 0;
        fault->message = fl_draw_between(draw, 1, messages);
        fault->by = fl_draw_ms(draw, 50, longest_ms);
        if (kind == 4) fault->kind = FL_FAULT_DUPLICATE;
        if (kind == 5) fault->kind = FL_FAULT_DROP;
    }
}

static void fl_draw_network(fl_draw *draw, uint32_t slowest_ms) {
    fl_scenario *scenario = draw->scenario;
    scenario->latency_min = fl_draw_ms(draw, 0, 8);
    scenario->latency_max = scenario->latency_min + fl_draw_ms(draw, 1, slowest_ms - 8);
    if (draw->has[FL_TROUBLE_SLOW_NETWORK]) {
        scenario->latency_max += fl_draw_ms(draw, 50, FL_SLOW_NETWORK_MS);
    }
    scenario->timeout = fl_draw_ms(draw, 200, 600);
    scenario->calm_from = fl_ticks_from_ms(draw->phase_ms);
    if (draw->has[FL_TROUBLE_LOSS]) scenario->loss = fl_draw_between(draw, 1, 30) / 100.0;
    if (draw->has[FL_TROUBLE_DUPLICATION]) {
        scenario->duplicate = fl_draw_between(draw, 1, 30) / 100.0;
    }
}

static void fl_draw_chaos_client(fl_draw *draw, fl_scenario_client *client, bool two_keys) {
    bool stalls = fl_draw_below(draw, 5) == 4;
    // Clocks go wrong here by more than a lease holder can allow for.
    bool has_wild_clocks = draw->has[FL_TROUBLE_CLOCK_RATES] || draw->has[FL_TROUBLE_CLOCK_STEPS];
    *client = (fl_scenario_client){
        .start = fl_draw_ms(draw, 0, 1500),
        .work = stalls ? fl_draw_ms(draw, 2500, 6000) : fl_draw_ms(draw, 10, 1500),
        .writes = fl_draw_between(draw, 1, 2),
        .renews = fl_draw_below(draw, 5) == 4 && !has_wild_clocks,
        .fences = fl_draw_below(draw, 3) == 2,
        .cycles = fl_draw_between(draw, 2, 8),
        .rest = fl_draw_ms(draw, 0, 500),
        .retry = fl_draw_ms(draw, 50, 600),
        .key = two_keys ? (uint8_t) fl_draw_below(draw, 2) : 0,
        .clock = {fl_draw_signed_ms(draw, 10000), 1},
    };
    if (draw->has[FL_TROUBLE_CLOCK_RATES]) client->clock.rate = fl_draw_rate(draw, 50000, 50000);
}

static void fl_draw_chaos(fl_draw *draw) {
    fl_scenario *scenario = draw->scenario;
    scenario->lease = fl_ticks_from_ms(3000);
    scenario->client_count = 3;
    scenario->until = fl_ticks_from_ms(FL_CHAOS_PHASE_MS * 2);
    draw->phase_ms = FL_CHAOS_PHASE_MS;
    fl_draw_network(draw, 60);
    bool two_keys = fl_draw_below(draw, 4) == 3;
    for (uint32_t i = 0; i < scenario->client_count; i++)
        fl_draw_chaos_client(draw, &scenario->clients[i], two_keys);
    if (draw->has[FL_TROUBLE_CLOCK_RATES]) {
        scenario->service_clock.rate = fl_draw_rate(draw, 20000, 20000);
    }
    if (draw->has[FL_TROUBLE_PAUSES]) fl_draw_stalls(draw, FL_FAULT_PAUSE, 6000);
    if (draw->has[FL_TROUBLE_SUSPENSIONS]) fl_draw_stalls(draw, FL_FAULT_SUSPEND, 6000);
    if (draw->has[FL_TROUBLE_CLIENT_CRASHES]) {
        for (uint32_t i = fl_draw_between(draw, 1, 3); i > 0; i--)
            fl_draw_fault(draw, FL_FAULT_CRASH, fl_draw_client(draw), 20, 3000);
    }
    if (draw->has[FL_TROUBLE_SERVER_CRASHES]) {
        for (uint32_t i = fl_draw_between(draw, 1, 2); i > 0; i--)
            fl_draw_fault(draw, FL_FAULT_CRASH, fl_draw_server(draw), 20, 2000);
    }
    if (draw->has[FL_TROUBLE_PARTITIONS]) {
        for (uint32_t i = fl_draw_between(draw, 1, 4); i > 0; i--)
            fl_draw_partition(draw, fl_draw_server(draw), 3000);
    }
    if (draw->has[FL_TROUBLE_CLOCK_STEPS]) fl_draw_clock_steps(draw, 2000);
    if (draw->has[FL_TROUBLE_LATENESS]) fl_draw_lateness(draw, 12, 5000);
}

static void fl_draw_drift_client(fl_draw *draw, fl_scenario_client *client, uint32_t ppm,
                                 uint32_t rate_error_ppm) {
    *client = (fl_scenario_client){
        .start = fl_draw_ms(draw, 0, 3000),
        .work = fl_draw_ms(draw, 100, 6000),
        .writes = fl_draw_between(draw, 1, 2),
        .renews = true,
        .fences = fl_draw_below(draw, 3) == 2,
        .cycles = fl_draw_between(draw, 2, 6),
        .rest = fl_draw_ms(draw, 0, 300),
        .retry = fl_draw_ms(draw, 50, 400),
        .clock = {fl_draw_signed_ms(draw, 125), 1},
    };
    if (!draw->has[FL_TROUBLE_CLOCK_RATES]) return;
    client->clock.rate = fl_draw_rate(draw, ppm, ppm);
    // What the rate error allows comes on top.
    if (fl_draw_below(draw, 2) == 1) {
        client->clock.rate *= fl_draw_rate(draw, rate_error_ppm, 0);
    }
}

// In a pure run a pair is cut once at most, so that no two partitions add up to a longer one.
static void fl_draw_pure_partitions(fl_draw *draw) {
    for (uint8_t i = 0; i < draw->scenario->client_count; i++) {
        if (fl_draw_below(draw, 4) == 0) continue;
        uint32_t least = fl_draw_below(draw, 2) == 1 ? FL_PARTITION_MS : 500;
        fl_fault *fault = fl_draw_fault(draw, FL_FAULT_PARTITION, (uint8_t) (FL_NODE_CLIENT + i),
                                        least, FL_PARTITION_MS);
        fault->peer = FL_NODE_SERVICE;
    }
}

static double fl_rate_slower(uint32_t ppm) {
    return (1000000.0 - ppm) / 1000000.0;
}

// In place of what was drawn of clocks and of the network. Whether it is the holder that is stopped
// is left to chance.
static void fl_draw_sharp(fl_draw *draw, uint32_t lease_ms, uint32_t ppm, uint32_t rate_error_ppm) {
    fl_scenario *scenario = draw->scenario;
    scenario->latency_min = 0;
    scenario->latency_max = fl_draw_ms(draw, 1, 4);
    scenario->service_clock.rate = 2 - fl_rate_slower(ppm);
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        scenario->clients[i].retry = fl_draw_ms(draw, 20, 80);
        scenario->clients[i].clock.rate = fl_rate_slower(ppm) * fl_rate_slower(rate_error_ppm);
    }
    fl_fault *pause =
        fl_draw_fault(draw, FL_FAULT_PAUSE, fl_draw_client(draw), lease_ms, lease_ms * 3 / 2);
    uint8_t nodes[] = {pause->node, FL_NODE_SERVICE};
    for (int i = 0; i < 2; i++) {
        fl_fault *step = fl_draw_fault(draw, FL_FAULT_CLOCK_STEP, nodes[i], 0, 0);
        step->from = pause->from + fl_draw_ms(draw, 0, lease_ms / 2);
        step->to = step->from;
        step->by = fl_ticks_from_ms(i == 0 ? -FL_DRIFT_STEP_MS : FL_DRIFT_STEP_MS);
    }
}

static void fl_draw_drift(fl_draw *draw) {
    fl_scenario *scenario = draw->scenario;
    static const uint16_t leases_ms[] = {3000, 4000, 6000, 10000};
    static const uint16_t rate_errors_ppm[] = {0, 20000, 50000, 50000};
    bool is_pure = fl_draw_below(draw, 4) < FL_DRIFT_PURE_OF_FOUR;
    bool is_sharp = !is_pure && fl_draw_below(draw, 4) < FL_DRIFT_SHARP_OF_FOUR;
    uint32_t lease_ms = leases_ms[fl_draw_below(draw, 4)];
    uint32_t rate_error_ppm = rate_errors_ppm[fl_draw_below(draw, 4)];
    uint32_t ppm = FL_DRIFT_RATE_MS * 1000000 / lease_ms;
    if (is_pure) {
        for (int i = 0; i < FL_TROUBLES; i++)
            draw->has[i] = false;
        draw->has[FL_TROUBLE_CLOCK_RATES] = fl_draw_below(draw, 4) != 0;
        draw->has[FL_TROUBLE_CLOCK_STEPS] = fl_draw_below(draw, 2) == 1;
    }
    scenario->lease = fl_ticks_from_ms(lease_ms);
    scenario->rate_error = rate_error_ppm / 1000000.0;
    scenario->client_count = 5;
    draw->phase_ms = FL_DRIFT_PHASE_MS;
    scenario->until = fl_ticks_from_ms(FL_DRIFT_PHASE_MS + 3 * lease_ms);
    fl_draw_network(draw, is_pure ? 25 : 80);
    for (uint32_t i = 0; i < scenario->client_count; i++)
        fl_draw_drift_client(draw, &scenario->clients[i], ppm, rate_error_ppm);
    if (draw->has[FL_TROUBLE_CLOCK_RATES]) {
        scenario->service_clock.rate = fl_draw_rate(draw, ppm, ppm);
    }
    if (is_pure) fl_draw_pure_partitions(draw);
    if (draw->has[FL_TROUBLE_PAUSES]) fl_draw_stalls(draw, FL_FAULT_PAUSE, lease_ms * 3 / 2);
    if (draw->has[FL_TROUBLE_SUSPENSIONS]) {
        fl_draw_stalls(draw, FL_FAULT_SUSPEND, lease_ms * 3 / 2);
    }
    if (draw->has[FL_TROUBLE_PARTITIONS]) {
        for (uint32_t i = fl_draw_between(draw, 1, 6); i > 0; i--)
            fl_draw_partition(draw, fl_draw_below(draw, 4) == 3 ? FL_NODE_STORAGE : FL_NODE_SERVICE,
                              FL_PARTITION_MS);
    }
    if (is_sharp) {
        fl_draw_sharp(draw, lease_ms, ppm, rate_error_ppm);
    } else if (draw->has[FL_TROUBLE_CLOCK_STEPS]) {
        fl_draw_clock_steps(draw, FL_DRIFT_STEP_MS);
    }
    if (draw->has[FL_TROUBLE_LATENESS]) fl_draw_lateness(draw, 12, 6000);
}

void fl_suite_draw(fl_suite suite, fl_fencing fencing, uint64_t seed, fl_choice *choice,
                   fl_scenario *scenario) {
    fl_choice_seed(choice, seed);
    memset(scenario, 0, sizeof *scenario);
    scenario->seed = seed;
    scenario->first_token = 1;
    scenario->fencing = fencing;
    scenario->max_clock_skew = fl_ticks_from_ms(250);
    scenario->min_renew_lead = fl_ticks_from_ms(FL_PARTITION_MS);
    scenario->service_clock.rate = 1;
    scenario->storage_clock.rate = 1;
    fl_draw draw = {.choice = choice, .scenario = scenario};
    for (int i = 0; i < FL_TROUBLES; i++)
        draw.has[i] = fl_draw_below(&draw, i < FL_TROUBLE_SLOW_NETWORK ? 2 : 4) == 1;
    if (suite == FL_SUITE_CHAOS) {
        fl_draw_chaos(&draw);
    } else {
        fl_draw_drift(&draw);
    }
    fl_choice_seed(choice, seed);
}

// A suite's runs end by themselves; this only keeps a broken one from going on for ever.
#define FL_SUITE_EVENTS_MAX 1000000

typedef struct fl_suite_runner {
    fl_world *world;
    fl_choice choice;
    fl_trace trace;
    fl_checker checker;
    fl_scenario scenario;
} fl_suite_runner;

static void fl_suite_add(fl_suite_result *result, const fl_suite_runner *runner, uint64_t seed) {
    const fl_checker *checker = &runner->checker;
    result->seeds++;
    result->judged_by_i5 += checker->i5_is_promised;
    result->events += runner->trace.count;
    result->hash = fl_hash_word(result->hash, runner->trace.hash);
    if (checker->count == 0) return;
    if (result->violations == 0) {
        result->first_failing_seed = seed;
        result->first_violation = checker->violations[0];
    }
    result->violations += checker->count;
    result->failing_seeds++;
}

fl_result fl_suite_run(fl_suite suite, fl_fencing fencing, uint64_t first, uint64_t count,
                       const fl_allocator *allocator, fl_suite_result *result) {
    fl_allocator own = fl_allocator_or_default(allocator);
    fl_suite_runner *runner = fl_allocate(&own, sizeof *runner);
    if (runner == NULL) return FL_OUT_OF_MEMORY;
    fl_result outcome = fl_world_new(&own, &runner->world);
    fl_choice_init(&runner->choice, &own, false);
    fl_trace_init(&runner->trace, &own, false);
    for (uint64_t i = 0; i < count && outcome == FL_OK; i++) {
        fl_suite_draw(suite, fencing, first + i, &runner->choice, &runner->scenario);
        fl_trace_begin(&runner->trace, FL_SUITE_EVENTS_MAX);
        outcome = fl_world_run(runner->world, &runner->scenario, &runner->choice, &runner->trace,
                               &runner->checker, &result->tally);
        if (outcome == FL_OK) fl_suite_add(result, runner, first + i);
    }
    fl_trace_free(&runner->trace);
    fl_choice_free(&runner->choice);
    fl_world_free(runner->world);
    fl_free(&own, runner, sizeof *runner);
    return outcome;
}
