// Runs one story again and again; in run N, request N for memory fails, alone or with all that
// follow. Whatever fails must leave everything as it was, and be possible afterwards.

#include "fencelock.h"

#include "memory.h"
#include "test.h"

static const uint64_t hash_key[2] = {7, 8};
static const char long_text[] = "longer than fifteen bytes, so that it takes a block of its own";

enum { NAMES = 200 };

static fl_name name_of(uint32_t n, char buffer[96]) {
    int length = snprintf(buffer, 96, "%u%s", n, n % 3 ? "" : long_text);
    return fl_name_from_bytes(buffer, (size_t) length);
}

// Repeats a call that ran out of memory once memory is back; `after_failure` says what must hold.
#define SURVIVE(memory, call, after_failure)                                                       \
    do {                                                                                           \
        fl_result result = (call);                                                                 \
        if (result == FL_OUT_OF_MEMORY) {                                                          \
            after_failure;                                                                         \
            (memory)->fail_at = 0;                                                                 \
            result = (call);                                                                       \
        }                                                                                          \
        CHECK(result == FL_OK);                                                                    \
    } while (0)

static void check_leases(fl_lock_service *service, uint32_t count) {
    fl_lock_service_check(service);
    CHECK(fl_lock_service_next_token(service) == count + 1);
    for (uint32_t n = 0; n < NAMES; n++) {
        char buffer[96];
        fl_lease lease;
        fl_result result = fl_lock_service_inspect(service, 1, name_of(n, buffer), &lease);
        CHECK(result == (n < count ? FL_OK : FL_REFUSED));
        if (result == FL_OK) CHECK(lease.token == n + 1);
    }
}

// Gives the number of requests that were made.
static uint64_t tell_lock_story(uint64_t fail_at, bool fail_only_once) {
    test_memory memory = {.fail_at = fail_at, .fail_only_once = fail_only_once};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_lock_service *service;
    SURVIVE(&memory, fl_lock_service_new(&allocator, 10, 1, hash_key, &service),
            CHECK(service == NULL));
    for (uint32_t n = 0; n < NAMES; n++) {
        char buffer[96];
        char id[96];
        fl_client client;
        SURVIVE(&memory, fl_lock_service_client(service, name_of(n, id), &client),
                check_leases(service, n));
        uint64_t token;
        SURVIVE(&memory, fl_lock_service_acquire(service, 1, name_of(n, buffer), client, &token),
                check_leases(service, n));
        CHECK(token == n + 1);
    }
    check_leases(service, NAMES);
    uint64_t size;
    CHECK(fl_lock_service_size(service, 20, &size) == FL_OK && size == 0);
    fl_lock_service_forget_clients(service);
    fl_lock_service_check(service);
    fl_lock_service_free(service);
    CHECK(memory.bytes == 0);
    return memory.requests;
}

static void check_values(const fl_fenced_storage *storage, uint32_t count) {
    fl_fenced_storage_check(storage);
    for (uint32_t n = 0; n < NAMES; n++) {
        char buffer[96];
        fl_bytes value;
        fl_result result = fl_fenced_storage_read(storage, name_of(n, buffer), &value, NULL);
        CHECK(result == (n < count ? FL_OK : FL_REFUSED));
        if (result == FL_OK) CHECK(value.length == n % 60);
    }
}

static uint64_t tell_storage_story(uint64_t fail_at, bool fail_only_once) {
    test_memory memory = {.fail_at = fail_at, .fail_only_once = fail_only_once};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_fenced_storage *storage;
    SURVIVE(&memory, fl_fenced_storage_new(&allocator, FL_FENCING_AT_LEAST, hash_key, &storage),
            CHECK(storage == NULL));
    for (uint32_t n = 0; n < NAMES; n++) {
        char buffer[96];
        fl_name key = name_of(n, buffer);
        SURVIVE(&memory, fl_fenced_storage_fence(storage, key, 1), check_values(storage, n));
        fl_bytes value = {long_text, n % 60};
        SURVIVE(&memory, fl_fenced_storage_write(storage, key, value, 2, NULL),
                check_values(storage, n));
        // A write that fails leaves the old value and the old token.
        uint64_t highest = 0;
        SURVIVE(&memory, fl_fenced_storage_write(storage, key, value, 3, NULL), {
            CHECK(fl_fenced_storage_highest_token(storage, key, &highest) == FL_OK);
            CHECK(highest == 2);
            check_values(storage, n + 1);
        });
    }
    check_values(storage, NAMES);
    fl_fenced_storage_free(storage);
    CHECK(memory.bytes == 0);
    return memory.requests;
}

static void fail_each_request(uint64_t (*tell)(uint64_t fail_at, bool fail_only_once)) {
    uint64_t requests = tell(0, false);
    CHECK(requests > 100);
    for (uint64_t n = 1; n <= requests && !test_failed; n++) {
        tell(n, true);
        tell(n, false);
    }
}

static void lock_service_survives_every_failure(void) {
    fail_each_request(tell_lock_story);
}

static void fenced_storage_survives_every_failure(void) {
    fail_each_request(tell_storage_story);
}

// Every split of a bucket fails, for the table can do without; it only gets slower.
static void a_table_that_cannot_split_still_works(void) {
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_lock_service *service;
    CHECK(fl_lock_service_new(&allocator, 10, 1, hash_key, &service) == FL_OK);
    fl_client client;
    CHECK(fl_lock_service_client(service, fl_name_from_string("a"), &client) == FL_OK);
    uint32_t granted = 0;
    for (uint32_t n = 0; n < NAMES; n++) {
        char buffer[96];
        uint64_t token;
        memory.fail_at = memory.requests + 1;
        fl_name name = name_of(n, buffer);
        if (fl_lock_service_acquire(service, 1, name, client, &token) == FL_OUT_OF_MEMORY) {
            memory.fail_at = memory.requests + 2;
            if (fl_lock_service_acquire(service, 1, name, client, &token) != FL_OK) continue;
        }
        granted++;
        fl_lock_service_check(service);
    }
    CHECK(granted > NAMES / 4);
    uint64_t size = 0;
    CHECK(fl_lock_service_size(service, 1, &size) == FL_OK && size == granted);
    fl_lock_service_free(service);
    CHECK(memory.bytes == 0);
}

TEST_MAIN(TEST_CASE(lock_service_survives_every_failure),
          TEST_CASE(fenced_storage_survives_every_failure),
          TEST_CASE(a_table_that_cannot_split_still_works))
