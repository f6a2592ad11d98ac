// The core's face to JavaScript: numbers in, numbers out. Each export validates nothing, converts
// its arguments, makes one call and encodes the answer:
//   - a function that gives a number gives minus the fl_result where there is none, and one that
//     only succeeds or not gives the fl_result itself;
//   - names come as four words, see name_of_words;
//   - what does not fit in one number is left in the result area.
// The JavaScript side has validated types and ranges; the core asserts the rest.

#include "../base.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))

// The only state of the core that is global, and all of it is about one call at a time.
static const char *failed_assertion;
static double result_area[8];
static uint8_t scratch_small[4096];
static uint8_t *scratch_large;
static size_t scratch_large_size;

void fl_assertion_failed(const char *expression, const char *file, int line) {
    (void) file;
    (void) line;
    failed_assertion = expression;
    __builtin_trap();
}

EXPORT(failedAssertion) const char *failed_assertion_text(void) {
    return failed_assertion;
}

EXPORT(resultName) const char *result_name(uint32_t result) {
    return fl_result_name((fl_result) result);
}

EXPORT(resultArea) double *result_area_address(void) {
    return result_area;
}

// A call can be cut off in its middle, by an overflow of the JavaScript stack say, and leave the
// core in an unknown state. The next call finds that out.
static bool call_is_under_way;

FL_INLINE bool begin_call(void) {
    FL_ASSERT(!call_is_under_way);
    call_is_under_way = true;
    return true;
}

FL_INLINE void end_call(const bool *began) {
    (void) began;
    call_is_under_way = false;
}

// Stands at the top of each export that changes something, or looks at what a call may have left.
#define CALL __attribute__((cleanup(end_call), unused)) const bool began = begin_call()

// Memory ----------------------------------------------------------------------------------------

#define PAGE_SIZE 65536

// Emscripten's own; strict C11 hides the first.
extern void *sbrk(intptr_t increment);
extern void emscripten_notify_memory_growth(size_t memory_index);

// Grows the memory by a quarter when `size` more bytes may not fit: a growth costs the engine time
// in proportion to the whole, so growing by what is asked for would make a large table slow. Where
// a quarter can't be had, malloc asks for what it needs, and fails if that is too much.
static void grow_ahead(size_t size) {
    size_t pages = __builtin_wasm_memory_size(0);
    size_t left = pages * PAGE_SIZE - (uintptr_t) sbrk(0);
    if (size <= left / 2) return;
    size_t more = pages / 4;
    if (__builtin_wasm_memory_grow(0, more) != SIZE_MAX) emscripten_notify_memory_growth(0);
}

// Blocks below this size are not worth a look at the memory's end.
#define LARGE_BLOCK_SIZE (32 * 1024)

static void *reallocate(void *context, void *block, size_t old_size, size_t new_size) {
    (void) context;
    (void) old_size;
    if (new_size >= LARGE_BLOCK_SIZE) grow_ahead(new_size);
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

static const fl_allocator allocator = {.reallocate = reallocate};

// Memory for the bytes of long names: valid until the next call. NULL when there is none, which
// can't be for names up to the size of the small block: they are looked up in a full memory too.
// The large block is given back at the next small name, so that no long one costs its length for
// ever.
EXPORT(scratch) uint8_t *scratch(uint32_t size) {
    CALL;
    bool is_small = size <= sizeof scratch_small;
    if (!is_small && size <= scratch_large_size) return scratch_large;
    fl_free(&allocator, scratch_large, scratch_large_size);
    scratch_large_size = 0;
    scratch_large = is_small ? NULL : fl_allocate(&allocator, size);
    if (scratch_large) scratch_large_size = size;
    return is_small ? scratch_small : scratch_large;
}

// Up to 15 bytes come in the words themselves, with the length in the highest byte; a longer name
// has its address in the first word, its length in the second and 255 in that byte.
FL_INLINE fl_name name_of_words(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
    if (w3 >> 24 == 255) return fl_name_from_bytes((const void *) w0, w1);
    return (fl_name){
        .words = {w0 | (uint64_t) w1 << 32, w2 | (uint64_t) w3 << 32},
        .length = w3 >> 24,
    };
}

static void set_hash_key(uint64_t key[2], uint32_t k0, uint32_t k1, uint32_t k2, uint32_t k3) {
    key[0] = k0 | (uint64_t) k1 << 32;
    key[1] = k2 | (uint64_t) k3 << 32;
}

// Lock service ----------------------------------------------------------------------------------

EXPORT(newLockService)
fl_lock_service *new_lock_service(double lease_seconds, double first_token, uint32_t k0,
                                  uint32_t k1, uint32_t k2, uint32_t k3) {
    CALL;
    uint64_t key[2];
    set_hash_key(key, k0, k1, k2, k3);
    fl_lock_service *service;
    fl_result result =
        fl_lock_service_new(&allocator, lease_seconds, (uint64_t) first_token, key, &service);
    FL_ASSERT(result == FL_OK || result == FL_OUT_OF_MEMORY);
    return service;
}

EXPORT(freeLockService) void free_lock_service(fl_lock_service *service) {
    CALL;
    fl_lock_service_free(service);
}

EXPORT(client)
int32_t client(fl_lock_service *service, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
    CALL;
    fl_client number;
    fl_result result = fl_lock_service_client(service, name_of_words(w0, w1, w2, w3), &number);
    return result == FL_OK ? (int32_t) number : -(int32_t) result;
}

// The length in bytes; the address is left in the result area.
EXPORT(clientId) uint32_t client_id(fl_lock_service *service, fl_client client) {
    CALL;
    fl_bytes id = fl_lock_service_client_id(service, client);
    result_area[0] = (double) (uintptr_t) id.data;
    return (uint32_t) id.length;
}

EXPORT(forgetClients) void forget_clients(fl_lock_service *service) {
    CALL;
    fl_lock_service_forget_clients(service);
}

EXPORT(acquire)
double acquire(fl_lock_service *service, double now, uint32_t w0, uint32_t w1, uint32_t w2,
               uint32_t w3, fl_client client) {
    CALL;
    uint64_t token;
    fl_result result =
        fl_lock_service_acquire(service, now, name_of_words(w0, w1, w2, w3), client, &token);
    return result == FL_OK ? (double) token : -(double) result;
}

EXPORT(renew)
int32_t renew(fl_lock_service *service, double now, uint32_t w0, uint32_t w1, uint32_t w2,
              uint32_t w3, fl_client client, double token) {
    CALL;
    return (int32_t) fl_lock_service_renew(service, now, name_of_words(w0, w1, w2, w3), client,
                                           (uint64_t) token);
}

EXPORT(release)
int32_t release(fl_lock_service *service, double now, uint32_t w0, uint32_t w1, uint32_t w2,
                uint32_t w3, fl_client client, double token) {
    CALL;
    return (int32_t) fl_lock_service_release(service, now, name_of_words(w0, w1, w2, w3), client,
                                             (uint64_t) token);
}

// The client's number; token and expiry are left in the result area.
EXPORT(inspect)
int32_t inspect(fl_lock_service *service, double now, uint32_t w0, uint32_t w1, uint32_t w2,
                uint32_t w3) {
    CALL;
    fl_lease lease;
    fl_result result = fl_lock_service_inspect(service, now, name_of_words(w0, w1, w2, w3), &lease);
    if (result != FL_OK) return -(int32_t) result;
    result_area[0] = (double) lease.token;
    result_area[1] = lease.expires_at;
    return (int32_t) lease.client;
}

EXPORT(holder)
int32_t holder(fl_lock_service *service, double now, uint32_t w0, uint32_t w1, uint32_t w2,
               uint32_t w3) {
    return inspect(service, now, w0, w1, w2, w3);
}

EXPORT(size) double size(fl_lock_service *service, double now) {
    CALL;
    uint64_t live;
    fl_result result = fl_lock_service_size(service, now, &live);
    return result == FL_OK ? (double) live : -(double) result;
}

EXPORT(nextToken) double next_token(const fl_lock_service *service) {
    return (double) fl_lock_service_next_token(service);
}

// Fenced storage --------------------------------------------------------------------------------

EXPORT(newFencedStorage)
fl_fenced_storage *new_fenced_storage(uint32_t rule, uint32_t k0, uint32_t k1, uint32_t k2,
                                      uint32_t k3) {
    CALL;
    uint64_t key[2];
    set_hash_key(key, k0, k1, k2, k3);
    fl_fenced_storage *storage;
    fl_fenced_storage_new(&allocator, (fl_fencing_rule) rule, key, &storage);
    return storage;
}

EXPORT(freeFencedStorage) void free_fenced_storage(fl_fenced_storage *storage) {
    CALL;
    fl_fenced_storage_free(storage);
}

// The key's slot, in which JavaScript keeps the value.
EXPORT(write)
int32_t write_value(fl_fenced_storage *storage, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3,
                    double token) {
    CALL;
    uint32_t slot;
    fl_result result = fl_fenced_storage_write(storage, name_of_words(w0, w1, w2, w3),
                                               (fl_bytes){0}, (uint64_t) token, &slot);
    return result == FL_OK ? (int32_t) slot : -(int32_t) result;
}

EXPORT(read)
int32_t read_slot(const fl_fenced_storage *storage, uint32_t w0, uint32_t w1, uint32_t w2,
                  uint32_t w3) {
    CALL;
    uint32_t slot;
    fl_result result = fl_fenced_storage_read(storage, name_of_words(w0, w1, w2, w3), NULL, &slot);
    return result == FL_OK ? (int32_t) slot : -(int32_t) result;
}

EXPORT(fence)
int32_t fence(fl_fenced_storage *storage, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3,
              double token) {
    CALL;
    return (int32_t) fl_fenced_storage_fence(storage, name_of_words(w0, w1, w2, w3),
                                             (uint64_t) token);
}

EXPORT(highestToken)
double highest_token(const fl_fenced_storage *storage, uint32_t w0, uint32_t w1, uint32_t w2,
                     uint32_t w3) {
    CALL;
    uint64_t token;
    fl_result result =
        fl_fenced_storage_highest_token(storage, name_of_words(w0, w1, w2, w3), &token);
    return result == FL_OK ? (double) token : -(double) result;
}

// Lease holder ----------------------------------------------------------------------------------

static fl_lease_holder_options holder_options(double lease_seconds, double max_clock_skew_seconds,
                                              double min_renew_lead_seconds, double rate_error) {
    return (fl_lease_holder_options){
        .lease_seconds = lease_seconds,
        .max_clock_skew_seconds = max_clock_skew_seconds,
        .min_renew_lead_seconds = min_renew_lead_seconds,
        .rate_error = rate_error,
    };
}

EXPORT(leaseOptionsFault)
int32_t lease_options_fault(double lease_seconds, double max_clock_skew_seconds,
                            double min_renew_lead_seconds, double rate_error) {
    CALL;
    fl_lease_holder_options options =
        holder_options(lease_seconds, max_clock_skew_seconds, min_renew_lead_seconds, rate_error);
    return (int32_t) fl_lease_holder_options_check(&options);
}

EXPORT(leaseOptionsText) const char *lease_options_text(int32_t fault) {
    return fl_lease_options_fault_text((fl_lease_options_fault) fault);
}

// A holder, to be freed; NULL when there is none, with the result left in the result area.
EXPORT(newLeaseHolder)
fl_lease_holder *new_lease_holder(double lease_seconds, double max_clock_skew_seconds,
                                  double min_renew_lead_seconds, double rate_error, double sent,
                                  double now) {
    CALL;
    fl_lease_holder_options options =
        holder_options(lease_seconds, max_clock_skew_seconds, min_renew_lead_seconds, rate_error);
    fl_lease_holder *made = fl_allocate(&allocator, sizeof *made);
    fl_result result = FL_OUT_OF_MEMORY;
    if (made) result = fl_lease_holder_start(made, &options, sent, now);
    result_area[0] = (double) result;
    if (result == FL_OK) return made;
    fl_free(&allocator, made, sizeof *made);
    return NULL;
}

EXPORT(freeLeaseHolder) void free_lease_holder(fl_lease_holder *lease) {
    CALL;
    fl_free(&allocator, lease, sizeof *lease);
}

// The action; attempt and wake_at are left in the result area.
EXPORT(leaseStep) int32_t lease_step(fl_lease_holder *lease, double now, uint32_t random) {
    CALL;
    fl_lease_step step = fl_lease_holder_step(lease, now, random);
    result_area[0] = step.attempt;
    result_area[1] = step.wake_at;
    return (int32_t) step.action;
}

EXPORT(leaseAnswer)
void lease_answer(fl_lease_holder *lease, double now, uint32_t attempt, int32_t answer) {
    CALL;
    fl_lease_holder_answer(lease, now, attempt, (fl_lease_answer) answer);
}

EXPORT(leaseDoubt) void lease_doubt(fl_lease_holder *lease, double now) {
    CALL;
    fl_lease_holder_doubt(lease, now);
}

EXPORT(leaseRelease) void lease_release(fl_lease_holder *lease) {
    CALL;
    fl_lease_holder_release(lease);
}

EXPORT(leaseTrusts) int32_t lease_trusts(const fl_lease_holder *lease, double now) {
    CALL;
    return fl_lease_holder_trusts(lease, now);
}

EXPORT(leaseSafeUntil) double lease_safe_until(const fl_lease_holder *lease) {
    return lease->safe_until;
}

EXPORT(leaseState) int32_t lease_state(const fl_lease_holder *lease) {
    return (int32_t) lease->state;
}
