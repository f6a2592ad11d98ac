#include "fencelock.h"

#include <math.h>

#include "memory.h"
#include "test.h"

static const uint64_t hash_key[2] = {3, 4};

static fl_lock_service *new_service(double lease_seconds, uint64_t first_token) {
    fl_lock_service *service;
    CHECK(fl_lock_service_new(NULL, lease_seconds, first_token, hash_key, &service) == FL_OK);
    return service;
}

static fl_client client(fl_lock_service *service, const char *id) {
    fl_client number;
    CHECK(fl_lock_service_client(service, fl_name_from_string(id), &number) == FL_OK);
    return number;
}

// The token, or 0 when refused; the tests' services begin at 1.
static uint64_t acquire(fl_lock_service *service, double now, const char *name, const char *id) {
    uint64_t token = 0;
    fl_result result = fl_lock_service_acquire(service, now, fl_name_from_string(name),
                                               client(service, id), &token);
    CHECK(result == FL_OK || (result == FL_REFUSED && token == 0));
    fl_lock_service_check(service);
    return token;
}

static bool renew(fl_lock_service *service, double now, const char *name, const char *id,
                  uint64_t token) {
    fl_result result =
        fl_lock_service_renew(service, now, fl_name_from_string(name), client(service, id), token);
    fl_lock_service_check(service);
    return result == FL_OK;
}

static bool release(fl_lock_service *service, double now, const char *name, const char *id,
                    uint64_t token) {
    fl_result result = fl_lock_service_release(service, now, fl_name_from_string(name),
                                               client(service, id), token);
    fl_lock_service_check(service);
    return result == FL_OK;
}

static bool is_held(fl_lock_service *service, double now, const char *name) {
    fl_lease lease;
    return fl_lock_service_inspect(service, now, fl_name_from_string(name), &lease) == FL_OK;
}

static uint64_t size(fl_lock_service *service, double now) {
    uint64_t live = 0;
    CHECK(fl_lock_service_size(service, now, &live) == FL_OK);
    return live;
}

static void expires_at_the_very_instant(void) {
    fl_lock_service *service = new_service(3, 1);
    CHECK(acquire(service, 0, "n", "a") == 1);
    CHECK(is_held(service, 2.999999999, "n"));
    CHECK(acquire(service, 2.999999999, "n", "b") == 0);
    CHECK(!is_held(service, 3, "n"));
    CHECK(!renew(service, 3, "n", "a", 1));
    CHECK(!release(service, 3, "n", "a", 1));
    CHECK(acquire(service, 3, "n", "b") == 2);
    fl_lock_service_free(service);
}

static void a_late_renewal_or_release_touches_nobody_elses_lease(void) {
    fl_lock_service *service = new_service(5, 1);
    CHECK(acquire(service, 0, "n", "a") == 1);
    CHECK(acquire(service, 6, "n", "b") == 2);
    CHECK(!release(service, 7, "n", "a", 1));
    CHECK(!renew(service, 7, "n", "a", 1));
    CHECK(!renew(service, 7, "n", "b", 1));
    CHECK(!renew(service, 7, "n", "a", 2));
    fl_lease lease;
    CHECK(fl_lock_service_inspect(service, 7, fl_name_from_string("n"), &lease) == FL_OK);
    CHECK(lease.token == 2);
    CHECK(lease.expires_at == 11);
    CHECK(lease.client == client(service, "b"));
    fl_lock_service_free(service);
}

static void time_never_runs_backwards(void) {
    fl_lock_service *service = new_service(3, 1);
    CHECK(acquire(service, 0, "n", "a") == 1);
    CHECK(!is_held(service, 3.5, "n"));
    CHECK(!renew(service, 1, "n", "a", 1));
    CHECK(acquire(service, 1, "n", "b") == 2);
    CHECK(is_held(service, 6.4, "n"));
    CHECK(!is_held(service, 6.5, "n"));
    fl_lock_service_free(service);
}

static void tokens_end_before_they_wrap(void) {
    fl_lock_service *service = new_service(3, FL_TOKEN_MAX - 1);
    CHECK(acquire(service, 0, "n", "a") == FL_TOKEN_MAX - 1);
    CHECK(acquire(service, 0, "m", "a") == FL_TOKEN_MAX);
    CHECK(fl_lock_service_next_token(service) == FL_TOKEN_MAX + 1);
    uint64_t token = 7;
    for (int i = 0; i < 2; i++) {
        CHECK(fl_lock_service_acquire(service, 0, fl_name_from_string("o"), client(service, "a"),
                                      &token) == FL_TOKENS_EXHAUSTED);
    }
    CHECK(token == 7);
    CHECK(renew(service, 1, "n", "a", FL_TOKEN_MAX - 1));
    CHECK(is_held(service, 3.5, "n"));
    CHECK(!is_held(service, 4, "n"));
    fl_lock_service_free(service);
}

static void refuses_what_is_not_a_time_a_lease_or_a_token(void) {
    fl_lock_service *service;
    const double leases[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        CHECK(fl_lock_service_new(NULL, leases[i], 1, hash_key, &service) == FL_INVALID_LEASE);
        CHECK(service == NULL);
    }
    CHECK(fl_lock_service_new(NULL, 1, FL_TOKEN_MAX + 1, hash_key, &service) == FL_INVALID_TOKEN);
    service = new_service(3, 1);
    const double times[] = {NAN, INFINITY, -INFINITY};
    fl_name name = fl_name_from_string("n");
    fl_client a = client(service, "a");
    for (int i = 0; i < 3; i++) {
        uint64_t number = 7;
        fl_lease lease;
        CHECK(fl_lock_service_acquire(service, times[i], name, a, &number) == FL_INVALID_TIME);
        CHECK(fl_lock_service_renew(service, times[i], name, a, 1) == FL_INVALID_TIME);
        CHECK(fl_lock_service_release(service, times[i], name, a, 1) == FL_INVALID_TIME);
        CHECK(fl_lock_service_inspect(service, times[i], name, &lease) == FL_INVALID_TIME);
        CHECK(fl_lock_service_size(service, times[i], &number) == FL_INVALID_TIME);
        CHECK(number == 7);
    }
    CHECK(acquire(service, -1e300, "n", "a") == 1);
    fl_lock_service_free(service);
}

static void an_endless_lease_is_endless(void) {
    fl_lock_service *service = new_service(1.7e308, 1);
    CHECK(acquire(service, 1.7e308, "n", "a") == 1); // the sum overflows to infinity
    CHECK(is_held(service, 1.79e308, "n"));
    CHECK(size(service, 1.79e308) == 1);
    CHECK(release(service, 1.79e308, "n", "a", 1));
    CHECK(size(service, 1.79e308) == 0);
    fl_lock_service_free(service);
}

static void forgotten_clients_keep_their_leases(void) {
    fl_lock_service *service = new_service(3, 1);
    const char *const long_id = "a client with a long id, kept in a block of its own";
    fl_client a = client(service, long_id);
    client(service, "b");
    uint64_t token;
    fl_name name = fl_name_from_string("n");
    CHECK(fl_lock_service_acquire(service, 0, name, a, &token) == FL_OK);
    fl_lock_service_forget_clients(service);
    fl_lock_service_check(service);
    fl_lease lease;
    CHECK(fl_lock_service_inspect(service, 1, name, &lease) == FL_OK);
    fl_bytes id = fl_lock_service_client_id(service, lease.client);
    CHECK(id.length == strlen(long_id) && memcmp(id.data, long_id, id.length) == 0);
    CHECK(client(service, long_id) == a);
    fl_lock_service_forget_clients(service);
    CHECK(fl_lock_service_release(service, 1, name, a, token) == FL_OK);
    fl_lock_service_check(service);
    fl_lock_service_free(service);
}

// R8, under the load that is worst for it: clients that take locks and never release them.
static void memory_grows_with_live_leases_only(void) {
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_lock_service *service;
    CHECK(fl_lock_service_new(&allocator, 10, 1, hash_key, &service) == FL_OK);
    enum { LIVE = 10000 };
    size_t after_first = 0;
    for (uint32_t n = 0; n < 40 * LIVE; n++) {
        double now = n * 10.0 / LIVE;
        char buffer[40];
        int length = snprintf(buffer, sizeof buffer, "job-%u", n);
        fl_client crashed;
        uint64_t token;
        CHECK(fl_lock_service_client(service, fl_name_from_bytes(buffer, (size_t) length),
                                     &crashed) == FL_OK);
        CHECK(fl_lock_service_acquire(service, now, fl_name_from_bytes(buffer, (size_t) length),
                                      crashed, &token) == FL_OK);
        CHECK(token == n + 1);
        if (n % 1000 == 0) fl_lock_service_forget_clients(service);
        if (n == 4 * LIVE) after_first = memory.bytes_highest;
    }
    CHECK(memory.bytes_highest == after_first);
    fl_lock_service_check(service);
    CHECK(size(service, 400) == LIVE - 1);
    CHECK(size(service, 1000) == 0);
    fl_lock_service_forget_clients(service);
    CHECK(memory.bytes < 4096 * 64 * 3);
    fl_lock_service_free(service);
    CHECK(memory.bytes == 0);
}

static void acquire_many(fl_lock_service *service, double now, fl_client client) {
    for (uint32_t n = 0; n < 50000; n++) {
        char buffer[40];
        int length = snprintf(buffer, sizeof buffer, "job-%u", n);
        fl_name name = fl_name_from_bytes(buffer, (size_t) length);
        uint64_t token;
        CHECK(fl_lock_service_acquire(service, now, name, client, &token) == FL_OK);
    }
}

// A rush of leases that all expire at once is worked off a few at a time, by whatever comes next,
// so that another rush finds the memory of the first.
static void a_rush_is_worked_off(void) {
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_lock_service *service;
    CHECK(fl_lock_service_new(&allocator, 10, 1, hash_key, &service) == FL_OK);
    fl_client a = client(service, "a");
    acquire_many(service, 0, a);
    fl_name name = fl_name_from_string("one that is renewed");
    uint64_t token;
    CHECK(fl_lock_service_acquire(service, 0, name, a, &token) == FL_OK);
    size_t after_first = memory.bytes_highest;
    for (int i = 1; i <= 2000; i++) {
        CHECK(fl_lock_service_renew(service, i * 5, name, a, token) == FL_OK);
    }
    fl_lock_service_check(service);
    CHECK(memory.bytes < after_first / 3);
    acquire_many(service, 20000, a);
    CHECK(memory.bytes_highest == after_first);
    CHECK(size(service, 20000) == 50000);
    fl_lock_service_free(service);
    CHECK(memory.bytes == 0);
}

TEST_MAIN(TEST_CASE(expires_at_the_very_instant),
          TEST_CASE(a_late_renewal_or_release_touches_nobody_elses_lease),
          TEST_CASE(time_never_runs_backwards), TEST_CASE(tokens_end_before_they_wrap),
          TEST_CASE(refuses_what_is_not_a_time_a_lease_or_a_token),
          TEST_CASE(an_endless_lease_is_endless), TEST_CASE(forgotten_clients_keep_their_leases),
          TEST_CASE(memory_grows_with_live_leases_only), TEST_CASE(a_rush_is_worked_off))
