// Who takes part in a simulation, and which faults happen to them.
//
// Numbers only: names of clients, locks and keys are JavaScript's business, and are indices here.
// A scenario crosses to and from JavaScript as a flat list of doubles, in the order in which the
// fields stand below.

#ifndef FL_SIM_SCENARIO_H
#define FL_SIM_SCENARIO_H

#include "trace.h"

// Everything about a node fits in one byte of an event, and a set of clients in one word.
#define FL_SCENARIO_CLIENTS_MAX 30
#define FL_SCENARIO_NAMES_MAX 30 // locks, and keys
#define FL_SCENARIO_FAULTS_MAX 200

// 2^42 ticks are 97 days: far beyond the longest lease, and exact in a double with any origin.
#define FL_SCENARIO_TIME_MAX ((fl_ticks) 1 << 42)

#define FL_NODE_SERVICE 0
#define FL_NODE_STORAGE 1
#define FL_NODE_CLIENT 2 // the first one
#define FL_SCENARIO_NODES_MAX (FL_NODE_CLIENT + FL_SCENARIO_CLIENTS_MAX)

#define FL_SCENARIO_FENCING_MAP(X)                                                                 \
    X(AT_LEAST, "at-least")                                                                        \
    X(ABOVE, "above")                                                                              \
    X(OFF, "off")

#define FL_SCENARIO_FENCING_ENTRY(name, text) FL_SCENARIO_##name,
typedef enum fl_fencing { FL_SCENARIO_FENCING_MAP(FL_SCENARIO_FENCING_ENTRY) } fl_fencing;

#define FL_FAULT_MAP(X)                                                                            \
    X(PAUSE, "pause")                                                                              \
    X(SUSPEND, "suspend")                                                                          \
    X(CRASH, "crash")                                                                              \
    X(PARTITION, "partition")                                                                      \
    X(CLOCK_STEP, "clock-step")                                                                    \
    X(DELAY, "delay")                                                                              \
    X(DROP, "drop")                                                                                \
    X(DUPLICATE, "duplicate")

#define FL_FAULT_ENTRY(name, text) FL_FAULT_##name,
typedef enum fl_fault_kind { FL_FAULT_MAP(FL_FAULT_ENTRY) FL_FAULT_KINDS } fl_fault_kind;

// The names of the entries; NULL past the end.
const char *fl_fencing_text(unsigned fencing);
const char *fl_fault_text(unsigned kind);

typedef struct fl_scenario_clock {
    fl_ticks offset;
    double rate; // local seconds a true second
} fl_scenario_clock;

typedef struct fl_scenario_client {
    fl_ticks start;
    fl_ticks work;
    uint32_t writes;
    bool renews; // keeps its lease by a lease holder; else it believes in it until it is done
    bool fences; // fences and reads before it works
    uint32_t cycles;
    fl_ticks rest;
    fl_ticks retry;
    uint8_t lock;
    uint8_t key;
    fl_scenario_clock clock;
} fl_scenario_client;

typedef struct fl_fault {
    fl_fault_kind kind;
    uint8_t node;     // what it happens to; of a message, its sender
    uint8_t peer;     // of a partition the other side; of a message, its receiver
    bool one_way;     // a partition: only node -> peer is cut
    uint32_t message; // its number within the directed pair
    fl_ticks from;
    fl_ticks to; // FL_NEVER: a crash without a restart
    fl_ticks by; // a clock-step, a delay, a duplicate's extra time
} fl_fault;

typedef struct fl_scenario {
    uint64_t seed;
    fl_ticks lease;
    uint64_t first_token;
    fl_fencing fencing;
    fl_ticks until;
    fl_ticks origin; // added to what every clock reads
    fl_ticks max_clock_skew;
    fl_ticks min_renew_lead;
    double rate_error;
    fl_scenario_clock service_clock;
    fl_scenario_clock storage_clock;
    fl_ticks latency_min;
    fl_ticks latency_max;
    double loss;
    double duplicate;
    fl_ticks timeout;
    fl_ticks calm_from; // from then on the network loses and duplicates nothing by chance
    uint32_t client_count;
    uint32_t fault_count;
    fl_scenario_client clients[FL_SCENARIO_CLIENTS_MAX];
    fl_fault faults[FL_SCENARIO_FAULTS_MAX];
} fl_scenario;

// A packed scenario: times in ticks, -1 for FL_NEVER, flags 0 or 1.
#define FL_PACKED_HEADER 21
#define FL_PACKED_CLIENT 12
#define FL_PACKED_FAULT 8
#define FL_PACKED_MAX                                                                              \
    (FL_PACKED_HEADER + FL_PACKED_CLIENT * FL_SCENARIO_CLIENTS_MAX +                               \
     FL_PACKED_FAULT * FL_SCENARIO_FAULTS_MAX)

// Writes the packed form to `numbers`, which has room for FL_PACKED_MAX; gives its length.
size_t fl_scenario_pack(const fl_scenario *scenario, double *numbers);

// Reads and checks a packed scenario.
//   FL_INVALID_OPTIONS: a number is out of its range, or the length is wrong; `*bad` is the
//   position of the first such number.
fl_result fl_scenario_unpack(const double *numbers, size_t count, fl_scenario *scenario,
                             size_t *bad);

static inline uint32_t fl_scenario_node_count(const fl_scenario *scenario) {
    return FL_NODE_CLIENT + scenario->client_count;
}

// A client's timers for its holder are as coarse as a runtime's: about a millisecond. That also
// keeps an instant between two ticks from being rounded to the one or the other by chance.
#define FL_HOLDER_TIMER_TICKS 512

// What the lease holders of a scenario are made with.
fl_lease_holder_options fl_scenario_holder_options(const fl_scenario *scenario);

static inline fl_fencing_rule fl_scenario_rule(const fl_scenario *scenario) {
    return scenario->fencing == FL_SCENARIO_ABOVE ? FL_FENCING_ABOVE : FL_FENCING_AT_LEAST;
}

#endif
