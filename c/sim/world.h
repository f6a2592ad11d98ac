// A simulated world: clients, a lock service and a storage, each with a clock of its own, joined by
// a network that may lose, delay, duplicate and reorder. It is advanced event by event, in the
// order of (time, sequence). The lock service, the storage and the lease holders in it are the
// real ones.

#ifndef FL_SIM_WORLD_H
#define FL_SIM_WORLD_H

#include "choice.h"
#include "invariants.h"
#include "scenario.h"

// What is counted of faults: how many were injected, and how many of those changed anything.
#define FL_TALLY_MAP(X)                                                                            \
    X(PAUSE, "pause")                                                                              \
    X(SUSPEND, "suspend")                                                                          \
    X(CLIENT_CRASH, "client crash")                                                                \
    X(SERVICE_CRASH, "service crash")                                                              \
    X(STORAGE_CRASH, "storage crash")                                                              \
    X(PARTITION, "partition")                                                                      \
    X(ONE_WAY_PARTITION, "one-way partition")                                                      \
    X(CLOCK_STEP, "clock step")                                                                    \
    X(CLOCK_RATE, "clock rate")                                                                    \
    X(LOSS, "loss")                                                                                \
    X(DUPLICATION, "duplication")                                                                  \
    X(DELAY, "delay")                                                                              \
    X(REORDERING, "reordering")

#define FL_TALLY_ENTRY(name, text) FL_TALLY_##name,
typedef enum fl_tally_kind { FL_TALLY_MAP(FL_TALLY_ENTRY) FL_TALLY_KINDS } fl_tally_kind;

typedef struct fl_fault_tally {
    uint64_t injected[FL_TALLY_KINDS];
    uint64_t took_effect[FL_TALLY_KINDS];
} fl_fault_tally;

// The text of a kind; NULL past the end.
const char *fl_tally_text(unsigned kind);

typedef struct fl_world fl_world;

// Makes a world, whose memory is used again from run to run.
//   FL_OUT_OF_MEMORY: `*world` is NULL.
fl_result fl_world_new(const fl_allocator *allocator, fl_world **world);

// Frees the world. NULL is allowed.
void fl_world_free(fl_world *world);

// Runs a scenario to its end, or to the limit of the trace. Decisions come from `choice`, every
// event goes to `trace` and `checker`, and the faults are added to `tally`.
//   FL_OUT_OF_MEMORY: the run was broken off; the world can be used again.
fl_result fl_world_run(fl_world *world, const fl_scenario *scenario, fl_choice *choice,
                       fl_trace *trace, fl_checker *checker, fl_fault_tally *tally);

#endif
