#include "name_table.h"

#include <math.h>

// Records of expired leases are found by a hand that goes round and round the records, a few steps
// an operation, at a pace set by time: so many rounds in the length of a lease. A record outlives
// its lease by half a round on average, so the table is about an eighth larger than the live
// leases where nobody releases. (A list in the order of expiry would find them at once, but costs
// each renewal two more cache misses.)
#define ROUNDS_A_LEASE 4

// The hand's steps an operation, at the least: more than the one record that an operation can add,
// so that the hand catches up under any load. And at the most, so that no operation stalls.
#define STEPS_MIN 2
#define STEPS_MAX 64

typedef struct lock_record {
    fl_record base; // base.owner is the client
    double expires_at;
    uint64_t token;
} lock_record;

_Static_assert(sizeof(lock_record) == 40, "a lock takes 40 bytes, and its share of the index");

typedef struct client_record {
    fl_record base;       // base.owner counts the lock records that name this client
    uint32_t next_pinned; // in the list of numbers handed out, or one of the two below
} client_record;

#define PINNED_LAST (UINT32_MAX - 1)
#define NOT_PINNED UINT32_MAX

struct fl_lock_service {
    fl_allocator allocator;
    double lease_seconds;
    double latest_time; // the latest that any operation has seen (R7)
    uint64_t next_token;
    fl_name_table locks;
    fl_name_table clients;
    uint32_t hand;          // the number of the lock record that is looked at next
    fl_client first_pinned; // PINNED_LAST when there is none
};

fl_result fl_lock_service_new(const fl_allocator *allocator, double lease_seconds,
                              uint64_t first_token, const uint64_t hash_key[2],
                              fl_lock_service **service) {
    *service = NULL;
    if (!fl_time_is_valid(lease_seconds) || lease_seconds <= 0) return FL_INVALID_LEASE;
    if (first_token > FL_TOKEN_MAX) return FL_INVALID_TOKEN;
    fl_allocator memory = fl_allocator_or_default(allocator);
    fl_lock_service *made = fl_allocate(&memory, sizeof *made);
    if (!made) return FL_OUT_OF_MEMORY;
    *made = (fl_lock_service){
        .allocator = memory,
        .lease_seconds = lease_seconds,
        .latest_time = -INFINITY,
        .next_token = first_token,
        .first_pinned = PINNED_LAST,
    };
    fl_name_table_init(&made->locks, sizeof(lock_record), true, hash_key);
    fl_name_table_init(&made->clients, sizeof(client_record), false, hash_key);
    *service = made;
    return FL_OK;
}

void fl_lock_service_free(fl_lock_service *service) {
    if (!service) return;
    fl_allocator memory = service->allocator;
    fl_name_table_destroy(&service->locks, &memory);
    fl_name_table_destroy(&service->clients, &memory);
    fl_free(&memory, service, sizeof *service);
}

// Clients -------------------------------------------------------------------------------------

static client_record *client_at(const fl_lock_service *service, fl_client client) {
    FL_ASSERT(client < service->clients.records_used);
    return fl_name_table_record(&service->clients, client);
}

static void free_client_if_unused(fl_lock_service *service, fl_client client) {
    const client_record *record = client_at(service, client);
    if (record->base.owner > 0 || record->next_pinned != NOT_PINNED) return;
    fl_name_table_remove(&service->clients, &service->allocator, client);
}

fl_result fl_lock_service_client(fl_lock_service *service, fl_name id, fl_client *client) {
    uint32_t hash = fl_name_table_hash(&service->clients, &id);
    fl_client found = fl_name_table_find(&service->clients, &id, hash);
    if (found == FL_NO_RECORD) {
        if (fl_name_table_add(&service->clients, &service->allocator, &id, hash, &found)) {
            return FL_OUT_OF_MEMORY;
        }
        client_record *added = client_at(service, found);
        added->base.owner = 0;
        added->next_pinned = NOT_PINNED;
    }
    client_record *record = client_at(service, found);
    if (record->next_pinned == NOT_PINNED) {
        record->next_pinned = service->first_pinned;
        service->first_pinned = found;
    }
    *client = found;
    return FL_OK;
}

fl_bytes fl_lock_service_client_id(const fl_lock_service *service, fl_client client) {
    FL_ASSERT(client < service->clients.records_used);
    return fl_name_table_name(&service->clients, client);
}

void fl_lock_service_forget_clients(fl_lock_service *service) {
    while (service->first_pinned != PINNED_LAST) {
        fl_client client = service->first_pinned;
        client_record *record = client_at(service, client);
        service->first_pinned = record->next_pinned;
        record->next_pinned = NOT_PINNED;
        free_client_if_unused(service, client);
    }
}

// Locks ---------------------------------------------------------------------------------------

static lock_record *lock_at(const fl_lock_service *service, uint32_t number) {
    FL_ASSERT(number < service->locks.records_used);
    return fl_name_table_record(&service->locks, number);
}

// R1, and the only place that says so: at the very instant of expiry the lease is gone.
static bool is_live(const lock_record *lock, double now) {
    return now < lock->expires_at;
}

static void remove_lock(fl_lock_service *service, uint32_t number) {
    fl_client client = lock_at(service, number)->base.owner;
    client_record *owner = client_at(service, client);
    FL_ASSERT(owner->base.owner > 0);
    owner->base.owner--;
    fl_name_table_remove(&service->locks, &service->allocator, number);
    free_client_if_unused(service, client);
}

// Moves the hand on, and removes the records of the expired leases on its way (R8).
static void reclaim(fl_lock_service *service, double now, uint32_t steps) {
    for (; steps > 0 && service->locks.count > 0; steps--) {
        if (service->hand >= service->locks.records_used) service->hand = 0;
        // Where a record is removed, another takes its place and is the next one to be looked at.
        if (is_live(lock_at(service, service->hand), now)) service->hand++;
        else remove_lock(service, service->hand);
    }
}

// Operations ------------------------------------------------------------------------------------

// What each operation begins with: finds the time it works with, which is never before one already
// seen (R7), and moves the hand as far as the time that has passed asks for.
static fl_result advance(fl_lock_service *service, double *now) {
    if (!fl_time_is_valid(*now)) return FL_INVALID_TIME;
    double elapsed = 0;
    if (*now > service->latest_time) {
        elapsed = *now - service->latest_time;
        service->latest_time = *now;
    }
    *now = service->latest_time;
    if (service->locks.count == 0) return FL_OK;
    double rounds = elapsed / service->lease_seconds * ROUNDS_A_LEASE;
    double steps = STEPS_MIN + rounds * service->locks.records_used;
    reclaim(service, *now, steps < STEPS_MAX ? (uint32_t) steps : STEPS_MAX);
    return FL_OK;
}

// The number of the record with a live lease on that name, or FL_NO_RECORD.
static uint32_t find_live(const fl_lock_service *service, double now, const fl_name *name,
                          uint32_t hash) {
    uint32_t number = fl_name_table_find(&service->locks, name, hash);
    if (number == FL_NO_RECORD || !is_live(lock_at(service, number), now)) return FL_NO_RECORD;
    return number;
}

// The same for the lease of one client and token: what renew and release ask for (R4, R5).
static uint32_t find_own(const fl_lock_service *service, double now, const fl_name *name,
                         fl_client client, uint64_t token) {
    uint32_t hash = fl_name_table_hash(&service->locks, name);
    uint32_t number = find_live(service, now, name, hash);
    if (number == FL_NO_RECORD) return FL_NO_RECORD;
    const lock_record *lock = lock_at(service, number);
    if (lock->base.owner != client || lock->token != token) return FL_NO_RECORD;
    return number;
}

fl_result fl_lock_service_acquire(fl_lock_service *service, double now, fl_name name,
                                  fl_client client, uint64_t *token) {
    if (advance(service, &now) != FL_OK) return FL_INVALID_TIME;
    uint32_t hash = fl_name_table_hash(&service->locks, &name);
    uint32_t number = fl_name_table_find(&service->locks, &name, hash);
    if (number != FL_NO_RECORD && is_live(lock_at(service, number), now)) return FL_REFUSED;
    if (service->next_token > FL_TOKEN_MAX) return FL_TOKENS_EXHAUSTED;
    if (number == FL_NO_RECORD) {
        if (fl_name_table_add(&service->locks, &service->allocator, &name, hash, &number)) {
            return FL_OUT_OF_MEMORY;
        }
    } else {
        // The last lease has expired but its record is still there: the new one takes it over.
        lock_record *expired = lock_at(service, number);
        fl_client last_client = expired->base.owner;
        client_at(service, last_client)->base.owner--;
        if (last_client != client) free_client_if_unused(service, last_client);
    }
    lock_record *lock = lock_at(service, number);
    lock->base.owner = client;
    lock->token = service->next_token++;
    lock->expires_at = now + service->lease_seconds;
    client_at(service, client)->base.owner++;
    *token = lock->token;
    return FL_OK;
}

fl_result fl_lock_service_renew(fl_lock_service *service, double now, fl_name name,
                                fl_client client, uint64_t token) {
    if (advance(service, &now) != FL_OK) return FL_INVALID_TIME;
    uint32_t number = find_own(service, now, &name, client, token);
    if (number == FL_NO_RECORD) return FL_REFUSED;
    lock_record *lock = lock_at(service, number);
    FL_ASSERT(now + service->lease_seconds >= lock->expires_at);
    lock->expires_at = now + service->lease_seconds;
    return FL_OK;
}

fl_result fl_lock_service_release(fl_lock_service *service, double now, fl_name name,
                                  fl_client client, uint64_t token) {
    if (advance(service, &now) != FL_OK) return FL_INVALID_TIME;
    uint32_t number = find_own(service, now, &name, client, token);
    if (number == FL_NO_RECORD) return FL_REFUSED;
    remove_lock(service, number);
    return FL_OK;
}

fl_result fl_lock_service_inspect(fl_lock_service *service, double now, fl_name name,
                                  fl_lease *lease) {
    if (advance(service, &now) != FL_OK) return FL_INVALID_TIME;
    uint32_t hash = fl_name_table_hash(&service->locks, &name);
    uint32_t number = find_live(service, now, &name, hash);
    if (number == FL_NO_RECORD) return FL_REFUSED;
    const lock_record *lock = lock_at(service, number);
    *lease = (fl_lease){lock->base.owner, lock->token, lock->expires_at};
    return FL_OK;
}

fl_result fl_lock_service_size(fl_lock_service *service, double now, uint64_t *size) {
    if (advance(service, &now) != FL_OK) return FL_INVALID_TIME;
    // From the first record, so that what takes a removed one's place has not been looked at yet.
    service->hand = 0;
    reclaim(service, now, service->locks.count);
    *size = service->locks.count;
    return FL_OK;
}

uint64_t fl_lock_service_next_token(const fl_lock_service *service) {
    return service->next_token;
}

void fl_lock_service_check(const fl_lock_service *service) {
    fl_name_table_check(&service->locks);
    fl_name_table_check(&service->clients);
    FL_ASSERT(service->next_token <= FL_TOKEN_MAX + 1);
    for (uint32_t number = 0; number < service->locks.count; number++) {
        const lock_record *lock = lock_at(service, number);
        FL_ASSERT(lock->token < service->next_token);
        FL_ASSERT(client_at(service, lock->base.owner)->base.owner > 0);
    }
    // A client without leases counts none, also when its record is freed.
    uint32_t leases = 0;
    for (fl_client client = 0; client < service->clients.records_used; client++) {
        leases += client_at(service, client)->base.owner;
    }
    FL_ASSERT(leases == service->locks.count);
    uint32_t pinned = 0;
    for (fl_client client = service->first_pinned; client != PINNED_LAST; pinned++) {
        FL_ASSERT(pinned < service->clients.count);
        client = client_at(service, client)->next_pinned;
    }
}
