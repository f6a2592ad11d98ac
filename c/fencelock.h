// fencelock: leases with fencing tokens, and storage that refuses stale writers.
//
// This is the whole public interface; a C user needs no other header. The rules cited as R1 to R17
// are listed in ARCHITECTURE.md.
//
// Conventions that hold for every function below:
//   - Time is a parameter: `now` is in seconds, from a clock that the caller reads once a call. It
//     is a finite number: where a function gives no result that says otherwise, the caller has
//     made sure.
//   - Nothing here reads a clock, draws a random number, does I/O or keeps global state.
//   - A call that does not return FL_OK has changed nothing that a later call could observe,
//     save that a lock service remembers the latest time it was shown (R7).
//   - Objects are not thread-safe: a caller with several threads brings its own lock.
//   - Bugs trap (a broken internal promise aborts); everything that can go wrong in operation is
//     a result.

#ifndef FENCELOCK_H
#define FENCELOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Results ------------------------------------------------------------------------------------

// One line a result: its name, and what it means in words.
#define FL_RESULT_MAP(X)                                                                           \
    X(OK, "done")                                                                                  \
    X(REFUSED, "the rules say no: held, not live, or stale")                                       \
    X(OUT_OF_MEMORY, "memory ran out; everything is as before")                                    \
    X(TOKENS_EXHAUSTED, "the next token would pass 2^53 - 1")                                      \
    X(INVALID_TIME, "the time is not a finite number")                                             \
    X(INVALID_LEASE, "the lease is not a finite number of seconds above 0")                        \
    X(INVALID_TOKEN, "the token is above 2^53 - 1")                                                \
    X(INVALID_OPTIONS, "the options of a lease holder contradict each other")

typedef enum fl_result {
#define FL_RESULT_ENTRY(name, text) FL_##name,
    FL_RESULT_MAP(FL_RESULT_ENTRY)
#undef FL_RESULT_ENTRY
} fl_result;

// The result's name without its prefix, "OUT_OF_MEMORY" say, and its meaning; never NULL.
const char *fl_result_name(fl_result result);
const char *fl_result_text(fl_result result);

// Memory -------------------------------------------------------------------------------------

// Where memory comes from. `reallocate` works like realloc, save that it is told the old size and
// frees when `new_size` is 0; it returns NULL when it has no memory, leaving `block` as it was.
typedef struct fl_allocator {
    void *(*reallocate)(void *context, void *block, size_t old_size, size_t new_size);
    void *context;
} fl_allocator;

// Names --------------------------------------------------------------------------------------

// A lock name, client id or storage key: a byte string of any content and length. Up to
// FL_NAME_SHORT_MAX bytes travel by value; a longer one refers to the caller's bytes, which must
// stay until the call that takes the name returns. Treat the members as private.
typedef struct fl_name {
    uint64_t words[2];   // short: the bytes as they lie in memory, padded with 0; last the length
    const uint8_t *data; // long: the bytes; NULL for a short name
    size_t length;       // of either kind, in bytes
} fl_name;

#define FL_NAME_SHORT_MAX 15

fl_name fl_name_from_bytes(const void *data, size_t length);
fl_name fl_name_from_string(const char *string);

// A value to store, or a stored one.
typedef struct fl_bytes {
    const void *data;
    size_t length;
} fl_bytes;

// Lock service (R1 to R8) --------------------------------------------------------------------

// A token is an integer from 0 to FL_TOKEN_MAX: what an IEEE double still counts one by one.
#define FL_TOKEN_MAX ((uint64_t) 9007199254740991)

typedef struct fl_lock_service fl_lock_service;

// A number that stands for a client id within one service.
typedef uint32_t fl_client;

typedef struct fl_lease {
    fl_client client;
    uint64_t token;
    double expires_at; // seconds; live while now < expires_at (R1)
} fl_lease;

// Makes a service whose first grant gets `first_token`. `hash_key` should be unpredictable, so
// that nobody can choose names that collide. `allocator` may be NULL for the C library's; it is
// copied. The caller owns `*service` and frees it.
//   FL_INVALID_LEASE, FL_INVALID_TOKEN, FL_OUT_OF_MEMORY: `*service` is NULL.
fl_result fl_lock_service_new(const fl_allocator *allocator, double lease_seconds,
                              uint64_t first_token, const uint64_t hash_key[2],
                              fl_lock_service **service);

// Frees the service and all it holds. NULL is allowed.
void fl_lock_service_free(fl_lock_service *service);

// Gives the number that stands for a client id, the same one for the same bytes. It stays valid
// until fl_lock_service_forget_clients, and after that for as long as a lease of that client has
// its record.
//   FL_OUT_OF_MEMORY
fl_result fl_lock_service_client(fl_lock_service *service, fl_name id, fl_client *client);

// The bytes of a client's id, owned by the service: for as long as the number is valid.
fl_bytes fl_lock_service_client_id(const fl_lock_service *service, fl_client client);

// Lets go of every client number handed out; those without a lease are freed.
void fl_lock_service_forget_clients(fl_lock_service *service);

// Grants the lock when no lease on it is live (R3), with the next token (R2).
//   FL_REFUSED: a lease is live, perhaps the caller's own; `*token` is left alone.
//   FL_TOKENS_EXHAUSTED, FL_OUT_OF_MEMORY, FL_INVALID_TIME
fl_result fl_lock_service_acquire(fl_lock_service *service, double now, fl_name name,
                                  fl_client client, uint64_t *token);

// Makes the live lease of this client and token last until now + lease_seconds (R4).
//   FL_REFUSED: there is no such live lease (R5).
//   FL_INVALID_TIME
fl_result fl_lock_service_renew(fl_lock_service *service, double now, fl_name name,
                                fl_client client, uint64_t token);

// Ends the live lease of this client and token.
//   FL_REFUSED: there is no such live lease (R5).
//   FL_INVALID_TIME
fl_result fl_lock_service_release(fl_lock_service *service, double now, fl_name name,
                                  fl_client client, uint64_t token);

// Tells of the live lease on a name (R6).
//   FL_REFUSED: none is live; `*lease` is left alone.
//   FL_INVALID_TIME
fl_result fl_lock_service_inspect(fl_lock_service *service, double now, fl_name name,
                                  fl_lease *lease);

// Counts the live leases, and reclaims the records of the expired ones: the work is proportional to
// their number together. (Every other operation reclaims a few on its way, so that none stalls.)
//   FL_INVALID_TIME
fl_result fl_lock_service_size(fl_lock_service *service, double now, uint64_t *size);

// The token that the next grant gets: what a restarted service is given as `first_token`. When
// there is none left it is FL_TOKEN_MAX + 1, which fl_lock_service_new refuses: such a service
// can't go on.
uint64_t fl_lock_service_next_token(const fl_lock_service *service);

// Walks every structure inside and traps where one is broken. For tests; linear time.
void fl_lock_service_check(const fl_lock_service *service);

// Fenced storage (R9 to R13) -----------------------------------------------------------------

typedef struct fl_fenced_storage fl_fenced_storage;

typedef enum fl_fencing_rule {
    FL_FENCING_AT_LEAST, // a token is good when it is at least the key's highest (R10)
    FL_FENCING_ABOVE,    // ... only when it is above: one write a grant (R11)
} fl_fencing_rule;

// Makes an empty storage. Arguments and results as for fl_lock_service_new.
//   FL_OUT_OF_MEMORY: `*storage` is NULL.
fl_result fl_fenced_storage_new(const fl_allocator *allocator, fl_fencing_rule rule,
                                const uint64_t hash_key[2], fl_fenced_storage **storage);

// Frees the storage and all it holds. NULL is allowed.
void fl_fenced_storage_free(fl_fenced_storage *storage);

// Stores a copy of the value and raises the key's highest token, both or neither. `slot`, which
// may be NULL, gets the key's number: counted from 0 in the order of first use, and kept for ever,
// for a caller that keeps the values itself.
//   FL_REFUSED: the token is stale by the rule.
//   FL_INVALID_TOKEN, FL_OUT_OF_MEMORY
fl_result fl_fenced_storage_write(fl_fenced_storage *storage, fl_name key, fl_bytes value,
                                  uint64_t token, uint32_t *slot);

// Raises the key's highest token without writing (R12).
//   FL_REFUSED: the token is below the highest.
//   FL_INVALID_TOKEN, FL_OUT_OF_MEMORY
fl_result fl_fenced_storage_fence(fl_fenced_storage *storage, fl_name key, uint64_t token);

// Reads a key's value, which stays the storage's own: valid until the next write to that key.
// `value` and `slot` may be NULL.
//   FL_REFUSED: the key was never written (it may have been fenced).
fl_result fl_fenced_storage_read(const fl_fenced_storage *storage, fl_name key, fl_bytes *value,
                                 uint32_t *slot);

// Tells the highest token that a key has seen, by a write or a fence.
//   FL_REFUSED: none yet.
fl_result fl_fenced_storage_highest_token(const fl_fenced_storage *storage, fl_name key,
                                          uint64_t *token);

// Walks every structure inside and traps where one is broken. For tests; linear time.
void fl_fenced_storage_check(const fl_fenced_storage *storage);

// Lease holder (R14 to R17) ------------------------------------------------------------------

// The client's side of a lease, as a pure state machine: it is told what happened and when, on the
// client's own monotonic clock, and says what to do next, and when. It sends nothing and waits for
// nothing itself. The struct is the caller's; it needs no freeing.
//
// What it does not promise: that a holder which is told "trusted" is still the holder when its
// next write arrives. Only the storage's fence can promise that.

typedef struct fl_lease_holder_options {
    double lease_seconds;
    double max_clock_skew_seconds; // how far clocks may come apart within one lease
    double min_renew_lead_seconds; // the longest partition that must not cost the lock
    double rate_error;             // rho: the clock may run slow by this part, 0 to below 1
} fl_lease_holder_options;

// The relations between options that must hold (R17), each with its words.
#define FL_LEASE_OPTIONS_MAP(X)                                                                    \
    X(GOOD, "")                                                                                    \
    X(LEASE, "lease_seconds must be a finite number above 0")                                      \
    X(SKEW, "max_clock_skew_seconds must be a finite number of at least 0")                        \
    X(LEAD, "min_renew_lead_seconds must be a finite number of at least 0")                        \
    X(RATE, "rate_error must be at least 0 and below 1")                                           \
    X(LEASE_TOO_SHORT, "lease_seconds * (1 - rate_error) must be above "                           \
                       "max_clock_skew_seconds + min_renew_lead_seconds")

typedef enum fl_lease_options_fault {
#define FL_LEASE_OPTIONS_ENTRY(name, text) FL_LEASE_OPTIONS_##name,
    FL_LEASE_OPTIONS_MAP(FL_LEASE_OPTIONS_ENTRY)
#undef FL_LEASE_OPTIONS_ENTRY
} fl_lease_options_fault;

// Says which relation the options break first; FL_LEASE_OPTIONS_GOOD when none.
fl_lease_options_fault fl_lease_holder_options_check(const fl_lease_holder_options *options);

// The words of a broken relation; never NULL.
const char *fl_lease_options_fault_text(fl_lease_options_fault fault);

typedef enum fl_lease_state {
    FL_LEASE_HELD,
    FL_LEASE_RELEASED,
    FL_LEASE_LOST_EXPIRED, // R14's instant came without an answer
    FL_LEASE_LOST_REFUSED, // the service said that the lease is not live
} fl_lease_state;

// How many renewals may be unanswered at once; an answer to an older one moves nothing.
#define FL_LEASE_ATTEMPTS_MAX 16

typedef struct fl_lease_holder {
    fl_lease_holder_options options;
    fl_lease_state state;
    double latest_time;                            // the latest that the holder was shown
    double safe_until;                             // R14's instant
    double next_attempt_at;                        // when the next renewal is due
    double attempt_sent_at[FL_LEASE_ATTEMPTS_MAX]; // attempt n at n % FL_LEASE_ATTEMPTS_MAX
    uint32_t attempts;                             // renewals sent so far; they are numbered from 1
    uint32_t unanswered;        // renewals since the last one that succeeded: they set the backoff
    uint32_t restoring_attempt; // in doubt: the first one whose answer restores trust; else 0
} fl_lease_holder;

typedef enum fl_lease_action {
    FL_LEASE_WAIT,  // nothing to do until `wake_at`
    FL_LEASE_RENEW, // send renewal number `attempt` now; call again at `wake_at`
    FL_LEASE_STOP,  // lost or released: no more messages, no more timers
} fl_lease_action;

typedef struct fl_lease_step {
    fl_lease_action action;
    uint32_t attempt;
    double wake_at; // seconds of the holder's clock
} fl_lease_step;

typedef enum fl_lease_answer {
    FL_LEASE_RENEWED, // the service renewed the lease
    FL_LEASE_REFUSED, // the service said, definitely, that the lease is not live
    FL_LEASE_FAILED,  // anything else: an error is not a refusal (R16)
} fl_lease_answer;

// Begins to hold a lease that was asked for at `sent` and granted by a reply that came at `now`.
//   FL_REFUSED: the reply came too late to be trusted (R14), or the clock ran backwards meanwhile;
//   the caller releases the token.
//   FL_INVALID_OPTIONS, FL_INVALID_TIME
fl_result fl_lease_holder_start(fl_lease_holder *holder, const fl_lease_holder_options *options,
                                double sent, double now);

// Says what to do at `now`. Call it when a timer ends, and after every other call; being early,
// late or called twice does no harm. `random` is any 32 random bits, for the jitter. A clock that
// is seen to have stepped back by more than the skew can't vouch for the lease: then it is doubted.
fl_lease_step fl_lease_holder_step(fl_lease_holder *holder, double now, uint32_t random);

// Takes the answer to a renewal that was sent. A late, repeated or reordered one does no harm
// (R16).
void fl_lease_holder_answer(fl_lease_holder *holder, double now, uint32_t attempt,
                            fl_lease_answer answer);

// Tells the holder that its clock may have stood still (a machine that slept): it asks at once,
// and trusts its lease again only after an answer to a renewal sent from now on.
void fl_lease_holder_doubt(fl_lease_holder *holder, double now);

// Ends the hold; from here on every step says stop. A lease that is lost stays lost.
void fl_lease_holder_release(fl_lease_holder *holder);

// Whether the lease may be trusted at `now`. Computed from the clock, not from a timer's flag.
bool fl_lease_holder_trusts(const fl_lease_holder *holder, double now);

#ifdef __cplusplus
}
#endif

#endif
