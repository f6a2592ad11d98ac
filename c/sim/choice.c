#include "choice.h"

#define FL_CHOICE_CAPACITY_MIN 256

void fl_choice_init(fl_choice *choice, const fl_allocator *allocator, bool records) {
    *choice = (fl_choice){.allocator = fl_allocator_or_default(allocator), .records = records};
}

void fl_choice_free(fl_choice *choice) {
    fl_free(&choice->allocator, choice->recorded, choice->recorded_capacity * sizeof(uint32_t));
    choice->recorded = NULL;
    choice->recorded_capacity = 0;
}

void fl_choice_seed(fl_choice *choice, uint64_t seed) {
    choice->seed = seed;
    choice->replays = false;
    choice->count = 0;
    choice->out_of_memory = false;
}

void fl_choice_replay(fl_choice *choice, const uint32_t *decisions, size_t count) {
    choice->replays = true;
    choice->replayed = decisions;
    choice->replayed_count = count;
    choice->count = 0;
    choice->out_of_memory = false;
}

static void fl_choice_record(fl_choice *choice, uint32_t chosen) {
    if (choice->records) {
        if (choice->count >= choice->recorded_capacity) {
            size_t old = choice->recorded_capacity;
            size_t capacity = old == 0 ? FL_CHOICE_CAPACITY_MIN : old * 2;
            void *recorded =
                choice->allocator.reallocate(choice->allocator.context, choice->recorded,
                                             old * sizeof(uint32_t), capacity * sizeof(uint32_t));
            if (recorded == NULL) {
                choice->out_of_memory = true;
                return;
            }
            choice->recorded = recorded;
            choice->recorded_capacity = capacity;
        }
        choice->recorded[choice->count] = chosen;
    }
    choice->count++;
}

// The finishing steps of SplitMix64, which leave no bit of the input unmixed.
static uint64_t fl_choice_mix(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

static uint64_t fl_choice_hash(const fl_choice *choice, fl_decision decision) {
    uint64_t label = (uint64_t) decision.subject << 32 | decision.ordinal;
    uint64_t key = choice->seed + ((uint64_t) decision.kind + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return fl_choice_mix(fl_choice_mix(key) ^ label);
}

static uint32_t fl_choice_replayed(const fl_choice *choice, uint32_t count) {
    if (choice->count >= choice->replayed_count) return 0;
    uint32_t chosen = choice->replayed[choice->count];
    return chosen < count ? chosen : count - 1;
}

uint32_t fl_choose(fl_choice *choice, fl_decision decision, uint32_t count) {
    FL_ASSERT(count > 0);
    uint32_t chosen =
        choice->replays
            ? fl_choice_replayed(choice, count)
            : (uint32_t) ((fl_choice_hash(choice, decision) >> 32) * (uint64_t) count >> 32);
    fl_choice_record(choice, chosen);
    return chosen;
}

bool fl_choose_chance(fl_choice *choice, fl_decision decision, double probability) {
    uint32_t chosen;
    if (choice->replays) {
        chosen = fl_choice_replayed(choice, 2);
    } else {
        double drawn = (double) (fl_choice_hash(choice, decision) >> 32) / 4294967296.0;
        chosen = drawn < probability ? 1 : 0;
    }
    fl_choice_record(choice, chosen);
    return chosen == 1;
}
