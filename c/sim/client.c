// A client's program: take the lock, perhaps fence and read, work, write, release, rest, again.
//
// A client that renews uses the real lease holder: it asks it before each write, and stops when the
// lease is lost. A naive one believes from the grant until it is done, whatever the clock says.
// That is the bug that fencing is for.

#include "nodes.h"

// A release that nobody answers is sent so often; after that the lease may as well run out.
#define FL_RELEASE_SENDS_MAX 3

// The holder's instants need not fall on a tick, and they round differently when the clocks' origin
// moves. Within this part of a tick two instants are the same: ten times what doubles round by when
// the clock reads 100 days.
#define FL_TICK_TOLERANCE 0.01

#define FL_JITTER_STEPS 256

static fl_sim_client *fl_client_of(fl_world *world, uint8_t node) {
    FL_ASSERT(node >= FL_NODE_CLIENT);
    return &world->clients[node - FL_NODE_CLIENT];
}

static const fl_scenario_client *fl_client_plan(const fl_world *world, uint8_t node) {
    return &world->scenario->clients[node - FL_NODE_CLIENT];
}

static void fl_client_arm_after(fl_world *world, uint8_t node, fl_ticks after) {
    fl_world_arm(world, node, FL_TIMER_PROGRAM, fl_world_local(world, node) + after);
}

// Sending ------------------------------------------------------------------------------------

static void fl_client_send(fl_world *world, uint8_t node, fl_operation operation, uint32_t request,
                           double token, uint32_t attempt) {
    bool to_service = operation <= FL_OPERATION_RELEASE;
    fl_message message = {
        .token = token,
        .request = request,
        .attempt = attempt,
        .from = node,
        .to = to_service ? FL_NODE_SERVICE : FL_NODE_STORAGE,
        .operation = (uint8_t) operation,
    };
    if (operation == FL_OPERATION_WRITE) message.value = fl_client_of(world, node)->request.value;
    fl_network_send(world, &message);
}

static fl_operation fl_client_operation(fl_phase phase) {
    static const uint8_t operations[] = {
        [FL_PHASE_ASKING] = FL_OPERATION_ACQUIRE,    [FL_PHASE_FENCING] = FL_OPERATION_FENCE,
        [FL_PHASE_READING] = FL_OPERATION_READ,      [FL_PHASE_WRITING] = FL_OPERATION_WRITE,
        [FL_PHASE_RELEASING] = FL_OPERATION_RELEASE, [FL_PHASE_DONE] = FL_OPERATION_NONE,
    };
    FL_ASSERT(operations[phase] != FL_OPERATION_NONE);
    return (fl_operation) operations[phase];
}

// Sends what the phase asks for, again under the same id when it was sent before.
static void fl_client_send_request(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    fl_operation operation = fl_client_operation(client->phase);
    client->request.sends++;
    double token = operation == FL_OPERATION_ACQUIRE ? -1 : client->token;
    fl_client_send(world, node, operation, client->request.id, token, 0);
    fl_client_arm_after(world, node, world->scenario->timeout);
}

static void fl_client_request(fl_world *world, uint8_t node, fl_phase phase) {
    fl_sim_client *client = fl_client_of(world, node);
    uint32_t id = fl_network_new_request(world);
    if (id == 0) return;
    client->phase = phase;
    client->request = (fl_request){.id = id, .first_sent = fl_world_local(world, node)};
    if (phase == FL_PHASE_WRITING) {
        // A value tells who wrote it and which of its writes it is.
        client->request.value = (uint32_t) node << 24 | ++client->writes_in_all;
    }
    fl_client_send_request(world, node);
}

static void fl_client_give_back(fl_world *world, uint8_t node, double token) {
    uint32_t id = fl_network_new_request(world);
    if (id != 0) fl_client_send(world, node, FL_OPERATION_RELEASE, id, token, 0);
}

// Trust --------------------------------------------------------------------------------------

static void fl_client_emit_distrust(fl_world *world, uint8_t node, double token, fl_reason reason) {
    fl_event event = fl_world_event(world, FL_EVENT_DISTRUST, node);
    event.lock = fl_client_plan(world, node)->lock;
    event.token = token;
    event.reason = (uint8_t) reason;
    fl_world_emit(world, &event);
}

static void fl_client_distrust(fl_world *world, uint8_t node, fl_reason reason) {
    fl_sim_client *client = fl_client_of(world, node);
    if (!client->trusting) return;
    client->trusting = false;
    fl_world_disarm(world, node, FL_TIMER_TRUST);
    fl_client_emit_distrust(world, node, client->token, reason);
}

static void fl_client_trust(fl_world *world, uint8_t node, double until) {
    fl_sim_client *client = fl_client_of(world, node);
    client->trusting = true;
    fl_event event = fl_world_event(world, FL_EVENT_TRUST, node);
    event.lock = fl_client_plan(world, node)->lock;
    event.token = client->token;
    event.until = until;
    fl_world_emit(world, &event);
}

// The tick of the client's clock, without the origin, at or after an instant of its holder.
static fl_ticks fl_client_tick_after(const fl_world *world, double seconds) {
    double ticks = (seconds - world->origin_seconds) * FL_TICKS_PER_SECOND - FL_TICK_TOLERANCE;
    fl_ticks below = (fl_ticks) ticks;
    return (double) below < ticks ? below + 1 : below;
}

static void fl_client_arm_holder(fl_world *world, uint8_t node, double wake_at) {
    fl_ticks local = fl_world_local(world, node);
    fl_ticks after = fl_client_tick_after(world, wake_at) - local;
    after = (after + FL_HOLDER_TIMER_TICKS - 1) / FL_HOLDER_TIMER_TICKS * FL_HOLDER_TIMER_TICKS;
    fl_world_arm(world, node, FL_TIMER_HOLDER, local + after);
}

static double fl_client_nudge(double reading, double instant) {
    double ahead = (instant - reading) * FL_TICKS_PER_SECOND;
    return ahead > 0 && ahead < FL_TICK_TOLERANCE ? instant : reading;
}

// What the client's clock reads, for its holder.
static double fl_client_holder_now(fl_world *world, uint8_t node) {
    const fl_lease_holder *holder = &fl_client_of(world, node)->holder;
    double reading = fl_world_local_seconds(world, node);
    reading = fl_client_nudge(reading, holder->next_attempt_at);
    return fl_client_nudge(reading, holder->safe_until);
}

static fl_reason fl_client_why(const fl_lease_holder *holder, double now) {
    if (holder->state == FL_LEASE_LOST_REFUSED) return FL_REASON_REFUSED;
    bool doubts = holder->state == FL_LEASE_HELD && now < holder->safe_until;
    return doubts ? FL_REASON_SLEPT : FL_REASON_EXPIRED;
}

// Asks the holder whether the lease is trusted now, and tells the trace when that has changed.
void fl_client_check_trust(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    if (!client->holding) return;
    double now = fl_client_holder_now(world, node);
    if (!fl_lease_holder_trusts(&client->holder, now)) {
        fl_reason why = fl_client_why(&client->holder, now);
        // At that instant the lease is lost for good, whatever the clock reads later (R15).
        if (why == FL_REASON_EXPIRED) fl_lease_holder_step(&client->holder, now, 0);
        fl_client_distrust(world, node, why);
    } else if (!client->trusting || client->holder.safe_until != client->trusted_until) {
        client->trusted_until = client->holder.safe_until;
        fl_ticks end = fl_client_tick_after(world, client->trusted_until);
        fl_ticks when = fl_sim_clock_when(&world->nodes[node].clock, end, world->now);
        fl_client_trust(world, node, when == FL_NEVER ? -1 : (double) when);
        fl_world_arm(world, node, FL_TIMER_TRUST, end);
    }
}

// The program --------------------------------------------------------------------------------

static void fl_client_finish_cycle(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    const fl_scenario_client *plan = fl_client_plan(world, node);
    FL_ASSERT(!client->trusting);
    fl_world_disarm(world, node, FL_TIMER_PROGRAM);
    fl_world_disarm(world, node, FL_TIMER_HOLDER);
    client->holding = false;
    client->request.id = 0;
    client->writes = 0;
    client->cycle++;
    if (client->cycle < plan->cycles) {
        client->phase = FL_PHASE_IDLE;
        fl_client_arm_after(world, node, plan->rest);
        return;
    }
    client->phase = FL_PHASE_DONE;
    fl_event event = fl_world_event(world, FL_EVENT_DONE, node);
    fl_world_emit(world, &event);
}

static void fl_client_release(fl_world *world, uint8_t node, fl_reason reason) {
    fl_sim_client *client = fl_client_of(world, node);
    fl_client_distrust(world, node, reason);
    if (client->holding) fl_lease_holder_release(&client->holder);
    client->holding = false;
    fl_world_disarm(world, node, FL_TIMER_HOLDER);
    fl_client_request(world, node, FL_PHASE_RELEASING);
}

// Lets the holder act; false when the lease is lost, and the cycle with it.
static bool fl_client_poll(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    if (!client->holding) return true;
    double now = fl_client_holder_now(world, node);
    fl_lease_step step = fl_lease_holder_step(&client->holder, now, client->jitter << 24);
    fl_client_check_trust(world, node);
    if (step.action == FL_LEASE_STOP) {
        fl_client_distrust(world, node, fl_client_why(&client->holder, now));
        fl_client_finish_cycle(world, node);
        return false;
    }
    if (step.action == FL_LEASE_RENEW) {
        uint32_t id = fl_network_new_request(world);
        if (id == 0) return true;
        fl_client_send(world, node, FL_OPERATION_RENEW, id, client->token, step.attempt);
        fl_decision decision = {FL_DECIDE_JITTER, node, ++client->jitters};
        client->jitter = fl_choose(world->choice, decision, FL_JITTER_STEPS);
    }
    fl_client_arm_holder(world, node, step.wake_at);
    return true;
}

// Sends the next write, if the lease is trusted. One that is in doubt is waited for.
static void fl_client_write(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    client->phase = FL_PHASE_WRITING;
    fl_world_disarm(world, node, FL_TIMER_PROGRAM);
    if (!fl_client_poll(world, node)) return;
    if (client->holding && !client->trusting) return;
    if (client->request.id == 0) {
        fl_client_request(world, node, FL_PHASE_WRITING);
    } else {
        fl_client_send_request(world, node);
    }
}

static void fl_client_write_or_release(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    client->request.id = 0;
    if (client->writes < fl_client_plan(world, node)->writes) {
        fl_client_write(world, node);
    } else {
        fl_client_release(world, node, FL_REASON_RELEASED);
    }
}

static void fl_client_work(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    client->phase = FL_PHASE_WORKING;
    fl_client_arm_after(world, node, fl_client_plan(world, node)->work);
    fl_ticks due = world->nodes[node].timers[FL_TIMER_PROGRAM].due;
    fl_event event = fl_world_event(world, FL_EVENT_WORK, node);
    event.token = client->token;
    event.until = (double) fl_sim_clock_when(&world->nodes[node].clock, due, world->now);
    fl_world_emit(world, &event);
}

static void fl_client_granted(fl_world *world, uint8_t node, double token) {
    fl_sim_client *client = fl_client_of(world, node);
    const fl_scenario_client *plan = fl_client_plan(world, node);
    client->highest_granted = token;
    if (plan->renews) {
        double sent = world->origin_seconds + fl_seconds_from_ticks(client->request.first_sent);
        double now = fl_world_local_seconds(world, node);
        fl_result result =
            fl_lease_holder_start(&client->holder, &world->holder_options, sent, now);
        if (result == FL_REFUSED) {
            // Too late to be of use (F16): the token goes back, and the lock is asked for anew.
            fl_client_emit_distrust(world, node, token, FL_REASON_LATE);
            fl_client_give_back(world, node, token);
            fl_client_request(world, node, FL_PHASE_ASKING);
            return;
        }
        FL_ASSERT(result == FL_OK);
    }
    client->token = token;
    client->holding = plan->renews;
    if (!plan->renews) fl_client_trust(world, node, -1);
    if (!fl_client_poll(world, node)) return;
    if (plan->fences) {
        fl_client_request(world, node, FL_PHASE_FENCING);
    } else {
        fl_client_work(world, node);
    }
}

static void fl_client_answered(fl_world *world, const fl_message *message) {
    uint8_t node = message->to;
    fl_sim_client *client = fl_client_of(world, node);
    fl_world_disarm(world, node, FL_TIMER_PROGRAM);
    client->request.id = 0;
    switch (client->phase) {
    case FL_PHASE_ASKING:
        if (message->outcome == FL_OUTCOME_GRANTED) {
            fl_client_granted(world, node, message->token);
        } else {
            fl_client_arm_after(world, node, fl_client_plan(world, node)->retry);
        }
        return;
    case FL_PHASE_FENCING:
    case FL_PHASE_WRITING:
        if (message->outcome == FL_OUTCOME_REJECTED) {
            fl_client_release(world, node, FL_REASON_WRITE_REJECTED);
        } else if (client->phase == FL_PHASE_FENCING) {
            fl_client_request(world, node, FL_PHASE_READING);
        } else {
            client->writes++;
            fl_client_write_or_release(world, node);
        }
        return;
    case FL_PHASE_READING:
        fl_client_work(world, node);
        return;
    case FL_PHASE_RELEASING:
        fl_client_finish_cycle(world, node);
        return;
    default:
        FL_ASSERT(false);
    }
}

static void fl_client_renewal_answered(fl_world *world, const fl_message *message) {
    fl_sim_client *client = fl_client_of(world, message->to);
    bool renewed = message->outcome == FL_OUTCOME_OK;
    fl_lease_holder_answer(&client->holder, fl_client_holder_now(world, message->to),
                           message->attempt, renewed ? FL_LEASE_RENEWED : FL_LEASE_REFUSED);
    if (!fl_client_poll(world, message->to)) return;
    bool waits = client->phase == FL_PHASE_WRITING &&
                 !world->nodes[message->to].timers[FL_TIMER_PROGRAM].armed;
    if (waits && client->trusting) {
        fl_client_write(world, message->to);
    }
}

void fl_client_receive(fl_world *world, const fl_message *message) {
    uint8_t node = message->to;
    fl_sim_client *client = fl_client_of(world, node);
    bool is_awaited = client->request.id != 0 && message->request == client->request.id;
    bool is_renewal = message->operation == FL_OPERATION_RENEW && client->holding &&
                      message->token == client->token;
    if (is_awaited || is_renewal) {
        fl_network_delivered(world, message, FL_REASON_NONE);
        if (is_awaited) {
            fl_client_answered(world, message);
        } else {
            fl_client_renewal_answered(world, message);
        }
        return;
    }
    fl_network_delivered(world, message, FL_REASON_IGNORED);
    // A grant that nobody waits for any more is given back, once.
    if (message->operation == FL_OPERATION_ACQUIRE && message->outcome == FL_OUTCOME_GRANTED &&
        message->token > client->highest_granted) {
        client->highest_granted = message->token;
        fl_client_give_back(world, node, message->token);
    }
}

static void fl_client_program(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    switch (client->phase) {
    case FL_PHASE_IDLE:
        if (!client->started) {
            fl_event event = fl_world_event(world, FL_EVENT_START, node);
            fl_world_emit(world, &event);
        }
        client->started = true;
        fl_client_request(world, node, FL_PHASE_ASKING);
        return;
    case FL_PHASE_ASKING:
        if (client->request.id == 0) {
            fl_client_request(world, node, FL_PHASE_ASKING);
        } else {
            fl_client_send_request(world, node);
        }
        return;
    case FL_PHASE_WORKING:
        fl_client_write_or_release(world, node);
        return;
    case FL_PHASE_WRITING:
        fl_client_write(world, node);
        return;
    case FL_PHASE_RELEASING:
        if (client->request.sends >= FL_RELEASE_SENDS_MAX) {
            fl_client_finish_cycle(world, node);
            return;
        }
        fl_client_send_request(world, node);
        return;
    default:
        fl_client_send_request(world, node);
        return;
    }
}

void fl_client_timer(fl_world *world, uint8_t node, fl_timer_slot slot) {
    switch (slot) {
    case FL_TIMER_PROGRAM:
        fl_client_program(world, node);
        return;
    case FL_TIMER_HOLDER:
        fl_client_poll(world, node);
        return;
    default:
        FL_ASSERT(false);
    }
}

// Starting, waking, crashing -----------------------------------------------------------------

static void fl_client_arm_start(fl_world *world, uint8_t node) {
    fl_ticks start = fl_client_plan(world, node)->start;
    fl_ticks when = start > world->now ? start : world->now;
    fl_world_arm(world, node, FL_TIMER_PROGRAM, fl_sim_clock_read(&world->nodes[node].clock, when));
}

void fl_client_begin(fl_world *world, uint8_t node) {
    *fl_client_of(world, node) = (fl_sim_client){.highest_granted = -1};
    fl_client_arm_start(world, node);
}

// After a sleep nothing that was asked before tells how things are now: the lease is doubted, and a
// grant that was under way is not waited for.
void fl_client_woke(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    if (client->holding) {
        fl_lease_holder_doubt(&client->holder, fl_client_holder_now(world, node));
        fl_client_check_trust(world, node);
    }
    if (fl_client_plan(world, node)->renews && client->phase == FL_PHASE_ASKING &&
        client->request.id != 0) {
        client->request.id = 0;
        fl_client_arm_after(world, node, 0);
    }
}

// Before anything else a client that goes on looks at its lease.
void fl_client_resumed(fl_world *world, uint8_t node) {
    fl_client_poll(world, node);
}

// A client that runs looks at its lease at once when its clock has stepped; one that does not, when
// it goes on.
void fl_client_stepped(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    if (!client->holding) return;
    double now = fl_client_holder_now(world, node);
    bool doubts = !fl_lease_holder_trusts(&client->holder, now) &&
                  fl_client_why(&client->holder, now) == FL_REASON_SLEPT;
    if (doubts) fl_client_distrust(world, node, FL_REASON_STEPPED);
    fl_client_check_trust(world, node);
    if (world->nodes[node].stalls == 0) fl_client_poll(world, node);
}

void fl_client_crash(fl_world *world, uint8_t node) {
    fl_sim_client *client = fl_client_of(world, node);
    fl_client_distrust(world, node, FL_REASON_CRASHED);
    client->holding = false;
    client->request.id = 0;
    client->writes = 0;
    client->highest_granted = -1;
    if (client->phase != FL_PHASE_DONE) client->phase = FL_PHASE_IDLE;
}

// Its program begins again with the cycle in which it crashed.
void fl_client_restart(fl_world *world, uint8_t node) {
    if (fl_client_of(world, node)->phase != FL_PHASE_DONE) fl_client_arm_start(world, node);
}
