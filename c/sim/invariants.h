// Judges a run by I1 to I6, and the answers of the lock service and the storage by R1 to R15, from
// nothing but the events: what anyone outside the core could have seen. It reads them as they come
// and keeps none.
//
// What is promised depends on the scenario: I5 needs that nothing but short partitions happens and
// that clocks stay together, I6 that the service comes back and has tokens left. Where they are not
// promised (promises.c) they are not judged. I4 needs clocks within max_clock_skew, I2 and I3 a
// storage that fences: these are judged all the same, since how they break without is what one
// wants to see.
//
// A history without a scenario, of some other lock perhaps, is judged by less: see history.h.

#ifndef FL_SIM_INVARIANTS_H
#define FL_SIM_INVARIANTS_H

#include "scenario.h"

// The rules, and the ways to break them. In the text {node}, {peer}, {lock}, {key}, {token} and
// {other} stand for what the violation carries.
#define FL_VIOLATION_MAP(X)                                                                        \
    X(GRANT_WHILE_LIVE, "I1",                                                                      \
      "{lock} was granted to {node} with token {token} while the lease of {peer} with token "      \
      "{other} was live")                                                                          \
    X(TOKEN_NOT_NEXT, "I1", "{node} was granted {lock} with token {token}, but {other} was next")  \
    X(TOKEN_NOT_ABOVE, "I1",                                                                       \
      "{node} was granted {lock} with token {token}, although {other} had been granted before")    \
    X(GRANT_AFTER_RESTART, "I1",                                                                   \
      "{lock} was granted to {node} before the leases from before the restart were waited out")    \
    X(REFUSED_WHILE_FREE, "R1", "{node} was refused {lock}, on which no lease was live")           \
    X(LIVE_AT_ITS_END, "R1",                                                                       \
      "the lease of {peer} on {lock} with token {token} was still live at its exact end")          \
    X(RENEWED_DEAD, "R5", "{node} renewed {lock} with token {token}, which was not live")          \
    X(RENEWAL_REFUSED, "R4", "{node} was refused to renew {lock} with its live token {token}")     \
    X(RELEASED_DEAD, "R5", "{node} released {lock} with token {token}, which was not live")        \
    X(RELEASE_REFUSED, "R4", "{node} was refused to release {lock} with its live token {token}")   \
    X(GRANT_FORGOTTEN, "F32",                                                                      \
      "{node} asked for {lock} again and was told that it holds it itself, with token {other}")    \
    X(TOKEN_FELL, "I2", "{key} accepted token {token} of {node} after token {other}")              \
    X(REJECTED_BUT_CHANGED, "I2",                                                                  \
      "{key} changed although nothing was accepted, as {node} found with token {token}")           \
    X(CHANGED_AT_LAST, "I2",                                                                       \
      "{key} holds in the end another value or highest token than it accepted last, with token "   \
      "{token}")                                                                                   \
    X(WRITE_WRONGLY_REJECTED, "R10",                                                               \
      "{key} rejected {node}'s token {token}, although the highest was {other}")                   \
    X(WRITE_WRONGLY_ACCEPTED, "R11", "{key} accepted token {token} of {node} a second time")       \
    X(FENCE_WRONGLY_REJECTED, "R12",                                                               \
      "{key} refused to be fenced by {node} with token {token}; the highest was {other}")          \
    X(WRITTEN_TWICE, "F32", "{key} took the same write of {node} twice, with token {token}")       \
    X(LOST_UPDATE, "I3",                                                                           \
      "{node} replaced in {key} a value that it had not read, with token {token}")                 \
    X(TWO_HOLDERS, "I4",                                                                           \
      "{node} and {peer} trusted their leases on {lock} at once, with tokens {token} and {other}") \
    X(TWO_HOLDERS_BY_CLOCKS, "I4",                                                                 \
      "{node} and {peer} trusted their leases on {lock} at once, with tokens {token} and "         \
      "{other}, as their clocks came further apart than is allowed for")                           \
    X(LOST_IN_PARTITION, "I5",                                                                     \
      "{node} lost {lock} with token {token}, though no partition outlasted minRenewLead")         \
    X(NOBODY_GOT_IT, "I6",                                                                         \
      "{node} still waits for {lock}, though the faults are over and a lease and a retry went by") \
    X(RENEWED_AFTER_LOSS, "R15",                                                                   \
      "{node} sent a renewal of {lock} after it had lost token {token}")                           \
    X(TRUSTED_AFTER_LOSS, "R15",                                                                   \
      "{node} trusted its lease on {lock} again after it had lost token {token}")                  \
    X(TRUST_FELL, "R16", "an answer made {node} trust token {token} on {lock} for less long")

#define FL_VIOLATION_ENTRY(name, rule, text) FL_VIOLATION_##name,
typedef enum fl_violation_kind {
    FL_VIOLATION_MAP(FL_VIOLATION_ENTRY) FL_VIOLATION_KINDS
} fl_violation_kind;

#define FL_NOBODY UINT32_MAX // stands for no node, lock or key

typedef struct fl_violation {
    double time;  // true; in ticks, or as a history has it
    double token; // -1 for none
    double other;
    uint32_t sequence; // of the event at which it showed
    uint32_t node;
    uint32_t peer;
    uint32_t lock;
    uint32_t key;
    uint8_t kind;
    uint8_t unused[3];
} fl_violation;

// The rule that a kind breaks, "I4" say, and its words; NULL past the end.
const char *fl_violation_rule(unsigned kind);
const char *fl_violation_text(unsigned kind);

// More are counted, but not kept.
#define FL_VIOLATIONS_MAX 64

typedef struct fl_checked_lock {
    bool is_known; // whether it is live; always so in a simulation
    bool live;
    bool end_is_known;
    bool ran_out;      // and so ended
    bool may_be_live;  // someone asked for it, and nobody knows what became of that
    bool may_end;      // its client asked for that, and nobody knows what became of it
    bool is_forgotten; // granted before the service crashed
    bool is_nested;    // granted to its holder again: how many releases end it is not known
    bool overlap_due;  // two may trust it: to be judged when time goes on
    uint32_t client;
    uint32_t asked_by; // the one that may have it; FL_NOBODY for several
    uint32_t highest_of;
    double token;
    double highest;      // token seen, -1 before the first, and whose it was
    double expires_at;   // on the service's clock
    double last_change;  // a grant, a renewal or a release
    uint32_t trusted_by; // clients, one bit each
} fl_checked_lock;

typedef struct fl_checked_value {
    uint32_t value;
    bool is_known; // always so in a simulation
    double changed_at;
    // Of writes with unknown outcomes, which may come about while no token above theirs is
    // accepted: whether there is one, whether its value is not told or there are several, the
    // value, the highest token, and since when it comes about no more.
    bool has_late;
    bool late_is_any;
    uint32_t late;
    double late_token;
    double late_ends;
} fl_checked_value;

typedef struct fl_checked_key {
    double highest;    // -1 before the first
    double highest_at; // when it came to be
    bool written;      // with the highest token
    fl_checked_value value;
} fl_checked_key;

// A client as one that replaces what it has read.
typedef struct fl_checked_writer {
    double base_token; // with which it read the value below; -1 before
    uint32_t base;
    uint32_t base_key;
    double base_at;   // when it read or wrote that
    uint32_t written; // the latest of its values that a key took
} fl_checked_writer;

typedef struct fl_checked_client {
    bool waiting; // for its lock
    bool asks;    // and the message below was the first that it still goes by
    uint32_t first_ask;
    bool lost; // its lease, other than by waking in doubt
    bool i4_is_promised;
    bool holds_in_time; // its lease was granted or renewed within a round trip, as I5 supposes
    double waiting_since;
    double patience;      // the longest that I6 lets it wait
    double fresh_trust;   // how long trust lasts, at the least, that began within a round trip
    double trusted_until; // true, in ticks
    bool steps;           // its clock does, which may end trust sooner
    double token;         // that it last trusted or lost; -1 before
    double granted;       // granted to it, and not yet known to it; -1 when none
    fl_checked_writer writer;
} fl_checked_client;

// How often there was something to judge by.
typedef struct fl_judged {
    uint32_t grants;     // all of them
    uint32_t ends;       // grants and renewals whose lease's end is told
    uint32_t tokens;     // grants compared with the one before by their tokens
    uint32_t decisions;  // renewals, releases and refusals of leases that were surely live, or dead
    uint32_t writes;     // accepted, and compared with the highest token
    uint32_t fences;     // likewise
    uint32_t rejections; // of writes and fences
    uint32_t values;     // found in a key, and compared with what it took last
    uint32_t updates;    // of values that their client had read behind its fence
    uint32_t trusts;     // in a lock that other clients trust, too
} fl_judged;

typedef struct fl_checker {
    const fl_scenario *scenario; // NULL for a history
    fl_fencing fencing;
    bool fencing_is_known;
    double tolerance; // within which of a lease's end it may be live or dead
    fl_judged judged;
    bool i5_is_promised;
    bool i6_is_promised;
    double faults_end;
    double judge_waiting_at;
    double time;
    uint32_t sequence;
    double next_token;
    double latest; // the latest the service's clock was seen at since its start
    double quiet_until;
    uint32_t suspended; // clients, one bit each
    fl_checked_lock locks[FL_SCENARIO_NAMES_MAX];
    fl_checked_key keys[FL_SCENARIO_NAMES_MAX];
    fl_checked_client clients[FL_SCENARIO_CLIENTS_MAX];
    uint32_t count; // violations, including those not kept
    fl_violation violations[FL_VIOLATIONS_MAX];
} fl_checker;

// Begins a run; without a scenario a history, of which the parts of decisions.h are judged.
void fl_checker_begin(fl_checker *checker, const fl_scenario *scenario);
void fl_checker_observe(fl_checker *checker, const fl_event *event, uint32_t sequence);
void fl_checker_end(fl_checker *checker, double time);

// After the end: what the storage holds then. -1 stands for no highest token.
void fl_checker_see_key(fl_checker *checker, uint8_t key, uint32_t value, double highest);

static inline uint32_t fl_checker_kept(const fl_checker *checker) {
    return checker->count < FL_VIOLATIONS_MAX ? checker->count : FL_VIOLATIONS_MAX;
}

// promises.c: what the scenario lets be judged.
void fl_checker_judge_promises(fl_checker *checker);

#endif
