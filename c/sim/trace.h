// What happened in a simulation: a list of fixed-size events, and a hash that runs along with it.
//
// The tables below are the only lists of names: JavaScript reads them through an export.

#ifndef FL_SIM_TRACE_H
#define FL_SIM_TRACE_H

#include "../base.h"

// True time in a simulation. 2^19 ticks a second: fine enough to order a network, and short enough
// that a clock which reads 100 days still counts every tick exactly in a double.
typedef int64_t fl_ticks;

#define FL_TICKS_PER_SECOND 524288
#define FL_NEVER INT64_MAX

static inline double fl_seconds_from_ticks(fl_ticks ticks) {
    return (double) ticks / FL_TICKS_PER_SECOND;
}

#define FL_EVENT_MAP(X)                                                                            \
    X(START, "start")                                                                              \
    X(DONE, "done")                                                                                \
    X(SEND, "send")                                                                                \
    X(DELIVER, "deliver")                                                                          \
    X(DROP, "drop")                                                                                \
    X(ACQUIRE, "acquire")                                                                          \
    X(RENEW, "renew")                                                                              \
    X(RELEASE, "release")                                                                          \
    X(EXPIRE, "expire")                                                                            \
    X(WRITE, "write")                                                                              \
    X(FENCE, "fence")                                                                              \
    X(READ, "read")                                                                                \
    X(TRUST, "trust")                                                                              \
    X(DISTRUST, "distrust")                                                                        \
    X(WORK, "work")                                                                                \
    X(PAUSE, "pause")                                                                              \
    X(RESUME, "resume")                                                                            \
    X(SUSPEND, "suspend")                                                                          \
    X(WAKE, "wake")                                                                                \
    X(CRASH, "crash")                                                                              \
    X(RESTART, "restart")                                                                          \
    X(PARTITION, "partition")                                                                      \
    X(HEAL, "heal")                                                                                \
    X(CLOCK_STEP, "clock-step")

#define FL_OPERATION_MAP(X)                                                                        \
    X(NONE, "")                                                                                    \
    X(ACQUIRE, "acquire")                                                                          \
    X(RENEW, "renew")                                                                              \
    X(RELEASE, "release")                                                                          \
    X(WRITE, "write")                                                                              \
    X(FENCE, "fence")                                                                              \
    X(READ, "read")

#define FL_OUTCOME_MAP(X)                                                                          \
    X(NONE, "")                                                                                    \
    X(GRANTED, "granted")                                                                          \
    X(REFUSED, "refused")                                                                          \
    X(OK, "ok")                                                                                    \
    X(ACCEPTED, "accepted")                                                                        \
    X(REJECTED, "rejected")

#define FL_REASON_MAP(X)                                                                           \
    X(NONE, "")                                                                                    \
    X(LOST, "lost")                                                                                \
    X(PARTITION, "partition")                                                                      \
    X(DOWN, "receiver is down")                                                                    \
    X(DELAYED, "delayed")                                                                          \
    X(REPEATED, "asked before: gets its first answer")                                             \
    X(IGNORED, "no longer waited for")                                                             \
    X(HELD, "held")                                                                                \
    X(WAITING_OUT, "waiting out the leases from before the restart")                               \
    X(TOKENS_EXHAUSTED, "tokens exhausted")                                                        \
    X(NOT_LIVE, "not the live lease")                                                              \
    X(STILL_LIVE, "still live")                                                                    \
    X(STALE, "stale")                                                                              \
    X(USED, "token already used")                                                                  \
    X(RELEASED, "released")                                                                        \
    X(REFUSED, "refused")                                                                          \
    X(EXPIRED, "expired")                                                                          \
    X(WRITE_REJECTED, "write rejected")                                                            \
    X(CRASHED, "crashed")                                                                          \
    X(SLEPT, "slept")                                                                              \
    X(STEPPED, "clock stepped back")                                                               \
    X(LATE, "granted too late")

#define FL_EVENT_ENTRY(name, text) FL_EVENT_##name,
#define FL_OPERATION_ENTRY(name, text) FL_OPERATION_##name,
#define FL_OUTCOME_ENTRY(name, text) FL_OUTCOME_##name,
#define FL_REASON_ENTRY(name, text) FL_REASON_##name,
typedef enum fl_event_kind { FL_EVENT_MAP(FL_EVENT_ENTRY) } fl_event_kind;
typedef enum fl_operation { FL_OPERATION_MAP(FL_OPERATION_ENTRY) } fl_operation;
typedef enum fl_outcome { FL_OUTCOME_MAP(FL_OUTCOME_ENTRY) } fl_outcome;
typedef enum fl_reason { FL_REASON_MAP(FL_REASON_ENTRY) } fl_reason;

#define FL_NODE_NONE 255
#define FL_EVENT_COPY 1    // the message is a duplicate made by the network
#define FL_EVENT_REPLY 2   // the message is an answer
#define FL_EVENT_STALE 4   // an unfenced storage accepted a token below the highest
#define FL_EVENT_ONE_WAY 8 // a partition that cuts one direction

// One event. Times and tokens are doubles, whole numbers all, so that JavaScript reads them as they
// are; -1 stands for none.
typedef struct fl_event {
    double time;       // true, in ticks
    double until;      // true, in ticks: when it arrives, ends, expires; a clock-step's amount
    double local_time; // what the node's clock reads, in ticks, without the clocks' origin
    double token;
    double highest;   // the token it was compared with, or the holder's
    uint32_t message; // number within its directed pair, 0 for none; at a server, of the request
    uint32_t value;   // 0 for none
    uint32_t previous;
    uint8_t kind;
    uint8_t node;
    uint8_t peer;
    uint8_t other; // the holder on whose account an acquire was refused
    uint8_t lock;
    uint8_t key;
    uint8_t operation;
    uint8_t outcome;
    uint8_t reason;
    uint8_t flags;
    uint8_t unused[2];
} fl_event;

typedef struct fl_trace {
    fl_allocator allocator;
    fl_event *events; // NULL when nothing is kept
    size_t count;     // events that happened
    size_t capacity;
    size_t limit; // the run stops at so many events
    bool keeps;   // whether the events are kept, or only counted and hashed
    bool out_of_memory;
    uint64_t hash;
} fl_trace;

void fl_trace_init(fl_trace *trace, const fl_allocator *allocator, bool keeps);
void fl_trace_free(fl_trace *trace);

// Begins an empty trace in the memory of the last one.
void fl_trace_begin(fl_trace *trace, size_t limit);

// Adds an event and takes it into the hash. Without memory it sets `out_of_memory`.
void fl_trace_add(fl_trace *trace, const fl_event *event);

// Takes one more word into a hash: for sums over many traces.
uint64_t fl_hash_word(uint64_t hash, uint64_t word);

typedef enum fl_trace_table {
    FL_TABLE_EVENTS,
    FL_TABLE_OPERATIONS,
    FL_TABLE_OUTCOMES,
    FL_TABLE_REASONS,
} fl_trace_table;

// The text of an entry of a table; NULL past its end.
const char *fl_trace_text(fl_trace_table table, unsigned index);

#endif
