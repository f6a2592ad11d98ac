// Judges a history by what can be judged without knowing the scenario: of our own simulator, or of
// some other lock service, its clients and its storage. It reads the events as they come and keeps
// none; its memory grows with the names in them.
//
// A history may leave out events and what they concern. What it does not tell is not judged, and
// neither is what other systems do for good reasons, so that a finding is worth looking at:
//   I1  A lease was granted while one of another client was live, at a service of the same name:
//       where the end of the first is told. Tokens of a lock rise; they may skip numbers, and
//       another lock's may be lower. A holder may get its lock again, with its token too.
//   R1  A lock is refused as held, although the lease that is known ended, or an expiry is told
//       that found the lease live still. Other reasons for a refusal are believed, and so is a
//       holder that it names.
//   R4  A renewal or a release is refused, although it names the live lease, and no other reason is
//       told.
//   R5  A lease is renewed although its end is over, or it or a release frees or renews what is
//       another's. A release of what is gone is no harm. A renewal with a token that is newer than
//       all others is of a grant that the history leaves out.
//   I2  The tokens that a key accepts do not fall, by write and by fence; what is found in a key is
//       what it took last, where values are told.
//   R10, R12  A write or a fence is rejected, although its token is above the highest that the
//       storage itself names. (At the highest: where the rule is known.)
//   R11 A token is accepted twice: where the rule is known to be `above`.
//   I3  A client replaces a value other than that which it read behind its own fence.
//   I4  Two clients trust a lease on one lock at once. Trust ends when it is told to, by its
//       `until`, when its client crashes, and when the service takes the lock back from it; one
//       without any of these is not judged. Whoever does not look at the clock is not meant.
// Not judged, as only a scenario or our own protocol promises it: that each token is the next one
// (R2), that repeated requests are known as such (F32), the holder's conduct (R14 to R17), I5, I6.
//
// All locks are meant to be exclusive, and a lock's grants and releases to be told whole: where
// some are left out, what is judged of that lock may be wrong. Clusters that do not know each other
// name their locks differently, since trust (I4) is compared by the lock's name.
//
// Where the service crashed, slept, or had its clock set, what was granted before is judged by
// less: it may have kept its leases or not, and their ends have moved. But no lock is granted
// before the end of a lease from before a crash (I1). A client that sleeps does not trust
// meanwhile; what it trusts when it wakes counts as from then.
//
// Of an outcome that is not told nobody knows what it did, and it may come about later: an acquire
// until the lock's next grant or renewal, a release while the lease has its token, a write while
// the key has accepted no token above its own. Meanwhile nothing is judged that it could explain. A
// lease that is surely live stays so whatever another client asked for.
//
// Events nearer to each other than the tolerance may stand in any order: those of a lease are
// judged in one in which they are right, where there is one. (Of many at once only the first few
// are put in order: a lock that is busier than times are exact needs exacter ones.) A value or an
// update that is so near to a write is not judged.

#ifndef FL_SIM_HISTORY_H
#define FL_SIM_HISTORY_H

#include "decisions.h"

// More clients than this that trust a lease on one lock at once are not compared with each other:
// trust that is never said to end must not add up.
#define FL_HISTORY_TRUSTERS_MAX 16

// One event as JavaScript packs it. Names are numbers, given in the order of their first use.
typedef struct fl_history_event {
    double time;  // in seconds, since whenever
    double until; // where the flags tell that it is told
    double token; // -1 for none
    double highest;
    uint32_t node; // FL_NOBODY for none, here and below
    uint32_t peer;
    uint32_t lock;   // its name
    uint32_t key;    // its name
    uint32_t lease;  // the pair of a service and a lock, of which each decides for itself
    uint32_t stored; // the pair of a storage and a key
    uint32_t holder; // of a refused acquire: on whose account
    uint32_t value;  // a hash; 0 for none
    uint32_t previous;
    uint8_t kind; // fl_event_kind, fl_outcome, fl_reason
    uint8_t outcome;
    uint8_t reason; // of its own words only HELD, NOT_LIVE, STALE and USED matter; any other is of
                    // others
    uint8_t flags;  // FL_TOLD_*, FL_EVENT_STALE
    uint32_t sequence; // of the event in the history
} fl_history_event;

typedef struct fl_history fl_history;

// `tolerance`, in seconds, is how exact times are: what would be right if an event came this much
// sooner or later is not reported, as when a release and the next grant of the lock stand in one
// millisecond, in the other order. `fencing` is the storage's rule; FL_HISTORY_RULE_UNKNOWN when
// nobody knows.
#define FL_HISTORY_RULE_UNKNOWN (FL_SCENARIO_OFF + 1)
//   FL_OUT_OF_MEMORY: nothing was made.
fl_result fl_history_new(const fl_allocator *allocator, double tolerance, uint32_t fencing,
                         fl_history **history);
void fl_history_free(fl_history *history);

// Takes the next event, whose time is not before the last one's.
//   FL_OUT_OF_MEMORY: the history can't be judged any further.
fl_result fl_history_observe(fl_history *history, const fl_history_event *event);

// Judges what was in question up to a time before which no event comes any more: INFINITY after the
// last one. fl_history_observe does so itself. Gives false when no more violations can be kept, and
// there may be more to judge.
bool fl_history_settle(fl_history *history, double before);

// What was found, and what there was to judge by. Whoever has read the violations may set their
// count to zero, to make room for more.
fl_checker *fl_history_checker(fl_history *history);

#endif
