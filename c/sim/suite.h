// The chaos suites: scenarios drawn from a seed, and runs of many of them.

#ifndef FL_SIM_SUITE_H
#define FL_SIM_SUITE_H

#include "world.h"

#define FL_SUITE_MAP(X)                                                                            \
    X(CHAOS, "chaos")                                                                              \
    X(DRIFT, "drift")

#define FL_SUITE_ENTRY(name, text) FL_SUITE_##name,
typedef enum fl_suite { FL_SUITE_MAP(FL_SUITE_ENTRY) FL_SUITES } fl_suite;

// The name of a suite; NULL past the end.
const char *fl_suite_name(unsigned suite);

// Draws the scenario of a seed. First it draws which kinds of fault occur at all, then how often
// and when: so that one kind is also seen without the others. After a safety phase the faults stop,
// with time left for I6 to be judged. `choice` is used, and left seeded with the same seed.
void fl_suite_draw(fl_suite suite, fl_fencing fencing, uint64_t seed, fl_choice *choice,
                   fl_scenario *scenario);

typedef struct fl_suite_result {
    uint64_t seeds; // run
    uint64_t events;
    uint64_t violations;
    uint64_t hash; // over the hashes of all traces
    uint64_t failing_seeds;
    uint64_t judged_by_i5;       // seeds in which nothing but short partitions and skew happens
    uint64_t first_failing_seed; // when there is one
    fl_violation first_violation;
    fl_fault_tally tally;
} fl_suite_result;

// Runs the seeds from `first` on, and adds to `result`, which the caller has set to zero before the
// first call. No trace is kept.
//   FL_OUT_OF_MEMORY: at some seed; the result is of those before.
fl_result fl_suite_run(fl_suite suite, fl_fencing fencing, uint64_t first, uint64_t count,
                       const fl_allocator *allocator, fl_suite_result *result);

#endif
