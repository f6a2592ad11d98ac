// What the files of the simulated world share: world.c (time and faults), network.c (messages),
// servers.c (lock service and storage) and client.c.

#ifndef FL_SIM_NODES_H
#define FL_SIM_NODES_H

#include "clock.h"
#include "queue.h"
#include "world.h"

#define FL_MESSAGE_NONE UINT32_MAX

typedef struct fl_message {
    fl_ticks arrives_at;
    double token;  // -1 for none
    uint32_t next; // in an inbox, or in the list of free ones
    uint32_t request;
    uint32_t number; // within its directed pair
    uint32_t value;
    uint32_t attempt; // of a renewal
    uint8_t from;
    uint8_t to;
    uint8_t operation;
    uint8_t outcome; // of a reply
    uint8_t reason;
    bool reply;
    bool copy;
} fl_message;

// The first answer to a request, which each repetition of the request gets again (F32).
typedef struct fl_answer {
    double token;
    uint32_t value;
    uint32_t epoch; // of the server that gave it; 0 when not answered yet
    uint8_t outcome;
    uint8_t reason;
} fl_answer;

// A client's timers; the lock service has the first.
typedef enum fl_timer_slot {
    FL_TIMER_PROGRAM, // the next step of its program; at the service: a lease ends
    FL_TIMER_HOLDER,  // the lease holder wants to be called
    FL_TIMER_TRUST,   // R14's instant
    FL_TIMER_SLOTS,
} fl_timer_slot;

typedef struct fl_timer {
    fl_ticks due;     // on the node's clock
    uint32_t version; // an entry of the queue with another version is void
    bool armed;
} fl_timer;

typedef struct fl_node {
    fl_sim_clock clock;
    bool down;
    uint8_t stalls; // pauses and suspensions that it is under
    uint8_t suspensions;
    uint8_t stall_fault; // the latest of them
    uint8_t down_fault;
    uint32_t inbox_first; // messages that came while it was stalled
    uint32_t inbox_last;
    fl_timer timers[FL_TIMER_SLOTS];
} fl_node;

typedef enum fl_phase {
    FL_PHASE_IDLE, // before the start, or resting
    FL_PHASE_ASKING,
    FL_PHASE_FENCING,
    FL_PHASE_READING,
    FL_PHASE_WORKING,
    FL_PHASE_WRITING,
    FL_PHASE_RELEASING,
    FL_PHASE_DONE,
} fl_phase;

// The request that the client's program waits for. Its id stays the same however often it is sent.
typedef struct fl_request {
    uint32_t id; // 0: it waits for none
    uint32_t sends;
    uint32_t value;
    fl_ticks first_sent; // on the client's clock
} fl_request;

typedef struct fl_sim_client {
    fl_phase phase;
    bool started;
    bool holding;  // by `holder`
    bool trusting; // as the trace has it
    fl_request request;
    double token;
    double highest_granted; // -1 before the first
    double trusted_until;   // the holder's safe_until of the last trust event
    uint32_t cycle;
    uint32_t writes; // of this cycle
    uint32_t writes_in_all;
    uint32_t jitters;
    uint32_t jitter;
    fl_lease_holder holder;
} fl_sim_client;

typedef struct fl_sim_lease {
    bool live;
    uint8_t client;
    double token;
    fl_ticks expires_at; // on the service's clock
} fl_sim_lease;

typedef struct fl_sim_service {
    fl_lock_service *service; // NULL while down, and when it has no tokens left at a restart
    uint64_t next_token;      // what survives a crash
    uint32_t epoch;
    fl_ticks latest; // the latest reading that it was shown since its start
    fl_ticks quiet_until;
    fl_client numbers[FL_SCENARIO_CLIENTS_MAX];
    fl_sim_lease leases[FL_SCENARIO_NAMES_MAX]; // what it has answered, for the expire events
} fl_sim_service;

struct fl_world {
    fl_allocator allocator;
    const fl_scenario *scenario;
    fl_choice *choice;
    fl_trace *trace;
    fl_checker *checker;
    fl_fault_tally *tally;
    fl_result result;
    fl_ticks now;
    double origin_seconds;
    fl_lease_holder_options holder_options;
    fl_queue queue;

    fl_message *messages;
    uint32_t message_count;
    uint32_t message_capacity;
    uint32_t free_message;
    fl_answer *answers; // by request
    uint32_t request_count;
    uint32_t request_capacity;
    bool has_message_faults;

    uint32_t node_count;
    fl_node nodes[FL_SCENARIO_NODES_MAX];
    fl_sim_client clients[FL_SCENARIO_CLIENTS_MAX];
    fl_sim_service service;
    fl_fenced_storage *storage;

    uint32_t sent[FL_SCENARIO_NODES_MAX][FL_SCENARIO_NODES_MAX];      // from, to
    uint32_t delivered[FL_SCENARIO_NODES_MAX][FL_SCENARIO_NODES_MAX]; // the highest number
    uint8_t cuts[FL_SCENARIO_NODES_MAX][FL_SCENARIO_NODES_MAX];
    uint8_t cut_fault[FL_SCENARIO_NODES_MAX][FL_SCENARIO_NODES_MAX];
    bool fault_active[FL_SCENARIO_FAULTS_MAX];
    bool fault_took_effect[FL_SCENARIO_FAULTS_MAX];
};

// world.c
fl_ticks fl_world_local(const fl_world *world, uint8_t node);
double fl_world_local_seconds(const fl_world *world, uint8_t node);
fl_event fl_world_event(const fl_world *world, fl_event_kind kind, uint8_t node);
void fl_world_emit(fl_world *world, const fl_event *event);
void fl_world_push(fl_world *world, fl_queue_entry entry);
void fl_world_arm(fl_world *world, uint8_t node, fl_timer_slot slot, fl_ticks due);
void fl_world_disarm(fl_world *world, uint8_t node, fl_timer_slot slot);
void fl_world_fault_took_effect(fl_world *world, uint8_t fault);
void fl_world_tally(fl_world *world, fl_tally_kind kind, bool took_effect);
fl_name fl_world_name(const char *kind, uint8_t index);

// network.c
void fl_network_begin(fl_world *world);
void fl_network_free(fl_world *world);
uint32_t fl_network_new_request(fl_world *world);
void fl_network_send(fl_world *world, const fl_message *message);
void fl_network_arrive(fl_world *world, uint32_t message);
void fl_network_drain(fl_world *world, uint8_t node);
void fl_network_drop_inbox(fl_world *world, uint8_t node);
void fl_network_delivered(fl_world *world, const fl_message *message, fl_reason reason);

// servers.c
void fl_servers_begin(fl_world *world);
void fl_servers_free(fl_world *world);
void fl_service_receive(fl_world *world, const fl_message *message);
void fl_service_notice_expiries(fl_world *world);
void fl_service_stepped(fl_world *world);
void fl_service_crash(fl_world *world);
void fl_service_restart(fl_world *world);
bool fl_service_has_leases(const fl_world *world);
void fl_storage_receive(fl_world *world, const fl_message *message);
void fl_storage_show(fl_world *world); // to the checker, when the run is over

// client.c
void fl_client_begin(fl_world *world, uint8_t node);
void fl_client_receive(fl_world *world, const fl_message *message);
void fl_client_timer(fl_world *world, uint8_t node, fl_timer_slot slot);
void fl_client_check_trust(fl_world *world, uint8_t node);
void fl_client_woke(fl_world *world, uint8_t node);
void fl_client_resumed(fl_world *world, uint8_t node);
void fl_client_stepped(fl_world *world, uint8_t node);
void fl_client_crash(fl_world *world, uint8_t node);
void fl_client_restart(fl_world *world, uint8_t node);

#endif
