#include "nodes.h"

#define FL_MESSAGES_MIN 64
#define FL_REQUESTS_MIN 256

void fl_network_begin(fl_world *world) {
    world->message_count = 0;
    world->free_message = FL_MESSAGE_NONE;
    world->request_count = 1; // 0 stands for no request
    world->has_message_faults = false;
    for (uint32_t i = 0; i < world->scenario->fault_count; i++) {
        if (world->scenario->faults[i].kind >= FL_FAULT_DELAY) world->has_message_faults = true;
    }
    for (uint32_t from = 0; from < world->node_count; from++) {
        for (uint32_t to = 0; to < world->node_count; to++) {
            world->sent[from][to] = 0;
            world->delivered[from][to] = 0;
            world->cuts[from][to] = 0;
        }
    }
}

void fl_network_free(fl_world *world) {
    fl_free(&world->allocator, world->messages, world->message_capacity * sizeof(fl_message));
    fl_free(&world->allocator, world->answers, world->request_capacity * sizeof(fl_answer));
}

// Doubles an array, or begins it; false without memory.
static bool fl_grow(fl_world *world, void **array, uint32_t *capacity, uint32_t least,
                    size_t size) {
    uint32_t grown = *capacity == 0 ? least : *capacity * 2;
    void *block = world->allocator.reallocate(world->allocator.context, *array, *capacity * size,
                                              grown * size);
    if (block == NULL) {
        world->result = FL_OUT_OF_MEMORY;
        return false;
    }
    *array = block;
    *capacity = grown;
    return true;
}

// A number that no other request of this run has; 0 without memory.
uint32_t fl_network_new_request(fl_world *world) {
    if (world->request_count >= world->request_capacity) {
        void *answers = world->answers;
        if (!fl_grow(world, &answers, &world->request_capacity, FL_REQUESTS_MIN,
                     sizeof(fl_answer))) {
            return 0;
        }
        world->answers = answers;
    }
    world->answers[world->request_count].epoch = 0;
    return world->request_count++;
}

// Puts a message under way; it is copied.
static void fl_network_carry(fl_world *world, const fl_message *message) {
    uint32_t index = world->free_message;
    if (index != FL_MESSAGE_NONE) {
        world->free_message = world->messages[index].next;
    } else {
        void *messages = world->messages;
        if (world->message_count == world->message_capacity &&
            !fl_grow(world, &messages, &world->message_capacity, FL_MESSAGES_MIN,
                     sizeof(fl_message))) {
            return;
        }
        world->messages = messages;
        index = world->message_count++;
    }
    world->messages[index] = *message;
    world->messages[index].next = FL_MESSAGE_NONE;
    fl_world_push(world, (fl_queue_entry){.time = message->arrives_at,
                                          .occurrence = FL_OCCURS_ARRIVAL,
                                          .index = index});
}

static void fl_network_discard(fl_world *world, uint32_t index) {
    world->messages[index].next = world->free_message;
    world->free_message = index;
}

static fl_event fl_network_event(const fl_world *world, fl_event_kind kind, uint8_t node,
                                 const fl_message *message) {
    fl_event event = fl_world_event(world, kind, node);
    event.peer = node == message->to ? message->from : message->to;
    event.message = message->number;
    event.operation = message->operation;
    event.outcome = message->outcome;
    event.token = message->token;
    event.value = message->value;
    event.flags =
        (uint8_t) ((message->reply ? FL_EVENT_REPLY : 0) | (message->copy ? FL_EVENT_COPY : 0));
    uint8_t client = message->reply ? message->to : message->from;
    FL_ASSERT(client >= FL_NODE_CLIENT);
    const fl_scenario_client *plan = &world->scenario->clients[client - FL_NODE_CLIENT];
    bool at_service = message->from == FL_NODE_SERVICE || message->to == FL_NODE_SERVICE;
    if (at_service) event.lock = plan->lock;
    if (!at_service) event.key = plan->key;
    return event;
}

static void fl_network_dropped(fl_world *world, const fl_message *message, fl_reason reason) {
    fl_event event = fl_network_event(world, FL_EVENT_DROP, message->to, message);
    event.reason = (uint8_t) reason;
    fl_world_emit(world, &event);
}

void fl_network_delivered(fl_world *world, const fl_message *message, fl_reason reason) {
    uint32_t *highest = &world->delivered[message->from][message->to];
    if (message->number < *highest) {
        fl_world_tally(world, FL_TALLY_REORDERING, false);
        fl_world_tally(world, FL_TALLY_REORDERING, true);
    } else {
        *highest = message->number;
    }
    if (message->copy) fl_world_tally(world, FL_TALLY_DUPLICATION, true);
    fl_event event = fl_network_event(world, FL_EVENT_DELIVER, message->to, message);
    event.reason = (uint8_t) reason;
    fl_world_emit(world, &event);
}

typedef struct fl_message_faults {
    bool drop;
    bool duplicate;
    fl_ticks delay;
    fl_ticks copy_delay;
} fl_message_faults;

static fl_message_faults fl_network_faults(fl_world *world, const fl_message *message) {
    fl_message_faults found = {0};
    for (uint32_t i = 0; i < world->scenario->fault_count; i++) {
        const fl_fault *fault = &world->scenario->faults[i];
        if (fault->message != message->number || fault->node != message->from ||
            fault->peer != message->to) {
            continue;
        }
        if (fault->kind == FL_FAULT_DROP) found.drop = true;
        if (fault->kind == FL_FAULT_DELAY) found.delay += fault->by;
        if (fault->kind == FL_FAULT_DUPLICATE) {
            found.duplicate = true;
            found.copy_delay = fault->by;
        }
    }
    return found;
}

static fl_ticks fl_network_latency(fl_world *world, fl_decision_kind kind, uint32_t pair,
                                   uint32_t number) {
    const fl_scenario *scenario = world->scenario;
    uint32_t ways = (uint32_t) (scenario->latency_max - scenario->latency_min) + 1;
    fl_decision decision = {kind, pair, number};
    return scenario->latency_min + (fl_ticks) fl_choose(world->choice, decision, ways);
}

static bool fl_network_happens(fl_world *world, fl_decision_kind kind, uint32_t pair,
                               uint32_t number, double probability) {
    if (probability <= 0 || world->now >= world->scenario->calm_from) return false;
    fl_decision decision = {kind, pair, number};
    return fl_choose_chance(world->choice, decision, probability);
}

static fl_ticks fl_later(fl_ticks time, fl_ticks by) {
    return by > 0 ? time + by : time;
}

void fl_network_send(fl_world *world, const fl_message *template) {
    fl_message message = *template;
    message.number = ++world->sent[message.from][message.to];
    uint32_t pair = (uint32_t) message.from << 8 | message.to;
    fl_message_faults faults = {0};
    if (world->has_message_faults) faults = fl_network_faults(world, &message);

    fl_ticks latency = fl_network_latency(world, FL_DECIDE_LATENCY, pair, message.number);
    message.arrives_at = fl_later(world->now + latency, faults.delay);
    bool cut = world->cuts[message.from][message.to] > 0;
    bool lost =
        fl_network_happens(world, FL_DECIDE_LOSS, pair, message.number, world->scenario->loss);
    if (faults.drop || (lost && !cut)) {
        fl_world_tally(world, FL_TALLY_LOSS, false);
        fl_world_tally(world, FL_TALLY_LOSS, true);
    }
    lost = lost || faults.drop;
    if (faults.delay > 0) {
        fl_world_tally(world, FL_TALLY_DELAY, false);
        if (!cut && !lost) fl_world_tally(world, FL_TALLY_DELAY, true);
    }

    fl_event event = fl_network_event(world, FL_EVENT_SEND, message.from, &message);
    if (faults.delay > 0) event.reason = FL_REASON_DELAYED;
    if (!cut && !lost) event.until = (double) message.arrives_at;
    fl_world_emit(world, &event);
    if (cut) {
        fl_world_fault_took_effect(world, world->cut_fault[message.from][message.to]);
        fl_network_dropped(world, &message, FL_REASON_PARTITION);
        return;
    }
    if (lost) fl_network_dropped(world, &message, FL_REASON_LOST);
    if (!lost) fl_network_carry(world, &message);

    bool duplicated = fl_network_happens(world, FL_DECIDE_DUPLICATE, pair, message.number,
                                         world->scenario->duplicate);
    if (!duplicated && !faults.duplicate) return;
    fl_world_tally(world, FL_TALLY_DUPLICATION, false);
    message.copy = true;
    latency = fl_network_latency(world, FL_DECIDE_COPY_LATENCY, pair, message.number);
    message.arrives_at = fl_later(world->now + latency, faults.copy_delay);
    event = fl_network_event(world, FL_EVENT_SEND, message.from, &message);
    event.until = (double) message.arrives_at;
    fl_world_emit(world, &event);
    fl_network_carry(world, &message);
}

static void fl_network_hand_over(fl_world *world, uint32_t index) {
    // Copied, since handling it may send messages, and so move the pool.
    fl_message message = world->messages[index];
    fl_network_discard(world, index);
    if (message.to == FL_NODE_SERVICE) {
        fl_service_receive(world, &message);
    } else if (message.to == FL_NODE_STORAGE) {
        fl_storage_receive(world, &message);
    } else {
        fl_client_receive(world, &message);
    }
}

void fl_network_arrive(fl_world *world, uint32_t index) {
    const fl_message *message = &world->messages[index];
    fl_node *node = &world->nodes[message->to];
    if (world->cuts[message->from][message->to] > 0) {
        fl_world_fault_took_effect(world, world->cut_fault[message->from][message->to]);
        fl_network_dropped(world, message, FL_REASON_PARTITION);
        fl_network_discard(world, index);
    } else if (node->down) {
        fl_world_fault_took_effect(world, node->down_fault);
        fl_network_dropped(world, message, FL_REASON_DOWN);
        fl_network_discard(world, index);
    } else if (node->stalls > 0) {
        // It waits in the machine's buffers until the node goes on.
        fl_world_fault_took_effect(world, node->stall_fault);
        if (node->inbox_first == FL_MESSAGE_NONE) {
            node->inbox_first = index;
        } else {
            world->messages[node->inbox_last].next = index;
        }
        node->inbox_last = index;
    } else {
        fl_network_hand_over(world, index);
    }
}

static uint32_t fl_network_take_inbox(fl_world *world, uint8_t node) {
    uint32_t index = world->nodes[node].inbox_first;
    if (index != FL_MESSAGE_NONE) world->nodes[node].inbox_first = world->messages[index].next;
    return index;
}

void fl_network_drain(fl_world *world, uint8_t node) {
    for (;;) {
        uint32_t index = fl_network_take_inbox(world, node);
        if (index == FL_MESSAGE_NONE) return;
        fl_network_hand_over(world, index);
    }
}

void fl_network_drop_inbox(fl_world *world, uint8_t node) {
    for (;;) {
        uint32_t index = fl_network_take_inbox(world, node);
        if (index == FL_MESSAGE_NONE) return;
        fl_network_dropped(world, &world->messages[index], FL_REASON_DOWN);
        fl_network_discard(world, index);
    }
}
