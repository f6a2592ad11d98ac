// Judges what a lock service and a storage decide: the part of the checker that a simulation and a
// history share.
//
// A simulation tells everything. A history may leave things out, and its service and storage may be
// others than ours: what it does not tell, or what others do for good reasons, is not judged.

#ifndef FL_SIM_DECISIONS_H
#define FL_SIM_DECISIONS_H

#include "invariants.h"

// What the event of a history tells; a simulation's tells all of it. Above the flags of trace.h.
#define FL_TOLD_UNTIL 16
#define FL_TOLD_VALUE 32
#define FL_TOLD_PREVIOUS 64
#define FL_TOLD_HIGHEST 128

// An event with what it concerns, which in a history may be more than fits in its bytes.
typedef struct fl_sighting {
    const fl_event *event;
    uint32_t node;
    uint32_t peer;
    uint32_t lock;
    uint32_t key;
    uint32_t stored; // the key of that storage; in a simulation there is one storage
    uint32_t holder; // on whose account an acquire was refused, where it is told
} fl_sighting;

static inline bool fl_checks_history(const fl_checker *checker) {
    return checker->scenario == NULL;
}

// `time` and `sequence` are filled in.
void fl_report(fl_checker *checker, fl_violation violation);

// What an event that breaks a rule concerns; the client first.
void fl_report_event(fl_checker *checker, fl_violation_kind kind, const fl_sighting *seen,
                     uint32_t client, double other, uint32_t peer);

void fl_see_service_clock(fl_checker *checker, const fl_event *event);

// acquire, renew, release and expire. In a simulation `client` is the one that asks; in a history
// it is NULL.
void fl_check_service(fl_checker *checker, const fl_sighting *seen, fl_checked_lock *lock,
                      fl_checked_client *client);

// What a write told that it replaced, or a read that it found, is judged in a simulation at once.
// In a history other events may come into it: whoever reads it calls fl_check_value.
void fl_check_write(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key,
                    fl_checked_writer *writer);
void fl_check_fence(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key);
void fl_check_read(fl_checker *checker, const fl_sighting *seen, fl_checked_key *key);

// What was found in a key is what it took last, or what may have come about meanwhile.
void fl_check_value(fl_checker *checker, const fl_sighting *seen, const fl_checked_key *key,
                    const fl_checked_value *before, uint32_t found);

static inline bool fl_may_be_late(const fl_checked_value *known, uint32_t value) {
    return known->late_is_any || (known->has_late && known->late == value);
}

static inline void fl_forget_late_writes(fl_checked_value *known) {
    known->has_late = false;
    known->late_is_any = false;
    known->late_token = -1;
}

#endif
