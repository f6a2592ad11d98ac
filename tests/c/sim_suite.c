// Runs a chaos suite and prints what came of it as one line of JSON. Exits with 1 on a violation,
// with 2 on bad usage.

#include "../../c/sim/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    fl_suite suite;
    fl_fencing fencing;
    uint64_t seeds;
    uint64_t seed;
    bool stops_early;
} options;

static int usage(void) {
    fputs(
        "usage: fl_suite [--suite chaos|drift] [--rule at-least|above|off] [--seeds N] [--seed S]\n"
        "                [--until-violation]\n",
        stderr);
    return 2;
}

static bool read_number(const char *text, uint64_t *number) {
    char *end;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0;
}

static bool read_option(const char *name, const char *value, options *options) {
    if (strcmp(name, "--seeds") == 0) return read_number(value, &options->seeds);
    if (strcmp(name, "--seed") == 0) return read_number(value, &options->seed);
    if (strcmp(name, "--suite") == 0) {
        for (unsigned i = 0; i < FL_SUITES; i++) {
            options->suite = (fl_suite) i;
            if (strcmp(value, fl_suite_name(i)) == 0) return true;
        }
    }
    if (strcmp(name, "--rule") == 0) {
        for (unsigned i = 0; fl_fencing_text(i) != NULL; i++) {
            options->fencing = (fl_fencing) i;
            if (strcmp(value, fl_fencing_text(i)) == 0) return true;
        }
    }
    return false;
}

static double seconds_now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static void print(const options *options, const fl_suite_result *result, double seconds) {
    printf("{\"suite\":\"%s\",\"rule\":\"%s\",\"seed\":%llu,\"seeds\":%llu,\"events\":%llu,"
           "\"violations\":%llu,\"failingSeeds\":%llu,\"judgedByI5\":%llu,\"traceHash\":\"%"
           "016llx\",\"seconds\":%.3f",
           fl_suite_name(options->suite), fl_fencing_text(options->fencing),
           (unsigned long long) options->seed, (unsigned long long) result->seeds,
           (unsigned long long) result->events, (unsigned long long) result->violations,
           (unsigned long long) result->failing_seeds, (unsigned long long) result->judged_by_i5,
           (unsigned long long) result->hash, seconds);
    if (result->violations > 0) {
        const fl_violation *first = &result->first_violation;
        printf(",\"firstFailingSeed\":%llu,\"invariant\":\"%s\",\"text\":\"%s\",\"time\":%.6f,"
               "\"sequence\":%u",
               (unsigned long long) result->first_failing_seed, fl_violation_rule(first->kind),
               fl_violation_text(first->kind), first->time / FL_TICKS_PER_SECOND, first->sequence);
    }
    printf(",\"faults\":{");
    for (unsigned i = 0; i < FL_TALLY_KINDS; i++) {
        printf("%s\"%s\":{\"injected\":%llu,\"tookEffect\":%llu}", i == 0 ? "" : ",",
               fl_tally_text(i), (unsigned long long) result->tally.injected[i],
               (unsigned long long) result->tally.took_effect[i]);
    }
    printf("}}\n");
}

int main(int argc, char **argv) {
    options options = {.seeds = 1000, .seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--until-violation") == 0) {
            options.stops_early = true;
        } else if (i + 1 >= argc || !read_option(argv[i], argv[i + 1], &options)) {
            return usage();
        } else {
            i++;
        }
    }
    fl_suite_result result = {0};
    double begun = seconds_now();
    uint64_t at_once = options.stops_early ? 1 : options.seeds;
    for (uint64_t done = 0; done < options.seeds; done += at_once) {
        if (fl_suite_run(options.suite, options.fencing, options.seed + done, at_once, NULL,
                         &result) != FL_OK) {
            fputs("fl_suite: out of memory\n", stderr);
            return 2;
        }
        if (options.stops_early && result.violations > 0) break;
    }
    print(&options, &result, seconds_now() - begun);
    return result.violations > 0 ? 1 : 0;
}
