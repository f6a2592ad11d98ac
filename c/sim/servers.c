// The lock service and the storage: the real ones, each behind a node that answers messages.
//
// What a crash leaves: of the lock service only the token counter, which it must keep in any case
// (I1). Its leases are not kept but waited out: a restarted service grants nothing for one lease.
// Keeping them would put a write to disk into every grant and renewal; waiting costs one lease
// after a crash, and is safe since no lease that was granted before can outlive it. Of the storage
// all is kept, the answers to writes too: they are one with the write, as a row is with its key.

#include "nodes.h"

#include <string.h>

// Nobody chooses names against a simulation, and a run must be the same each time.
static const uint64_t fl_hash_key[2] = {0x66656E63656C6F63, 0x6B};

#define FL_STORAGE_EPOCH 1

static void fl_world_fail_unless(fl_world *world, fl_result result, fl_result expected) {
    if (result == FL_OK || result == expected) return;
    FL_ASSERT(result == FL_OUT_OF_MEMORY);
    world->result = result;
}

static void fl_service_start(fl_world *world) {
    fl_sim_service *node = &world->service;
    fl_result result =
        fl_lock_service_new(&world->allocator, fl_seconds_from_ticks(world->scenario->lease),
                            node->next_token, fl_hash_key, &node->service);
    // After its last token a service can't start again; the node then refuses whatever comes.
    fl_world_fail_unless(world, result, FL_INVALID_TOKEN);
    node->epoch++;
    node->latest = fl_world_local(world, FL_NODE_SERVICE);
    for (uint32_t i = 0; node->service != NULL && i < world->scenario->client_count; i++) {
        fl_name id = fl_world_name("client", (uint8_t) i);
        result = fl_lock_service_client(node->service, id, &node->numbers[i]);
        fl_world_fail_unless(world, result, FL_OK);
    }
    for (uint32_t i = 0; i < FL_SCENARIO_NAMES_MAX; i++)
        node->leases[i].live = false;
}

void fl_servers_begin(fl_world *world) {
    world->service.next_token = world->scenario->first_token;
    world->service.epoch = 0;
    fl_service_start(world);
    world->service.quiet_until = world->service.latest;
    fl_result result = fl_fenced_storage_new(&world->allocator, fl_scenario_rule(world->scenario),
                                             fl_hash_key, &world->storage);
    fl_world_fail_unless(world, result, FL_OK);
}

void fl_servers_free(fl_world *world) {
    fl_lock_service_free(world->service.service);
    fl_fenced_storage_free(world->storage);
    world->service.service = NULL;
    world->storage = NULL;
}

void fl_service_crash(fl_world *world) {
    fl_sim_service *node = &world->service;
    if (node->service != NULL) node->next_token = fl_lock_service_next_token(node->service);
    fl_lock_service_free(node->service);
    node->service = NULL;
    for (uint32_t i = 0; i < FL_SCENARIO_NAMES_MAX; i++)
        node->leases[i].live = false;
}

void fl_service_restart(fl_world *world) {
    fl_service_start(world);
    world->service.quiet_until = world->service.latest + world->scenario->lease;
}

bool fl_service_has_leases(const fl_world *world) {
    for (uint32_t i = 0; i < FL_SCENARIO_NAMES_MAX; i++) {
        if (world->service.leases[i].live) return true;
    }
    return false;
}

static double fl_service_seconds(const fl_world *world) {
    return fl_world_local_seconds(world, FL_NODE_SERVICE);
}

// Shows the service the time, as each of its operations does.
static void fl_service_see_time(fl_world *world) {
    fl_lease lease;
    if (world->service.service == NULL) return;
    fl_result result = fl_lock_service_inspect(world->service.service, fl_service_seconds(world),
                                               fl_world_name("lock", 0), &lease);
    fl_world_fail_unless(world, result, FL_REFUSED);
}

// Arms the timer for the lease that ends first.
static void fl_service_arm(fl_world *world) {
    fl_ticks first = FL_NEVER;
    for (uint32_t i = 0; i < FL_SCENARIO_NAMES_MAX; i++) {
        const fl_sim_lease *lease = &world->service.leases[i];
        if (lease->live && lease->expires_at < first) first = lease->expires_at;
    }
    if (first == FL_NEVER) {
        fl_world_disarm(world, FL_NODE_SERVICE, FL_TIMER_PROGRAM);
    } else {
        fl_world_arm(world, FL_NODE_SERVICE, FL_TIMER_PROGRAM, first);
    }
}

// At the exact end of a lease the service is asked whether it agrees. (To ask is also to show it
// the time, so that a clock stepped back later does not bring the lease to life again: R7.)
static void fl_service_expire(fl_world *world, uint8_t lock) {
    fl_sim_lease *mine = &world->service.leases[lock];
    fl_lease lease;
    fl_result result = fl_lock_service_inspect(world->service.service, fl_service_seconds(world),
                                               fl_world_name("lock", lock), &lease);
    fl_world_fail_unless(world, result, FL_REFUSED);
    fl_event event = fl_world_event(world, FL_EVENT_EXPIRE, FL_NODE_SERVICE);
    event.peer = mine->client;
    event.lock = lock;
    event.token = mine->token;
    event.outcome = result == FL_REFUSED ? FL_OUTCOME_OK : FL_OUTCOME_REFUSED;
    event.reason = result == FL_REFUSED ? FL_REASON_NONE : FL_REASON_STILL_LIVE;
    mine->live = false;
    fl_world_emit(world, &event);
}

void fl_service_notice_expiries(fl_world *world) {
    fl_ticks local = fl_world_local(world, FL_NODE_SERVICE);
    if (local > world->service.latest) world->service.latest = local;
    for (uint8_t lock = 0; lock < FL_SCENARIO_NAMES_MAX; lock++) {
        const fl_sim_lease *lease = &world->service.leases[lock];
        if (lease->live && lease->expires_at <= world->service.latest) {
            fl_service_expire(world, lock);
        }
    }
    fl_service_arm(world);
}

void fl_service_stepped(fl_world *world) {
    fl_service_see_time(world);
    fl_service_notice_expiries(world);
}

// Notes a lease that was granted or renewed; gives the true instant at which it ends.
static double fl_service_note(fl_world *world, uint8_t lock, uint8_t client, double token) {
    fl_sim_lease *lease = &world->service.leases[lock];
    fl_ticks expires_at = world->service.latest + world->scenario->lease;
    *lease = (fl_sim_lease){true, client, token, expires_at};
    fl_service_arm(world);
    fl_ticks when = fl_sim_clock_when(&world->nodes[FL_NODE_SERVICE].clock, expires_at, world->now);
    return when == FL_NEVER ? -1 : (double) when;
}

static fl_event fl_service_acquire(fl_world *world, uint8_t client, uint8_t lock) {
    fl_sim_service *node = &world->service;
    fl_event event = fl_world_event(world, FL_EVENT_ACQUIRE, FL_NODE_SERVICE);
    event.outcome = FL_OUTCOME_REFUSED;
    if (node->latest < node->quiet_until) {
        fl_service_see_time(world);
        event.reason = FL_REASON_WAITING_OUT;
        return event;
    }
    uint64_t token = 0;
    fl_result result = FL_TOKENS_EXHAUSTED;
    if (node->service != NULL) {
        result = fl_lock_service_acquire(node->service, fl_service_seconds(world),
                                         fl_world_name("lock", lock),
                                         node->numbers[client - FL_NODE_CLIENT], &token);
    }
    if (result == FL_OK) {
        event.outcome = FL_OUTCOME_GRANTED;
        event.token = (double) token;
        event.until = fl_service_note(world, lock, client, event.token);
    } else if (result == FL_TOKENS_EXHAUSTED) {
        event.reason = FL_REASON_TOKENS_EXHAUSTED;
    } else {
        fl_world_fail_unless(world, result, FL_REFUSED);
        event.reason = FL_REASON_HELD;
        event.other = node->leases[lock].client;
        event.highest = node->leases[lock].token;
    }
    return event;
}

static fl_event fl_service_renew_or_release(fl_world *world, const fl_message *message,
                                            uint8_t lock) {
    fl_sim_service *node = &world->service;
    bool renews = message->operation == FL_OPERATION_RENEW;
    fl_event event =
        fl_world_event(world, renews ? FL_EVENT_RENEW : FL_EVENT_RELEASE, FL_NODE_SERVICE);
    event.token = message->token;
    double seconds = fl_service_seconds(world);
    fl_name name = fl_world_name("lock", lock);
    fl_client number = node->numbers[message->from - FL_NODE_CLIENT];
    uint64_t token = (uint64_t) message->token;
    fl_result result = FL_REFUSED;
    if (node->service != NULL) {
        result = renews ? fl_lock_service_renew(node->service, seconds, name, number, token)
                        : fl_lock_service_release(node->service, seconds, name, number, token);
    }
    fl_world_fail_unless(world, result, FL_REFUSED);
    event.outcome = result == FL_OK ? FL_OUTCOME_OK : FL_OUTCOME_REFUSED;
    if (result != FL_OK) {
        event.reason = FL_REASON_NOT_LIVE;
    } else if (renews) {
        event.until = fl_service_note(world, lock, message->from, message->token);
    } else {
        node->leases[lock].live = false;
        fl_service_arm(world);
    }
    return event;
}

// Sends the answer to a request, which is kept for its repetitions.
static void fl_server_reply(fl_world *world, const fl_message *request) {
    const fl_answer *answer = &world->answers[request->request];
    fl_message reply = *request;
    reply.from = request->to;
    reply.to = request->from;
    reply.reply = true;
    reply.copy = false;
    reply.outcome = answer->outcome;
    reply.reason = answer->reason;
    reply.token = answer->token;
    reply.value = answer->value;
    fl_network_send(world, &reply);
}

static bool fl_server_has_answered(fl_world *world, const fl_message *request, uint32_t epoch) {
    bool answered = world->answers[request->request].epoch == epoch;
    fl_network_delivered(world, request, answered ? FL_REASON_REPEATED : FL_REASON_NONE);
    return answered;
}

static void fl_server_answer(fl_world *world, const fl_message *request, uint32_t epoch,
                             fl_event *event) {
    event->peer = request->from;
    event->message = request->number;
    event->operation = request->operation;
    fl_world_emit(world, event);
    world->answers[request->request] = (fl_answer){
        .token = event->token,
        .value = event->value,
        .epoch = epoch,
        .outcome = event->outcome,
        .reason = event->reason,
    };
}

void fl_service_receive(fl_world *world, const fl_message *message) {
    uint32_t epoch = world->service.epoch;
    if (!fl_server_has_answered(world, message, epoch)) {
        uint8_t lock = world->scenario->clients[message->from - FL_NODE_CLIENT].lock;
        fl_service_notice_expiries(world);
        fl_event event = message->operation == FL_OPERATION_ACQUIRE
                             ? fl_service_acquire(world, message->from, lock)
                             : fl_service_renew_or_release(world, message, lock);
        event.lock = lock;
        fl_server_answer(world, message, epoch, &event);
    }
    fl_server_reply(world, message);
}

static uint32_t fl_storage_value(const fl_world *world, fl_name key) {
    fl_bytes stored;
    uint32_t value = 0;
    if (fl_fenced_storage_read(world->storage, key, &stored, NULL) == FL_OK) {
        FL_ASSERT(stored.length == sizeof value);
        memcpy(&value, stored.data, sizeof value);
    }
    return value;
}

// Without fencing, a token below the highest is passed on as the highest, so that the real storage
// takes the write that it would have refused.
static fl_event fl_storage_write_or_fence(fl_world *world, const fl_message *message, fl_name key) {
    bool writes = message->operation == FL_OPERATION_WRITE;
    fl_event event =
        fl_world_event(world, writes ? FL_EVENT_WRITE : FL_EVENT_FENCE, FL_NODE_STORAGE);
    event.token = message->token;
    uint64_t token = (uint64_t) message->token;
    uint64_t highest = 0;
    bool has_highest = fl_fenced_storage_highest_token(world->storage, key, &highest) == FL_OK;
    if (has_highest) event.highest = (double) highest;
    bool is_stale = has_highest && token < highest;
    if (world->scenario->fencing == FL_SCENARIO_OFF && is_stale) {
        token = highest;
        event.flags = FL_EVENT_STALE;
    }
    fl_result result;
    if (writes) {
        event.previous = fl_storage_value(world, key);
        event.value = message->value;
        fl_bytes value = {&message->value, sizeof message->value};
        result = fl_fenced_storage_write(world->storage, key, value, token, NULL);
    } else {
        result = fl_fenced_storage_fence(world->storage, key, token);
    }
    fl_world_fail_unless(world, result, FL_REFUSED);
    event.outcome = result == FL_OK ? FL_OUTCOME_ACCEPTED : FL_OUTCOME_REJECTED;
    if (result != FL_OK) event.reason = is_stale ? FL_REASON_STALE : FL_REASON_USED;
    return event;
}

void fl_storage_receive(fl_world *world, const fl_message *message) {
    if (!fl_server_has_answered(world, message, FL_STORAGE_EPOCH)) {
        uint8_t index = world->scenario->clients[message->from - FL_NODE_CLIENT].key;
        fl_name key = fl_world_name("key", index);
        fl_event event;
        if (message->operation == FL_OPERATION_READ) {
            event = fl_world_event(world, FL_EVENT_READ, FL_NODE_STORAGE);
            event.token = message->token;
            event.value = fl_storage_value(world, key);
            event.outcome = FL_OUTCOME_OK;
        } else {
            event = fl_storage_write_or_fence(world, message, key);
        }
        event.key = index;
        fl_server_answer(world, message, FL_STORAGE_EPOCH, &event);
    }
    fl_server_reply(world, message);
}

void fl_storage_show(fl_world *world) {
    for (uint32_t i = 0; i < world->scenario->client_count; i++) {
        uint8_t index = world->scenario->clients[i].key;
        fl_name key = fl_world_name("key", index);
        uint64_t highest = 0;
        bool has_highest = fl_fenced_storage_highest_token(world->storage, key, &highest) == FL_OK;
        fl_checker_see_key(world->checker, index, fl_storage_value(world, key),
                           has_highest ? (double) highest : -1);
    }
}
