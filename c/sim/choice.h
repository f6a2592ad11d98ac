// The one source of every decision in a simulation.
//
// A decision is labelled: what is decided, about whom, and the how-manieth of its kind. From a seed
// it is answered by a keyed hash of that label, not by the next number of a stream: so an edit of
// one fault does not reshuffle the latency of unrelated messages, and two runs that differ in one
// option see the same schedule. Every decision can be recorded, and a record replayed by position.

#ifndef FL_SIM_CHOICE_H
#define FL_SIM_CHOICE_H

#include "../base.h"

typedef enum fl_decision_kind {
    FL_DECIDE_SUITE, // what a suite draws for a scenario
    FL_DECIDE_LATENCY,
    FL_DECIDE_LOSS,
    FL_DECIDE_DUPLICATE,
    FL_DECIDE_COPY_LATENCY,
    FL_DECIDE_JITTER,
} fl_decision_kind;

typedef struct fl_decision {
    fl_decision_kind kind;
    uint32_t subject; // a node, a directed pair, a feature
    uint32_t ordinal;
} fl_decision;

typedef struct fl_choice {
    uint64_t seed;
    bool replays;
    const uint32_t *replayed; // the caller's, when `replays`
    size_t replayed_count;
    bool records;
    fl_allocator allocator;
    uint32_t *recorded;
    size_t recorded_capacity;
    size_t count; // decisions so far
    bool out_of_memory;
} fl_choice;

// `records` says whether the decisions are kept.
void fl_choice_init(fl_choice *choice, const fl_allocator *allocator, bool records);
void fl_choice_free(fl_choice *choice);

// Begins to answer from a seed.
void fl_choice_seed(fl_choice *choice, uint64_t seed);

// Begins to answer from a record, which stays the caller's; past its end every answer is 0.
void fl_choice_replay(fl_choice *choice, const uint32_t *decisions, size_t count);

// Decides for one of `count` (above 0) ways, 0 being the simplest.
uint32_t fl_choose(fl_choice *choice, fl_decision decision, uint32_t count);

// Decides whether something of this probability happens: a decision between two ways.
bool fl_choose_chance(fl_choice *choice, fl_decision decision, double probability);

#endif
