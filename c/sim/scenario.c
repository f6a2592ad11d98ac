#include "scenario.h"

#define FL_RATE_MIN 0.01
#define FL_RATE_MAX 100.0
#define FL_OFFSET_MAX ((double) FL_SCENARIO_TIME_MAX)
// The origin may be far beyond any scenario: 24 years still leave every tick exact.
#define FL_ORIGIN_MAX 4e14
// Latencies are drawn tick by tick, so their range is one of 32 bits.
#define FL_LATENCY_MAX 2147483647.0
#define FL_COUNT_MAX 1e6

#define FL_SCENARIO_TEXT(name, text) text,

const char *fl_fencing_text(unsigned fencing) {
    static const char *const texts[] = {FL_SCENARIO_FENCING_MAP(FL_SCENARIO_TEXT)};
    return fencing <= FL_SCENARIO_OFF ? texts[fencing] : NULL;
}

const char *fl_fault_text(unsigned kind) {
    static const char *const texts[] = {FL_FAULT_MAP(FL_SCENARIO_TEXT)};
    return kind < FL_FAULT_KINDS ? texts[kind] : NULL;
}

typedef struct fl_scenario_reader {
    const double *numbers;
    size_t count;
    size_t position;
    size_t bad; // the first bad position; `count` or above when there is none
} fl_scenario_reader;

static double fl_take(fl_scenario_reader *reader, double low, double high) {
    size_t position = reader->position++;
    double number = position < reader->count ? reader->numbers[position] : low - 1;
    if (number >= low && number <= high) return number;
    if (position < reader->bad) reader->bad = position;
    return low;
}

static double fl_take_whole(fl_scenario_reader *reader, double low, double high) {
    double number = fl_take(reader, low, high);
    double whole = (double) (int64_t) number;
    if (number != whole && reader->position - 1 < reader->bad) reader->bad = reader->position - 1;
    return whole;
}

static fl_ticks fl_take_ticks(fl_scenario_reader *reader, double low) {
    return (fl_ticks) fl_take_whole(reader, low, (double) FL_SCENARIO_TIME_MAX);
}

static fl_ticks fl_take_ticks_or_never(fl_scenario_reader *reader) {
    fl_ticks ticks = fl_take_ticks(reader, -1);
    return ticks < 0 ? FL_NEVER : ticks;
}

static uint8_t fl_take_index(fl_scenario_reader *reader, uint32_t count) {
    return (uint8_t) fl_take_whole(reader, 0, (double) count - 1);
}

static bool fl_take_flag(fl_scenario_reader *reader) {
    return fl_take_whole(reader, 0, 1) != 0;
}

static fl_scenario_clock fl_take_clock(fl_scenario_reader *reader) {
    fl_ticks offset = (fl_ticks) fl_take_whole(reader, -FL_OFFSET_MAX, FL_OFFSET_MAX);
    return (fl_scenario_clock){offset, fl_take(reader, FL_RATE_MIN, FL_RATE_MAX)};
}

static void fl_take_client(fl_scenario_reader *reader, fl_scenario_client *client) {
    client->start = fl_take_ticks(reader, 0);
    client->work = fl_take_ticks(reader, 0);
    client->writes = (uint32_t) fl_take_whole(reader, 0, FL_COUNT_MAX);
    client->renews = fl_take_flag(reader);
    client->fences = fl_take_flag(reader);
    client->cycles = (uint32_t) fl_take_whole(reader, 1, FL_COUNT_MAX);
    client->rest = fl_take_ticks(reader, 0);
    client->retry = fl_take_ticks(reader, 1);
    client->lock = fl_take_index(reader, FL_SCENARIO_NAMES_MAX);
    client->key = fl_take_index(reader, FL_SCENARIO_NAMES_MAX);
    client->clock = fl_take_clock(reader);
}

static void fl_take_fault(fl_scenario_reader *reader, uint32_t nodes, fl_fault *fault) {
    fault->kind = (fl_fault_kind) fl_take_index(reader, FL_FAULT_KINDS);
    fault->node = fl_take_index(reader, nodes);
    fault->peer = fl_take_index(reader, nodes);
    fault->one_way = fl_take_flag(reader);
    fault->message = (uint32_t) fl_take_whole(reader, 0, 4294967295.0);
    fault->from = fl_take_ticks(reader, 0);
    fault->to = fl_take_ticks_or_never(reader);
    fault->by = (fl_ticks) fl_take_whole(reader, -FL_OFFSET_MAX, FL_OFFSET_MAX);
}

static void fl_take_header(fl_scenario_reader *reader, fl_scenario *scenario) {
    scenario->seed = (uint64_t) fl_take_whole(reader, 0, (double) FL_TOKEN_MAX);
    scenario->lease = fl_take_ticks(reader, 1);
    scenario->first_token = (uint64_t) fl_take_whole(reader, 0, (double) FL_TOKEN_MAX);
    scenario->fencing = (fl_fencing) fl_take_index(reader, FL_SCENARIO_OFF + 1);
    scenario->until = fl_take_ticks(reader, 0);
    scenario->origin = (fl_ticks) fl_take_whole(reader, -FL_ORIGIN_MAX, FL_ORIGIN_MAX);
    scenario->max_clock_skew = fl_take_ticks(reader, 0);
    scenario->min_renew_lead = fl_take_ticks(reader, 0);
    scenario->rate_error = fl_take(reader, 0, 1);
    scenario->service_clock = fl_take_clock(reader);
    scenario->storage_clock = fl_take_clock(reader);
    scenario->latency_min = (fl_ticks) fl_take_whole(reader, 0, FL_LATENCY_MAX);
    scenario->latency_max =
        (fl_ticks) fl_take_whole(reader, (double) scenario->latency_min, FL_LATENCY_MAX);
    scenario->loss = fl_take(reader, 0, 1);
    scenario->duplicate = fl_take(reader, 0, 1);
    scenario->timeout = fl_take_ticks(reader, 1);
    scenario->calm_from = fl_take_ticks_or_never(reader);
    scenario->client_count = (uint32_t) fl_take_whole(reader, 0, FL_SCENARIO_CLIENTS_MAX);
    scenario->fault_count = (uint32_t) fl_take_whole(reader, 0, FL_SCENARIO_FAULTS_MAX);
    FL_ASSERT(reader->position == FL_PACKED_HEADER);
}

fl_result fl_scenario_unpack(const double *numbers, size_t count, fl_scenario *scenario,
                             size_t *bad) {
    fl_scenario_reader reader = {.numbers = numbers, .count = count, .bad = SIZE_MAX};
    bool renews = false;
    fl_take_header(&reader, scenario);
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        fl_take_client(&reader, &scenario->clients[i]);
        renews = renews || scenario->clients[i].renews;
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        fl_take_fault(&reader, fl_scenario_node_count(scenario), &scenario->faults[i]);
    }
    if (reader.position != count && reader.bad > count) reader.bad = count;
    fl_lease_holder_options options = fl_scenario_holder_options(scenario);
    // Position 6 is where the holder's options begin.
    if (reader.bad == SIZE_MAX && renews &&
        fl_lease_holder_options_check(&options) != FL_LEASE_OPTIONS_GOOD) {
        reader.bad = 6;
    }
    if (reader.bad == SIZE_MAX) return FL_OK;
    *bad = reader.bad;
    return FL_INVALID_OPTIONS;
}

static double fl_packed_ticks(fl_ticks ticks) {
    return ticks == FL_NEVER ? -1 : (double) ticks;
}

static double *fl_put_client(const fl_scenario_client *client, double *next) {
    *next++ = (double) client->start;
    *next++ = (double) client->work;
    *next++ = client->writes;
    *next++ = client->renews;
    *next++ = client->fences;
    *next++ = client->cycles;
    *next++ = (double) client->rest;
    *next++ = (double) client->retry;
    *next++ = client->lock;
    *next++ = client->key;
    *next++ = (double) client->clock.offset;
    *next++ = client->clock.rate;
    return next;
}

static double *fl_put_fault(const fl_fault *fault, double *next) {
    *next++ = fault->kind;
    *next++ = fault->node;
    *next++ = fault->peer;
    *next++ = fault->one_way;
    *next++ = fault->message;
    *next++ = (double) fault->from;
    *next++ = fl_packed_ticks(fault->to);
    *next++ = (double) fault->by;
    return next;
}

size_t fl_scenario_pack(const fl_scenario *scenario, double *numbers) {
    double *next = numbers;
    *next++ = (double) scenario->seed;
    *next++ = (double) scenario->lease;
    *next++ = (double) scenario->first_token;
    *next++ = scenario->fencing;
    *next++ = (double) scenario->until;
    *next++ = (double) scenario->origin;
    *next++ = (double) scenario->max_clock_skew;
    *next++ = (double) scenario->min_renew_lead;
    *next++ = scenario->rate_error;
    *next++ = (double) scenario->service_clock.offset;
    *next++ = scenario->service_clock.rate;
    *next++ = (double) scenario->storage_clock.offset;
    *next++ = scenario->storage_clock.rate;
    *next++ = (double) scenario->latency_min;
    *next++ = (double) scenario->latency_max;
    *next++ = scenario->loss;
    *next++ = scenario->duplicate;
    *next++ = (double) scenario->timeout;
    *next++ = fl_packed_ticks(scenario->calm_from);
    *next++ = scenario->client_count;
    *next++ = scenario->fault_count;
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        next = fl_put_client(&scenario->clients[i], next);
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        next = fl_put_fault(&scenario->faults[i], next);
    }
    return (size_t) (next - numbers);
}

// A lease may count for a part of itself only where that part ends on a tick: else the same run
// would round differently when the clocks' origin moves. So the rate error is taken as the nearest
// one at or above it for which it does.
fl_lease_holder_options fl_scenario_holder_options(const fl_scenario *scenario) {
    double lease = fl_seconds_from_ticks(scenario->lease);
    double usable_ticks = (double) scenario->lease * (1 - scenario->rate_error);
    double usable = fl_seconds_from_ticks((fl_ticks) (usable_ticks + 1e-6));
    double rate_error = 1 - usable / lease;
    for (int i = 0; i < 8 && lease * (1 - rate_error) != usable; i++) {
        rate_error += (lease * (1 - rate_error) > usable ? 1 : -1) * 1.1102230246251565e-16;
    }
    return (fl_lease_holder_options){
        .lease_seconds = lease,
        .max_clock_skew_seconds = fl_seconds_from_ticks(scenario->max_clock_skew),
        .min_renew_lead_seconds = fl_seconds_from_ticks(scenario->min_renew_lead),
        .rate_error = rate_error,
    };
}
