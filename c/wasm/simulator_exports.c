// The simulator's face to JavaScript. A scenario comes in packed, as a list of doubles; a trace is
// read where it lies; a history comes in a batch of events at a time. Like exports.c it converts,
// makes one call and encodes the answer.

#include "../sim/history.h"
#include "../sim/suite.h"

#include <math.h>

#define EXPORT(name) __attribute__((export_name(#name)))

// What is left for JavaScript to read besides the returned number.
typedef enum fl_report_field {
    FL_REPORT_COUNT,    // events, or the position of a bad number in a packed scenario
    FL_REPORT_HASH_LOW, // of 32 bits each
    FL_REPORT_HASH_HIGH,
    FL_REPORT_VIOLATIONS, // all of them
    FL_REPORT_KEPT,       // violations that can be read
    FL_REPORT_EVENTS_AT,  // addresses
    FL_REPORT_VIOLATIONS_AT,
    FL_REPORT_SEEDS,
    FL_REPORT_FAILING_SEEDS,
    FL_REPORT_FIRST_FAILING_SEED,
    FL_REPORT_JUDGED_BY_I5,
    FL_REPORT_TALLY, // injected and took effect, kind by kind
    FL_REPORT_FIELDS = FL_REPORT_TALLY + 2 * FL_TALLY_KINDS,
} fl_report_field;

typedef struct fl_simulator {
    fl_world *world;
    fl_choice choice;
    fl_trace trace;
    fl_checker checker;
    fl_fault_tally tally;
    fl_scenario scenario;
    fl_suite_result suite;
    double packed[FL_PACKED_MAX];
    double report[FL_REPORT_FIELDS];
} fl_simulator;

// Made at the first use, so that a program that only locks does not pay for it.
static fl_simulator *simulator;

// Makes the simulator where there is none yet; false without memory.
EXPORT(newSimulator) int32_t new_simulator(void) {
    if (simulator != NULL) return true;
    fl_allocator allocator = fl_allocator_or_default(NULL);
    fl_simulator *made = fl_allocate(&allocator, sizeof *made);
    if (made == NULL) return false;
    if (fl_world_new(&allocator, &made->world) != FL_OK) {
        fl_free(&allocator, made, sizeof *made);
        return false;
    }
    fl_choice_init(&made->choice, &allocator, false);
    fl_trace_init(&made->trace, &allocator, true);
    simulator = made;
    return true;
}

EXPORT(packedScenario) double *packed_scenario(void) {
    return simulator->packed;
}

EXPORT(simulationReport) double *simulation_report(void) {
    return simulator->report;
}

static void report_hash(uint64_t hash) {
    simulator->report[FL_REPORT_HASH_LOW] = (double) (uint32_t) hash;
    simulator->report[FL_REPORT_HASH_HIGH] = (double) (uint32_t) (hash >> 32);
}

// Runs the packed scenario of so many numbers, to its end or to `limit` events. Gives 0, or minus a
// result.
EXPORT(simulate) int32_t simulate(uint32_t count, uint32_t limit) {
    double *report = simulator->report;
    size_t bad = 0;
    fl_result result = fl_scenario_unpack(simulator->packed, count, &simulator->scenario, &bad);
    report[FL_REPORT_COUNT] = (double) bad;
    if (result != FL_OK) return -(int32_t) result;
    fl_choice_seed(&simulator->choice, simulator->scenario.seed);
    fl_trace_begin(&simulator->trace, limit);
    result = fl_world_run(simulator->world, &simulator->scenario, &simulator->choice,
                          &simulator->trace, &simulator->checker, &simulator->tally);
    if (result != FL_OK) return -(int32_t) result;
    report[FL_REPORT_COUNT] = (double) simulator->trace.count;
    report_hash(simulator->trace.hash);
    report[FL_REPORT_VIOLATIONS] = simulator->checker.count;
    report[FL_REPORT_KEPT] = fl_checker_kept(&simulator->checker);
    report[FL_REPORT_EVENTS_AT] = (double) (uintptr_t) simulator->trace.events;
    report[FL_REPORT_VIOLATIONS_AT] = (double) (uintptr_t) simulator->checker.violations;
    return 0;
}

// Which relation among lease options the scenario breaks that was refused last; 0 for none.
EXPORT(scenarioFault) int32_t scenario_fault(void) {
    fl_lease_holder_options options = fl_scenario_holder_options(&simulator->scenario);
    return (int32_t) fl_lease_holder_options_check(&options);
}

// Draws the scenario of a suite's seed into the packed one; gives the count of its numbers.
EXPORT(drawScenario) uint32_t draw_scenario(uint32_t suite, uint32_t fencing, double seed) {
    FL_ASSERT(suite < FL_SUITES);
    FL_ASSERT(fencing <= FL_SCENARIO_OFF);
    fl_suite_draw((fl_suite) suite, (fl_fencing) fencing, (uint64_t) seed, &simulator->choice,
                  &simulator->scenario);
    return (uint32_t) fl_scenario_pack(&simulator->scenario, simulator->packed);
}

// Runs seeds of a suite, without their traces, and adds them to those before where `goes_on`. Gives
// 0, or minus a result.
EXPORT(runSuite)
int32_t run_suite(uint32_t suite, uint32_t fencing, double first, double count, int32_t goes_on) {
    FL_ASSERT(suite < FL_SUITES);
    FL_ASSERT(fencing <= FL_SCENARIO_OFF);
    double *report = simulator->report;
    fl_suite_result *run = &simulator->suite;
    if (!goes_on) *run = (fl_suite_result){0};
    fl_result result = fl_suite_run((fl_suite) suite, (fl_fencing) fencing, (uint64_t) first,
                                    (uint64_t) count, NULL, run);
    if (result != FL_OK) return -(int32_t) result;
    report[FL_REPORT_COUNT] = (double) run->events;
    report_hash(run->hash);
    report[FL_REPORT_VIOLATIONS] = (double) run->violations;
    report[FL_REPORT_SEEDS] = (double) run->seeds;
    report[FL_REPORT_FAILING_SEEDS] = (double) run->failing_seeds;
    report[FL_REPORT_FIRST_FAILING_SEED] = (double) run->first_failing_seed;
    report[FL_REPORT_JUDGED_BY_I5] = (double) run->judged_by_i5;
    for (int i = 0; i < FL_TALLY_KINDS; i++) {
        report[FL_REPORT_TALLY + 2 * i] = (double) run->tally.injected[i];
        report[FL_REPORT_TALLY + 2 * i + 1] = (double) run->tally.took_effect[i];
    }
    return 0;
}

// A history's events are written here, so many at a time.
#define HISTORY_BATCH 256
static fl_history_event history_batch[HISTORY_BATCH];

_Static_assert(sizeof(fl_history_event) == 80, "JavaScript writes a history's events so");
_Static_assert(sizeof(fl_judged) == 40, "JavaScript reads ten words");

// A batch stops where not so many violations could be kept any more: an event reports a few at
// most, save where many clients trust a lock at once.
#define HISTORY_ROOM 24

EXPORT(historyBatch) fl_history_event *history_batch_address(void) {
    return history_batch;
}

// Begins to judge a history; NULL without memory.
EXPORT(newHistory) fl_history *new_history(double tolerance, uint32_t fencing) {
    fl_history *history = NULL;
    fl_result result = fl_history_new(NULL, tolerance, fencing, &history);
    return result == FL_OK ? history : NULL;
}

EXPORT(freeHistory) void free_history(fl_history *history) {
    fl_history_free(history);
}

// Takes events `from` to before `to` of the batch, or fewer when much is found. Gives the number of
// the next one to take, or minus a result. What was found before must have been read.
EXPORT(observeHistory)
int32_t observe_history(fl_history *history, uint32_t from, uint32_t to) {
    FL_ASSERT(to <= HISTORY_BATCH);
    fl_checker *checker = fl_history_checker(history);
    checker->count = 0;
    while (from < to) {
        if (!fl_history_settle(history, history_batch[from].time)) break;
        if (checker->count > FL_VIOLATIONS_MAX - HISTORY_ROOM) break;
        fl_result result = fl_history_observe(history, &history_batch[from]);
        if (result != FL_OK) return -(int32_t) result;
        from++;
    }
    return (int32_t) from;
}

// After the last event. Gives whether there is more to come, once what was found has been read.
EXPORT(endHistory) int32_t end_history(fl_history *history) {
    fl_history_checker(history)->count = 0;
    return !fl_history_settle(history, INFINITY);
}

EXPORT(historyFound) double history_found(fl_history *history) {
    return fl_history_checker(history)->count;
}

EXPORT(historyViolations) fl_violation *history_violations(fl_history *history) {
    return fl_history_checker(history)->violations;
}

EXPORT(historyJudged) fl_judged *history_judged(fl_history *history) {
    return &fl_history_checker(history)->judged;
}

// The names in the simulator's tables, so that JavaScript keeps no second list of them. NULL past
// the end of a table.
EXPORT(simulatorText) const char *simulator_text(uint32_t table, uint32_t index) {
    switch (table) {
    case 0:
        return fl_trace_text(FL_TABLE_EVENTS, index);
    case 1:
        return fl_trace_text(FL_TABLE_OPERATIONS, index);
    case 2:
        return fl_trace_text(FL_TABLE_OUTCOMES, index);
    case 3:
        return fl_trace_text(FL_TABLE_REASONS, index);
    case 4:
        return fl_fault_text(index);
    case 5:
        return fl_fencing_text(index);
    case 6:
        return fl_suite_name(index);
    case 7:
        return fl_tally_text(index);
    case 8:
        return fl_violation_rule(index);
    case 9:
        return fl_violation_text(index);
    default:
        return NULL;
    }
}
