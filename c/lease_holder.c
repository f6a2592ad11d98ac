#include "base.h"

// The first renewal comes at this part of the lease, or sooner (R15).
#define FIRST_RENEWAL_PART (1.0 / 3)

// Of the slack, which is what the trust leaves beyond min_renew_lead and the skew, the part after
// which the first renewal is sent. A partition may begin just then. It is over with the other half
// of the slack left, and since no gap is longer than half of what is left (see next_attempt), a
// quarter of the slack remains for the round trip of the try that gets through (I5).
#define FIRST_RENEWAL_SLACK_PART 0.5

// By this client's clock a partition may seem to last longer than it does, by the skew. That much
// is kept free for it, but no more of a short lease than this part of what the partition leaves:
// with leases below min_renew_lead + 4 * max_clock_skew the two at their worst together may cost
// the lock.
#define SKEW_PART_OF_REST (1.0 / 3)

// The first gap of the backoff: this part of the lease, or of the slack where that is less. Each
// later one is twice as long. With a lease of 10 seconds, tries follow a failure after 0.4, 1.2,
// 2.8 ... seconds.
#define FIRST_GAP_PART 0.04
#define FIRST_GAP_SLACK_PART (1.0 / 6)

// No gap is longer than this part of the trust that is left. Where that is less than the first gap,
// the end is too near for one more try.
#define GAP_PART_OF_REST 0.5

// A gap is shortened by up to this part, by chance, so that clients that failed together do not
// come back together. Small enough that each gap still is longer than the one before.
#define JITTER_PART 0.25

fl_lease_options_fault fl_lease_holder_options_check(const fl_lease_holder_options *options) {
    if (!fl_time_is_valid(options->lease_seconds) || options->lease_seconds <= 0) {
        return FL_LEASE_OPTIONS_LEASE;
    }
    if (!fl_time_is_valid(options->max_clock_skew_seconds) || options->max_clock_skew_seconds < 0) {
        return FL_LEASE_OPTIONS_SKEW;
    }
    if (!fl_time_is_valid(options->min_renew_lead_seconds) || options->min_renew_lead_seconds < 0) {
        return FL_LEASE_OPTIONS_LEAD;
    }
    if (!(options->rate_error >= 0 && options->rate_error < 1)) return FL_LEASE_OPTIONS_RATE;
    double usable = options->lease_seconds * (1 - options->rate_error);
    if (usable <= options->max_clock_skew_seconds + options->min_renew_lead_seconds) {
        return FL_LEASE_OPTIONS_LEASE_TOO_SHORT;
    }
    return FL_LEASE_OPTIONS_GOOD;
}

const char *fl_lease_options_fault_text(fl_lease_options_fault fault) {
    static const char *const texts[] = {
#define FL_LEASE_OPTIONS_ENTRY(name, text) text,
        FL_LEASE_OPTIONS_MAP(FL_LEASE_OPTIONS_ENTRY)
#undef FL_LEASE_OPTIONS_ENTRY
    };
    FL_ASSERT((size_t) fault < sizeof texts / sizeof texts[0]);
    return texts[fault];
}

// How long a lease is trusted from the instant at which it was asked for (R14).
static double trust_seconds(const fl_lease_holder_options *options) {
    return options->lease_seconds * (1 - options->rate_error) - options->max_clock_skew_seconds;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

// What the trust leaves beyond the longest partition that is to be outlived, as this clock sees it.
static double slack_seconds(const fl_lease_holder_options *options) {
    double rest = trust_seconds(options) - options->min_renew_lead_seconds;
    return rest - smaller(options->max_clock_skew_seconds, rest * SKEW_PART_OF_REST);
}

// How long after a request that succeeded the next renewal is due (R15).
static double renew_after_seconds(const fl_lease_holder_options *options) {
    return smaller(options->lease_seconds * FIRST_RENEWAL_PART,
                   slack_seconds(options) * FIRST_RENEWAL_SLACK_PART);
}

// When to try again after a renewal that is not answered yet: after a pause that is doubled each
// time, shortened by chance, and never longer than half the trust that is left.
static double next_attempt(const fl_lease_holder *holder, double now, uint32_t random) {
    FL_ASSERT(holder->unanswered > 0);
    double longest = (holder->safe_until - now) * GAP_PART_OF_REST;
    double gap = smaller(holder->options.lease_seconds * FIRST_GAP_PART,
                         slack_seconds(&holder->options) * FIRST_GAP_SLACK_PART);
    if (longest < gap) return holder->safe_until;
    for (uint32_t i = 1; i < holder->unanswered && gap < 2 * longest; i++)
        gap *= 2;
    gap *= 1 - JITTER_PART * (random / 4294967296.0);
    double next = now + smaller(gap, longest);
    // A gap too short for the clock's own resolution leaves nothing to do but wait for the end.
    return next > now ? next : holder->safe_until;
}

fl_result fl_lease_holder_start(fl_lease_holder *holder, const fl_lease_holder_options *options,
                                double sent, double now) {
    if (fl_lease_holder_options_check(options) != FL_LEASE_OPTIONS_GOOD) return FL_INVALID_OPTIONS;
    if (!fl_time_is_valid(sent) || !fl_time_is_valid(now)) return FL_INVALID_TIME;
    double safe_until = sent + trust_seconds(options);
    if (now >= safe_until || now < sent) return FL_REFUSED;
    *holder = (fl_lease_holder){
        .options = *options,
        .state = FL_LEASE_HELD,
        .latest_time = now,
        .safe_until = safe_until,
        .next_attempt_at = sent + renew_after_seconds(options),
    };
    return FL_OK;
}

// Whether the clock has stepped back by more than what the skew allows for.
static bool has_stepped_back(const fl_lease_holder *holder, double now) {
    return now < holder->latest_time - holder->options.max_clock_skew_seconds;
}

static void begin_to_doubt(fl_lease_holder *holder, double now) {
    holder->restoring_attempt = holder->attempts + 1;
    holder->next_attempt_at = now;
}

// Counts the instants on a clock that has stepped back from there on, so that no more trust is left
// than before.
static void follow_clock_back(fl_lease_holder *holder, double now) {
    double step = holder->latest_time - now;
    holder->safe_until -= step;
    for (int i = 0; i < FL_LEASE_ATTEMPTS_MAX; i++)
        holder->attempt_sent_at[i] -= step;
    holder->latest_time = now;
    begin_to_doubt(holder, now);
}

// Takes note of the time, which loses the lease if its instant has come, whether or not anyone
// asked at that instant.
static void observe(fl_lease_holder *holder, double now) {
    if (holder->state != FL_LEASE_HELD) return;
    if (has_stepped_back(holder, now)) follow_clock_back(holder, now);
    if (now > holder->latest_time) holder->latest_time = now;
    if (now >= holder->safe_until) holder->state = FL_LEASE_LOST_EXPIRED;
}

fl_lease_step fl_lease_holder_step(fl_lease_holder *holder, double now, uint32_t random) {
    observe(holder, now);
    if (holder->state != FL_LEASE_HELD) return (fl_lease_step){.action = FL_LEASE_STOP};
    fl_lease_step step = {.action = FL_LEASE_WAIT};
    if (now >= holder->next_attempt_at) {
        step.action = FL_LEASE_RENEW;
        step.attempt = ++holder->attempts;
        holder->unanswered++;
        holder->attempt_sent_at[step.attempt % FL_LEASE_ATTEMPTS_MAX] = now;
        holder->next_attempt_at = next_attempt(holder, now, random);
    }
    bool ends_first = holder->safe_until < holder->next_attempt_at;
    step.wake_at = ends_first ? holder->safe_until : holder->next_attempt_at;
    FL_ASSERT(step.wake_at > now);
    return step;
}

static void renewed(fl_lease_holder *holder, uint32_t attempt) {
    if (holder->attempts - attempt >= FL_LEASE_ATTEMPTS_MAX) return;
    double sent = holder->attempt_sent_at[attempt % FL_LEASE_ATTEMPTS_MAX];
    if (attempt >= holder->restoring_attempt) holder->restoring_attempt = 0;
    // Only ever forward (R16): an answer to an older request says less than we know.
    double safe_until = sent + trust_seconds(&holder->options);
    if (safe_until <= holder->safe_until) return;
    holder->safe_until = safe_until;
    if (holder->restoring_attempt > 0) return; // still in doubt, so the next try stays due
    // Later tries that are under way may be answered too: a slow service is not asked all the more
    // often for its slowness. Their pauses stand, none of them longer than half the trust then
    // left.
    holder->unanswered = holder->attempts - attempt;
    double due = sent + renew_after_seconds(&holder->options);
    bool waits_longer = holder->unanswered > 0 && holder->next_attempt_at > due;
    if (!waits_longer) holder->next_attempt_at = due;
}

void fl_lease_holder_answer(fl_lease_holder *holder, double now, uint32_t attempt,
                            fl_lease_answer answer) {
    FL_ASSERT(attempt > 0);
    FL_ASSERT(attempt <= holder->attempts);
    observe(holder, now);
    if (holder->state != FL_LEASE_HELD) return;
    if (answer == FL_LEASE_RENEWED) renewed(holder, attempt);
    if (answer == FL_LEASE_REFUSED) holder->state = FL_LEASE_LOST_REFUSED;
}

void fl_lease_holder_doubt(fl_lease_holder *holder, double now) {
    observe(holder, now);
    if (holder->state == FL_LEASE_HELD) begin_to_doubt(holder, now);
}

void fl_lease_holder_release(fl_lease_holder *holder) {
    if (holder->state == FL_LEASE_HELD) holder->state = FL_LEASE_RELEASED;
}

bool fl_lease_holder_trusts(const fl_lease_holder *holder, double now) {
    if (holder->state != FL_LEASE_HELD) return false;
    if (has_stepped_back(holder, now)) return false;
    return now < holder->safe_until && holder->restoring_attempt == 0;
}
