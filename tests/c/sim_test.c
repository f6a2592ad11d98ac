// The simulator in parts: clocks, the queue, choices, runs, packed scenarios, and memory that runs
// out.

#include "../../c/sim/clock.h"
#include "../../c/sim/queue.h"
#include "../../c/sim/suite.h"
#include "memory.h"
#include "test.h"

#define SECOND FL_TICKS_PER_SECOND

// Clocks and the queue -------------------------------------------------------------------------

static void a_clock_reaches_a_reading_at_its_first_tick(void) {
    static const double rates[] = {0.01, 0.95, 1, 1.000001, 1.7, 100};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        fl_sim_clock clock = {.rate = rates[i], .true_base = 777, .local_base = -5000};
        for (fl_ticks local = -6000; local < 40 * SECOND; local = local * 3 / 2 + 12345) {
            fl_ticks when = fl_sim_clock_when(&clock, local, 1000);
            CHECK(when >= 1000);
            CHECK(fl_sim_clock_read(&clock, when) >= local);
            CHECK(when == 1000 || fl_sim_clock_read(&clock, when - 1) < local);
        }
    }
}

static void a_clock_that_stands_reaches_nothing(void) {
    fl_sim_clock clock = {.rate = 2};
    fl_sim_clock_rebase(&clock, 100);
    clock.stopped = true;
    CHECK(fl_sim_clock_read(&clock, 5000) == 200);
    CHECK(fl_sim_clock_when(&clock, 201, 5000) == FL_NEVER);
    CHECK(fl_sim_clock_when(&clock, 200, 5000) == 5000);
}

static void the_queue_is_in_the_order_of_time_and_sequence(void) {
    fl_allocator allocator = fl_allocator_or_default(NULL);
    fl_queue queue = {0};
    uint32_t state = 1;
    for (uint32_t i = 0; i < 3000; i++) {
        state = state * 1664525 + 1013904223;
        CHECK(fl_queue_push(&queue, &allocator, (fl_queue_entry){.time = state >> 24, .index = i}));
    }
    fl_queue_entry last = {.time = -1}, entry;
    for (uint32_t i = 0; i < 3000; i++) {
        CHECK(fl_queue_pop(&queue, &entry));
        CHECK(entry.time > last.time || (entry.time == last.time && entry.index > last.index));
        last = entry;
    }
    CHECK(!fl_queue_pop(&queue, &entry));
    fl_free(&allocator, queue.entries, queue.capacity * sizeof(fl_queue_entry));
}

// Runs ------------------------------------------------------------------------------------------

typedef struct bench {
    fl_scenario scenario;
    fl_checker checker;
    fl_fault_tally tally;
    fl_choice choice;
    fl_trace trace;
    fl_world *world;
} bench;

static bench *bench_new(const fl_allocator *allocator, bool records) {
    bench *made = calloc(1, sizeof *made);
    fl_choice_init(&made->choice, allocator, records);
    fl_trace_init(&made->trace, allocator, true);
    return made;
}

static void bench_free(bench *bench) {
    fl_world_free(bench->world);
    fl_trace_free(&bench->trace);
    fl_choice_free(&bench->choice);
    free(bench);
}

static fl_result bench_run(bench *bench, size_t limit) {
    fl_trace_begin(&bench->trace, limit);
    return fl_world_run(bench->world, &bench->scenario, &bench->choice, &bench->trace,
                        &bench->checker, &bench->tally);
}

static void a_recorded_run_is_replayed(void) {
    bench *bench = bench_new(NULL, true);
    CHECK(fl_world_new(NULL, &bench->world) == FL_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fl_suite_draw(FL_SUITE_CHAOS, FL_SCENARIO_AT_LEAST, seed, &bench->choice, &bench->scenario);
        CHECK(bench_run(bench, SIZE_MAX) == FL_OK);
        uint64_t hash = bench->trace.hash;
        size_t count = bench->choice.count;
        uint32_t *decisions = malloc(count * sizeof *decisions);
        memcpy(decisions, bench->choice.recorded, count * sizeof *decisions);
        bench->choice.seed = 0;
        fl_choice_replay(&bench->choice, decisions, count);
        CHECK(bench_run(bench, SIZE_MAX) == FL_OK);
        CHECK(bench->trace.hash == hash);
        CHECK(bench->choice.count == count);
        free(decisions);
    }
    bench_free(bench);
}

static void past_the_end_of_a_record_the_simplest_is_chosen(void) {
    static const uint32_t decisions[] = {7, 1, 9};
    fl_choice choice;
    fl_choice_init(&choice, NULL, false);
    fl_choice_replay(&choice, decisions, 3);
    fl_decision decision = {FL_DECIDE_LATENCY, 1, 1};
    CHECK(fl_choose(&choice, decision, 10) == 7);
    CHECK(fl_choose_chance(&choice, decision, 0));
    CHECK(fl_choose(&choice, decision, 5) == 4); // a record of another scenario
    CHECK(fl_choose(&choice, decision, 10) == 0);
    CHECK(!fl_choose_chance(&choice, decision, 1));
    fl_choice_free(&choice);
}

static void choices_depend_on_their_label_alone(void) {
    fl_choice choice;
    fl_choice_init(&choice, NULL, false);
    fl_choice_seed(&choice, 7);
    fl_decision decision = {FL_DECIDE_LATENCY, 3, 4};
    uint32_t first = fl_choose(&choice, decision, 1000000);
    uint32_t happened = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        fl_decision other = {FL_DECIDE_LOSS, 3, i};
        happened += fl_choose_chance(&choice, other, 0.25);
        sum += fl_choose(&choice, other, 1001);
    }
    CHECK(fl_choose(&choice, decision, 1000000) == first);
    CHECK(happened > 2300 && happened < 2700);
    CHECK(sum > 4850000 && sum < 5150000);
    fl_choice_free(&choice);
}

static void a_run_stops_at_its_limit(void) {
    bench *bench = bench_new(NULL, false);
    CHECK(fl_world_new(NULL, &bench->world) == FL_OK);
    fl_suite_draw(FL_SUITE_DRIFT, FL_SCENARIO_AT_LEAST, 1, &bench->choice, &bench->scenario);
    CHECK(bench_run(bench, 100) == FL_OK);
    // What happens at one instant is not taken apart, so a few more may come.
    CHECK(bench->trace.count >= 100);
    CHECK(bench->trace.count < 120);
    CHECK(bench->checker.count == 0);
    bench_free(bench);
}

static void memory_that_runs_out_breaks_a_run_off(void) {
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        fl_allocator allocator = test_memory_allocator(&memory);
        bench *bench = bench_new(&allocator, true);
        fl_result result = fl_world_new(&allocator, &bench->world);
        if (result == FL_OK) {
            fl_suite_draw(FL_SUITE_CHAOS, FL_SCENARIO_AT_LEAST, 4, &bench->choice,
                          &bench->scenario);
            result = bench_run(bench, SIZE_MAX);
        }
        bool failed = memory.requests >= fail_at;
        CHECK(result == (failed ? FL_OUT_OF_MEMORY : FL_OK));
        if (failed && bench->world != NULL) {
            // The same world then runs as if nothing had been.
            memory.fail_at = 0;
            fl_choice_seed(&bench->choice, bench->scenario.seed);
            CHECK(bench_run(bench, SIZE_MAX) == FL_OK);
            CHECK(bench->checker.count == 0);
        }
        bench_free(bench);
        CHECK(memory.bytes == 0);
        if (!failed || test_failed) return;
    }
}

static void a_suite_survives_that_memory_runs_out(void) {
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        fl_allocator allocator = test_memory_allocator(&memory);
        fl_suite_result result = {0};
        fl_result outcome =
            fl_suite_run(FL_SUITE_CHAOS, FL_SCENARIO_ABOVE, 1, 3, &allocator, &result);
        bool failed = memory.requests >= fail_at;
        CHECK(outcome == (failed ? FL_OUT_OF_MEMORY : FL_OK));
        CHECK(memory.bytes == 0);
        CHECK(result.violations == 0);
        if (!failed || test_failed) return;
    }
}

static void a_service_without_tokens_refuses_even_after_a_restart(void) {
    bench *bench = bench_new(NULL, false);
    CHECK(fl_world_new(NULL, &bench->world) == FL_OK);
    fl_suite_draw(FL_SUITE_CHAOS, FL_SCENARIO_AT_LEAST, 1, &bench->choice, &bench->scenario);
    bench->scenario.first_token = FL_TOKEN_MAX;
    bench->scenario.fault_count = 1;
    bench->scenario.faults[0] = (fl_fault){
        .kind = FL_FAULT_CRASH, .node = FL_NODE_SERVICE, .from = 6 * SECOND, .to = 7 * SECOND};
    CHECK(bench_run(bench, SIZE_MAX) == FL_OK);
    int granted = 0, exhausted = 0;
    for (size_t i = 0; i < bench->trace.count; i++) {
        const fl_event *event = &bench->trace.events[i];
        if (event->kind != FL_EVENT_ACQUIRE) continue;
        granted += event->outcome == FL_OUTCOME_GRANTED;
        exhausted += event->reason == FL_REASON_TOKENS_EXHAUSTED && event->time > 11 * SECOND;
    }
    CHECK(granted == 1);
    CHECK(exhausted > 0);
    // Nobody gets the lock any more, which I6 does not hold against a service without tokens.
    CHECK(bench->checker.count == 0);
    bench_free(bench);
}

// Packed scenarios ------------------------------------------------------------------------------

static void a_packed_scenario_comes_back(void) {
    bench *bench = bench_new(NULL, false);
    static double packed[FL_PACKED_MAX], again[FL_PACKED_MAX];
    for (uint64_t seed = 1; seed <= 500; seed++) {
        size_t bad = 0;
        fl_suite suite = seed % 2 == 0 ? FL_SUITE_CHAOS : FL_SUITE_DRIFT;
        fl_suite_draw(suite, FL_SCENARIO_ABOVE, seed, &bench->choice, &bench->scenario);
        size_t count = fl_scenario_pack(&bench->scenario, packed);
        CHECK(fl_scenario_unpack(packed, count, &bench->scenario, &bad) == FL_OK);
        CHECK(fl_scenario_pack(&bench->scenario, again) == count);
        CHECK(memcmp(packed, again, count * sizeof packed[0]) == 0);
    }
    bench_free(bench);
}

static void a_bad_number_is_found(void) {
    bench *bench = bench_new(NULL, false);
    static double packed[FL_PACKED_MAX];
    fl_suite_draw(FL_SUITE_DRIFT, FL_SCENARIO_AT_LEAST, 3, &bench->choice, &bench->scenario);
    size_t count = fl_scenario_pack(&bench->scenario, packed);
    CHECK(bench->scenario.fault_count > 0);
    for (size_t i = 0; i < count; i++) {
        double good = packed[i];
        size_t bad = SIZE_MAX;
        static const double wrong[] = {1e300, -1e300};
        for (int j = 0; j < 2; j++) {
            packed[i] = wrong[j];
            CHECK(fl_scenario_unpack(packed, count, &bench->scenario, &bad) == FL_INVALID_OPTIONS);
            CHECK(bad == i);
        }
        packed[i] = good;
    }
    size_t bad = SIZE_MAX;
    CHECK(fl_scenario_unpack(packed, count - 1, &bench->scenario, &bad) == FL_INVALID_OPTIONS);
    CHECK(bad == count - 1);
    CHECK(fl_scenario_unpack(packed, 0, &bench->scenario, &bad) == FL_INVALID_OPTIONS);
    CHECK(fl_scenario_unpack(packed, count, &bench->scenario, &bad) == FL_OK);
    bench_free(bench);
}

TEST_MAIN(TEST_CASE(a_clock_reaches_a_reading_at_its_first_tick),
          TEST_CASE(a_clock_that_stands_reaches_nothing),
          TEST_CASE(the_queue_is_in_the_order_of_time_and_sequence),
          TEST_CASE(a_recorded_run_is_replayed),
          TEST_CASE(past_the_end_of_a_record_the_simplest_is_chosen),
          TEST_CASE(choices_depend_on_their_label_alone), TEST_CASE(a_run_stops_at_its_limit),
          TEST_CASE(memory_that_runs_out_breaks_a_run_off),
          TEST_CASE(a_suite_survives_that_memory_runs_out),
          TEST_CASE(a_service_without_tokens_refuses_even_after_a_restart),
          TEST_CASE(a_packed_scenario_comes_back), TEST_CASE(a_bad_number_is_found))
