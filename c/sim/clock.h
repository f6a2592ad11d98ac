// A node's clock: whole ticks of its own, computed from true time by an offset and a rate.

#ifndef FL_SIM_CLOCK_H
#define FL_SIM_CLOCK_H

#include "trace.h"

typedef struct fl_sim_clock {
    double rate;
    fl_ticks true_base;  // at this true time ...
    fl_ticks local_base; // ... it read this
    bool stopped;
} fl_sim_clock;

// What it reads. Whole ticks, so that moving the origin of all clocks moves every reading exactly.
static inline fl_ticks fl_sim_clock_read(const fl_sim_clock *clock, fl_ticks now) {
    if (clock->stopped) return clock->local_base;
    double elapsed = clock->rate * (double) (now - clock->true_base);
    return clock->local_base + (fl_ticks) (elapsed + 0.5);
}

// The first true time, at or after `now`, at which it reads `local` or more; FL_NEVER while it
// stands still before that.
static inline fl_ticks fl_sim_clock_when(const fl_sim_clock *clock, fl_ticks local, fl_ticks now) {
    if (fl_sim_clock_read(clock, now) >= local) return now;
    if (clock->stopped) return FL_NEVER;
    double elapsed = (double) (local - clock->local_base) / clock->rate;
    fl_ticks when = clock->true_base + (fl_ticks) elapsed - 1 - (fl_ticks) (0.5 / clock->rate);
    if (when < now) when = now;
    while (fl_sim_clock_read(clock, when) < local)
        when++;
    return when;
}

// Begins to count from what it reads now: before its state changes.
static inline void fl_sim_clock_rebase(fl_sim_clock *clock, fl_ticks now) {
    clock->local_base = fl_sim_clock_read(clock, now);
    clock->true_base = now;
}

#endif
