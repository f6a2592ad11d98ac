#include "nodes.h"

fl_result fl_world_new(const fl_allocator *allocator, fl_world **world) {
    fl_allocator own = fl_allocator_or_default(allocator);
    *world = fl_allocate(&own, sizeof(fl_world));
    if (*world == NULL) return FL_OUT_OF_MEMORY;
    **world = (fl_world){.allocator = own};
    return FL_OK;
}

void fl_world_free(fl_world *world) {
    if (world == NULL) return;
    fl_allocator allocator = world->allocator;
    fl_network_free(world);
    fl_free(&allocator, world->queue.entries, world->queue.capacity * sizeof(fl_queue_entry));
    fl_free(&allocator, world, sizeof(fl_world));
}

const char *fl_tally_text(unsigned kind) {
#define FL_TALLY_TEXT(name, text) text,
    static const char *const texts[] = {FL_TALLY_MAP(FL_TALLY_TEXT)};
#undef FL_TALLY_TEXT
    return kind < FL_TALLY_KINDS ? texts[kind] : NULL;
}

// Shared by the nodes ------------------------------------------------------------------------

fl_ticks fl_world_local(const fl_world *world, uint8_t node) {
    return fl_sim_clock_read(&world->nodes[node].clock, world->now);
}

double fl_world_local_seconds(const fl_world *world, uint8_t node) {
    return fl_seconds_from_ticks(world->scenario->origin + fl_world_local(world, node));
}

fl_event fl_world_event(const fl_world *world, fl_event_kind kind, uint8_t node) {
    return (fl_event){
        .time = (double) world->now,
        .until = -1,
        .local_time = (double) fl_world_local(world, node),
        .token = -1,
        .highest = -1,
        .kind = (uint8_t) kind,
        .node = node,
        .peer = FL_NODE_NONE,
        .other = FL_NODE_NONE,
        .lock = FL_NODE_NONE,
        .key = FL_NODE_NONE,
    };
}

void fl_world_emit(fl_world *world, const fl_event *event) {
    fl_checker_observe(world->checker, event, (uint32_t) world->trace->count);
    fl_trace_add(world->trace, event);
}

void fl_world_push(fl_world *world, fl_queue_entry entry) {
    if (entry.time == FL_NEVER) return;
    if (!fl_queue_push(&world->queue, &world->allocator, entry)) world->result = FL_OUT_OF_MEMORY;
}

void fl_world_arm(fl_world *world, uint8_t node, fl_timer_slot slot, fl_ticks due) {
    fl_timer *timer = &world->nodes[node].timers[slot];
    timer->due = due;
    timer->version++;
    timer->armed = true;
    fl_ticks when = fl_sim_clock_when(&world->nodes[node].clock, due, world->now);
    fl_world_push(world, (fl_queue_entry){.time = when,
                                          .occurrence = FL_OCCURS_TIMER,
                                          .node = node,
                                          .slot = (uint8_t) slot,
                                          .index = timer->version});
}

void fl_world_disarm(fl_world *world, uint8_t node, fl_timer_slot slot) {
    fl_timer *timer = &world->nodes[node].timers[slot];
    timer->armed = false;
    timer->version++;
}

// Computes anew when the node's timers end, after its clock has changed or it has gone on.
static void fl_world_arm_again(fl_world *world, uint8_t node) {
    for (int slot = 0; slot < FL_TIMER_SLOTS; slot++) {
        const fl_timer *timer = &world->nodes[node].timers[slot];
        if (timer->armed) fl_world_arm(world, node, (fl_timer_slot) slot, timer->due);
    }
}

fl_name fl_world_name(const char *kind, uint8_t index) {
    char name[FL_NAME_SHORT_MAX];
    size_t length = 0;
    while (kind[length] != 0) {
        FL_ASSERT(length < FL_NAME_SHORT_MAX - 1);
        name[length] = kind[length];
        length++;
    }
    name[length] = (char) ('0' + index);
    return fl_name_from_bytes(name, length + 1);
}

void fl_world_tally(fl_world *world, fl_tally_kind kind, bool took_effect) {
    if (took_effect) {
        world->tally->took_effect[kind]++;
    } else {
        world->tally->injected[kind]++;
    }
}

static fl_tally_kind fl_world_tally_kind(const fl_fault *fault) {
    switch (fault->kind) {
    case FL_FAULT_PAUSE:
        return FL_TALLY_PAUSE;
    case FL_FAULT_SUSPEND:
        return FL_TALLY_SUSPEND;
    case FL_FAULT_PARTITION:
        return fault->one_way ? FL_TALLY_ONE_WAY_PARTITION : FL_TALLY_PARTITION;
    case FL_FAULT_CLOCK_STEP:
        return FL_TALLY_CLOCK_STEP;
    default:
        break;
    }
    if (fault->node == FL_NODE_SERVICE) return FL_TALLY_SERVICE_CRASH;
    return fault->node == FL_NODE_STORAGE ? FL_TALLY_STORAGE_CRASH : FL_TALLY_CLIENT_CRASH;
}

void fl_world_fault_took_effect(fl_world *world, uint8_t fault) {
    if (world->fault_took_effect[fault]) return;
    world->fault_took_effect[fault] = true;
    fl_world_tally(world, fl_world_tally_kind(&world->scenario->faults[fault]), true);
}

// Faults -------------------------------------------------------------------------------------

static void fl_world_emit_fault(fl_world *world, fl_event_kind kind, const fl_fault *fault) {
    fl_event event = fl_world_event(world, kind, fault->node);
    if (fault->kind == FL_FAULT_PARTITION) {
        event.peer = fault->peer;
        event.flags = fault->one_way ? FL_EVENT_ONE_WAY : 0;
    }
    bool begins = kind != FL_EVENT_RESUME && kind != FL_EVENT_WAKE && kind != FL_EVENT_RESTART &&
                  kind != FL_EVENT_HEAL;
    if (begins && fault->to != FL_NEVER) event.until = (double) fault->to;
    if (kind == FL_EVENT_CLOCK_STEP) event.until = (double) fault->by;
    fl_world_emit(world, &event);
}

static void fl_world_stall(fl_world *world, uint8_t index) {
    const fl_fault *fault = &world->scenario->faults[index];
    fl_node *node = &world->nodes[fault->node];
    bool suspends = fault->kind == FL_FAULT_SUSPEND;
    fl_world_emit_fault(world, suspends ? FL_EVENT_SUSPEND : FL_EVENT_PAUSE, fault);
    node->stalls++;
    node->stall_fault = index;
    if (!suspends) return;
    node->suspensions++;
    fl_sim_clock_rebase(&node->clock, world->now);
    node->clock.stopped = true;
    fl_world_arm_again(world, fault->node);
}

static void fl_world_go_on(fl_world *world, const fl_fault *fault) {
    fl_node *node = &world->nodes[fault->node];
    bool is_client = fault->node >= FL_NODE_CLIENT;
    bool wakes = fault->kind == FL_FAULT_SUSPEND;
    node->stalls--;
    if (wakes && --node->suspensions == 0) {
        node->clock.stopped = false;
        node->clock.true_base = world->now;
    }
    fl_world_emit_fault(world, wakes ? FL_EVENT_WAKE : FL_EVENT_RESUME, fault);
    if (wakes && is_client) fl_client_woke(world, fault->node);
    if (node->stalls == 0) {
        if (is_client) fl_client_resumed(world, fault->node);
        fl_network_drain(world, fault->node);
    }
    fl_world_arm_again(world, fault->node);
}

// A dead process is no longer paused, and the next one is not either.
static void fl_world_crash(fl_world *world, uint8_t index) {
    const fl_fault *fault = &world->scenario->faults[index];
    fl_node *node = &world->nodes[fault->node];
    bool is_client = fault->node >= FL_NODE_CLIENT;
    bool has_something_to_lose =
        is_client ? world->clients[fault->node - FL_NODE_CLIENT].request.id ||
                        world->clients[fault->node - FL_NODE_CLIENT].trusting
                  : fault->node == FL_NODE_SERVICE && fl_service_has_leases(world);
    if (has_something_to_lose) fl_world_fault_took_effect(world, index);
    fl_world_emit_fault(world, FL_EVENT_CRASH, fault);
    for (uint32_t i = 0; i < world->scenario->fault_count; i++) {
        const fl_fault *other = &world->scenario->faults[i];
        bool stalls = other->kind == FL_FAULT_PAUSE || other->kind == FL_FAULT_SUSPEND;
        if (stalls && other->node == fault->node) world->fault_active[i] = false;
    }
    if (node->clock.stopped) {
        node->clock.stopped = false;
        node->clock.true_base = world->now;
    }
    node->down = true;
    node->down_fault = index;
    node->stalls = 0;
    node->suspensions = 0;
    if (is_client) fl_client_crash(world, fault->node);
    if (fault->node == FL_NODE_SERVICE) fl_service_crash(world);
    fl_network_drop_inbox(world, fault->node);
    for (int slot = 0; slot < FL_TIMER_SLOTS; slot++)
        fl_world_disarm(world, fault->node, (fl_timer_slot) slot);
}

static void fl_world_restart(fl_world *world, const fl_fault *fault) {
    world->nodes[fault->node].down = false;
    fl_world_emit_fault(world, FL_EVENT_RESTART, fault);
    if (fault->node == FL_NODE_SERVICE) fl_service_restart(world);
    if (fault->node >= FL_NODE_CLIENT) fl_client_restart(world, fault->node);
}

static void fl_world_cut(fl_world *world, uint8_t index, int by) {
    const fl_fault *fault = &world->scenario->faults[index];
    for (int way = 0; way < (fault->one_way ? 1 : 2); way++) {
        uint8_t from = way == 0 ? fault->node : fault->peer;
        uint8_t to = way == 0 ? fault->peer : fault->node;
        world->cuts[from][to] = (uint8_t) (world->cuts[from][to] + by);
        world->cut_fault[from][to] = index;
    }
}

static void fl_world_step_clock(fl_world *world, uint8_t index) {
    const fl_fault *fault = &world->scenario->faults[index];
    fl_sim_clock *clock = &world->nodes[fault->node].clock;
    fl_sim_clock_rebase(clock, world->now);
    clock->local_base += fault->by;
    fl_world_emit_fault(world, FL_EVENT_CLOCK_STEP, fault);
    if (fault->by != 0) fl_world_fault_took_effect(world, index);
    if (fault->node == FL_NODE_SERVICE && !world->nodes[fault->node].down) {
        fl_service_stepped(world);
    }
    if (fault->node >= FL_NODE_CLIENT) fl_client_stepped(world, fault->node);
    fl_world_arm_again(world, fault->node);
}

static void fl_world_begin_fault(fl_world *world, uint8_t index) {
    const fl_fault *fault = &world->scenario->faults[index];
    bool needs_a_process = fault->kind <= FL_FAULT_CRASH;
    if (needs_a_process && world->nodes[fault->node].down) return;
    fl_world_tally(world, fl_world_tally_kind(fault), false);
    world->fault_active[index] = true;
    switch (fault->kind) {
    case FL_FAULT_PAUSE:
    case FL_FAULT_SUSPEND:
        fl_world_stall(world, index);
        return;
    case FL_FAULT_CRASH:
        fl_world_crash(world, index);
        return;
    case FL_FAULT_PARTITION:
        fl_world_emit_fault(world, FL_EVENT_PARTITION, fault);
        fl_world_cut(world, index, 1);
        return;
    default:
        fl_world_step_clock(world, index);
        return;
    }
}

static void fl_world_end_fault(fl_world *world, uint8_t index) {
    const fl_fault *fault = &world->scenario->faults[index];
    if (!world->fault_active[index]) return;
    world->fault_active[index] = false;
    switch (fault->kind) {
    case FL_FAULT_PAUSE:
    case FL_FAULT_SUSPEND:
        fl_world_go_on(world, fault);
        return;
    case FL_FAULT_CRASH:
        fl_world_restart(world, fault);
        return;
    default:
        fl_world_cut(world, index, -1);
        fl_world_emit_fault(world, FL_EVENT_HEAL, fault);
        return;
    }
}

// The run ------------------------------------------------------------------------------------

static void fl_world_timer(fl_world *world, const fl_queue_entry *entry) {
    fl_node *node = &world->nodes[entry->node];
    fl_timer *timer = &node->timers[entry->slot];
    if (!timer->armed || timer->version != entry->index) return;
    FL_ASSERT(fl_world_local(world, entry->node) >= timer->due);
    // That a lease or the trust in it has ended is true whether or not its node runs.
    if (entry->slot == FL_TIMER_TRUST) {
        timer->armed = false;
        fl_client_check_trust(world, entry->node);
    } else if (entry->node == FL_NODE_SERVICE) {
        timer->armed = false;
        fl_service_notice_expiries(world);
    } else if (node->stalls > 0) {
        fl_world_fault_took_effect(world,
                                   node->stall_fault); // it stays armed until the node goes on
    } else {
        timer->armed = false;
        fl_client_timer(world, entry->node, (fl_timer_slot) entry->slot);
    }
}

static void fl_world_begin_node(fl_world *world, uint8_t node, const fl_scenario_clock *clock) {
    world->nodes[node] = (fl_node){
        .clock = {.rate = clock->rate, .local_base = clock->offset},
        .inbox_first = FL_MESSAGE_NONE,
    };
    if (clock->rate != 1) {
        fl_world_tally(world, FL_TALLY_CLOCK_RATE, false);
        if (fl_sim_clock_read(&world->nodes[node].clock, world->scenario->until) !=
            clock->offset + world->scenario->until) {
            fl_world_tally(world, FL_TALLY_CLOCK_RATE, true);
        }
    }
}

static void fl_world_begin(fl_world *world) {
    const fl_scenario *scenario = world->scenario;
    world->result = FL_OK;
    world->now = 0;
    world->origin_seconds = fl_seconds_from_ticks(scenario->origin);
    world->holder_options = fl_scenario_holder_options(scenario);
    world->queue.count = 0;
    world->queue.sequence = 0;
    world->node_count = fl_scenario_node_count(scenario);
    fl_world_begin_node(world, FL_NODE_SERVICE, &scenario->service_clock);
    fl_world_begin_node(world, FL_NODE_STORAGE, &scenario->storage_clock);
    for (uint8_t i = 0; i < scenario->client_count; i++) {
        fl_world_begin_node(world, FL_NODE_CLIENT + i, &scenario->clients[i].clock);
    }
    fl_network_begin(world);
    fl_servers_begin(world);
    // Faults before anything else of the same instant.
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const fl_fault *fault = &scenario->faults[i];
        world->fault_active[i] = false;
        world->fault_took_effect[i] = false;
        if (fault->kind >= FL_FAULT_DELAY) continue;
        fl_queue_entry entry = {
            .time = fault->from, .occurrence = FL_OCCURS_FAULT_BEGIN, .index = i};
        fl_world_push(world, entry);
        if (fault->kind == FL_FAULT_CLOCK_STEP) continue;
        entry.time = fault->to;
        entry.occurrence = FL_OCCURS_FAULT_END;
        fl_world_push(world, entry);
    }
    for (uint8_t i = 0; i < scenario->client_count; i++)
        fl_client_begin(world, FL_NODE_CLIENT + i);
}

static bool fl_world_failed(const fl_world *world) {
    return world->result != FL_OK || world->trace->out_of_memory || world->choice->out_of_memory;
}

fl_result fl_world_run(fl_world *world, const fl_scenario *scenario, fl_choice *choice,
                       fl_trace *trace, fl_checker *checker, fl_fault_tally *tally) {
    world->scenario = scenario;
    world->choice = choice;
    world->trace = trace;
    world->checker = checker;
    world->tally = tally;
    fl_checker_begin(checker, scenario);
    fl_world_begin(world);
    fl_queue_entry entry;
    while (!fl_world_failed(world) && trace->count < trace->limit &&
           fl_queue_pop(&world->queue, &entry) && entry.time <= scenario->until) {
        FL_ASSERT(entry.time >= world->now);
        world->now = entry.time;
        switch ((fl_occurrence) entry.occurrence) {
        case FL_OCCURS_ARRIVAL:
            fl_network_arrive(world, entry.index);
            break;
        case FL_OCCURS_TIMER:
            fl_world_timer(world, &entry);
            break;
        case FL_OCCURS_FAULT_BEGIN:
            fl_world_begin_fault(world, (uint8_t) entry.index);
            break;
        case FL_OCCURS_FAULT_END:
            fl_world_end_fault(world, (uint8_t) entry.index);
            break;
        }
    }
    bool was_cut_short = trace->count >= trace->limit;
    fl_checker_end(checker, (double) (was_cut_short ? world->now : scenario->until));
    if (!fl_world_failed(world)) fl_storage_show(world);
    fl_servers_free(world);
    return fl_world_failed(world) ? FL_OUT_OF_MEMORY : FL_OK;
}
