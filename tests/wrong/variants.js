// Wrong variants of the core, the holder and the simulated nodes: what a suite must be able to catch.
//
// Each names the invariant that catches it, and its edits: a file under c/, a text that is there
// exactly once, and what takes its place. The variant without an invariant is harmless, and must
// pass.

const STORAGE = 'fenced_storage.c';
const LOCKS = 'lock_service.c';
const HOLDER = 'lease_holder.c';
const CLIENT = 'sim/client.c';
const SERVERS = 'sim/servers.c';
const WORLD = 'sim/world.c';
const SUITE = 'sim/suite.c';

const NO_ORDER_ASSERTED = [STORAGE, '    FL_ASSERT(token >= key->highest_token);\n', ''];

export const variants = [
  {
    name: 'fencing off',
    invariant: 'I2',
    edits: [[STORAGE, 'return token > key->highest_token;', 'return true;'], NO_ORDER_ASSERTED],
  },
  {
    name: 'check and write are not one step',
    invariant: 'I2',
    // The check sees what the write before the last one left.
    edits: [
      [
        STORAGE,
        '    uint64_t highest_token;\n',
        '    uint64_t highest_token;\n    uint64_t checked;\n',
      ],
      [
        STORAGE,
        'if (token != key->highest_token) return token > key->highest_token;',
        'if (token != key->checked) return token > key->checked;',
      ],
      NO_ORDER_ASSERTED,
      [
        STORAGE,
        '    key->length = value.length;\n    key->highest_token = token;',
        '    key->length = value.length;\n    key->checked = key->highest_token;\n    key->highest_token = token;',
      ],
    ],
  },
  {
    name: 'a rejected write changes the value',
    invariant: 'I2',
    edits: [
      [
        STORAGE,
        'token)) {\n        return FL_REFUSED;',
        'token)) {\n        memcpy(key_at(storage, number)->data, value.data, value.length);\n        return FL_REFUSED;',
      ],
    ],
  },
  {
    name: 'one highest token for all keys',
    invariant: 'R10',
    edits: [
      [
        STORAGE,
        '    if (token != key->highest_token) return token',
        '    for (uint32_t i = 0; i < storage->keys.records_used; i++)\n        if (token < key_at(storage, i)->highest_token) return false;\n    if (token != key->highest_token) return token',
      ],
    ],
  },
  {
    name: 'strict, but the same token writes twice',
    invariant: 'R11',
    edits: [[STORAGE, 'FL_FENCING_AT_LEAST || key->write_is_left', 'FL_FENCING_AT_LEAST || true']],
  },
  {
    name: 'strict, and a fence uses up the write',
    invariant: 'R10',
    edits: [[STORAGE, '->write_is_left = true;', '->write_is_left = false;']],
  },
  {
    name: 'a fence that does not hold',
    invariant: 'I2',
    edits: [[STORAGE, '    key->highest_token = token;\n    return FL_OK;', '    return FL_OK;']],
  },
  {
    name: 'a fence of a key in use is refused',
    invariant: 'R12',
    edits: [
      [
        STORAGE,
        'if (token < key->highest_token) return FL_REFUSED;',
        'if (!fresh) return FL_REFUSED;',
      ],
    ],
  },
  {
    name: 'the storage forgets at a crash',
    invariant: 'I2',
    edits: [
      [
        WORLD,
        '    if (fault->node == FL_NODE_SERVICE) fl_service_crash(world);\n',
        '    if (fault->node == FL_NODE_SERVICE) fl_service_crash(world);\n    if (fault->node == FL_NODE_STORAGE) fl_fenced_storage_free(world->storage);\n    if (fault->node == FL_NODE_STORAGE) {\n        fl_fenced_storage_new(&world->allocator, fl_scenario_rule(world->scenario), (const uint64_t[2]){1, 2}, &world->storage);\n    }\n',
      ],
    ],
  },
  {
    name: 'the storage forgets what it has answered',
    invariant: 'F32',
    edits: [
      [
        SERVERS,
        '#define FL_STORAGE_EPOCH 1',
        '#define FL_STORAGE_EPOCH (world->now < 5 * FL_TICKS_PER_SECOND ? 1 : 2)',
      ],
    ],
  },
  {
    name: 'reads before it fences',
    invariant: 'I3',
    edits: [
      [
        CLIENT,
        '    if (plan->fences) {\n        fl_client_request(world, node, FL_PHASE_FENCING);',
        '    if (plan->fences) {\n        fl_client_request(world, node, FL_PHASE_READING);',
      ],
      [
        CLIENT,
        '            fl_client_request(world, node, FL_PHASE_READING);',
        '            fl_client_work(world, node);',
      ],
      [
        CLIENT,
        '    case FL_PHASE_READING:\n        fl_client_work(world, node);',
        '    case FL_PHASE_READING:\n        fl_client_request(world, node, FL_PHASE_FENCING);',
      ],
    ],
  },
  {
    name: 'alive at the instant of expiry',
    invariant: 'R1',
    edits: [[LOCKS, 'return now < lock->expires_at;', 'return now <= lock->expires_at;']],
  },
  {
    name: 'renewal of an expired lease',
    invariant: 'R5',
    edits: [
      [
        LOCKS,
        '    reclaim(service, *now, steps < STEPS_MAX ? (uint32_t) steps : STEPS_MAX);\n',
        '',
      ],
      [
        LOCKS,
        '    uint32_t number = find_live(service, now, name, hash);\n    if (number == FL_NO_RECORD) return FL_NO_RECORD;\n    const lock_record *lock = lock_at(service, number);\n    if',
        '    (void) now;\n    uint32_t number = fl_name_table_find(&service->locks, name, hash);\n    if (number == FL_NO_RECORD) return FL_NO_RECORD;\n    const lock_record *lock = lock_at(service, number);\n    if',
      ],
    ],
  },
  {
    name: 'renewal adds to the deadline',
    invariant: 'R1',
    edits: [
      [
        LOCKS,
        '    FL_ASSERT(now + service->lease_seconds >= lock->expires_at);\n    lock->expires_at = now + ',
        '    lock->expires_at = lock->expires_at + ',
      ],
    ],
  },
  {
    name: 'renewal mints a token',
    invariant: 'R4',
    edits: [
      [
        LOCKS,
        '    FL_ASSERT(now + service->lease_seconds >= lock->expires_at);\n',
        '    lock->token = service->next_token++;\n',
      ],
    ],
  },
  {
    name: 'taking a held lock again mints a token',
    invariant: 'I1',
    edits: [
      [
        LOCKS,
        'if (number != FL_NO_RECORD && is_live(lock_at(service, number), now)) return FL_REFUSED;',
        'if (number != FL_NO_RECORD && lock_at(service, number)->base.owner != client && is_live(lock_at(service, number), now)) return FL_REFUSED;',
      ],
    ],
  },
  {
    name: 'release without the token',
    invariant: 'R5',
    edits: [[LOCKS, 'owner != client || lock->token != token)', 'owner != client || token == 0)']],
  },
  {
    name: 'release of anyone’s lease',
    invariant: 'R5',
    edits: [
      [
        LOCKS,
        'if (lock->base.owner != client || lock->token != token)',
        'if (client == UINT32_MAX && token == 0)',
      ],
    ],
  },
  {
    name: 'a release of a live lease is refused',
    invariant: 'R4',
    edits: [
      [
        LOCKS,
        '    if (number == FL_NO_RECORD) return FL_REFUSED;\n    remove_lock(service, number);\n    return FL_OK;',
        '    if (number == FL_NO_RECORD) return FL_REFUSED;\n    remove_lock(service, number);\n    return FL_REFUSED;',
      ],
    ],
  },
  {
    name: 'time runs backwards',
    invariant: 'I1',
    edits: [
      [LOCKS, '    if (*now > service->latest_time) {\n', '    {\n'],
      [
        LOCKS,
        '    double rounds = elapsed',
        '    if (elapsed < 0) elapsed = 0;\n    double rounds = elapsed',
      ],
      [LOCKS, '    FL_ASSERT(now + service->lease_seconds >= lock->expires_at);\n', ''],
    ],
  },
  {
    name: 'token reused after a restart',
    invariant: 'I1',
    edits: [
      [
        SERVERS,
        'node->next_token = fl_lock_service_next_token(node->service);',
        'node->next_token = world->scenario->first_token;',
      ],
    ],
  },
  {
    name: 'leases are not waited out after a restart',
    invariant: 'I1',
    edits: [
      [
        SERVERS,
        'world->service.quiet_until = world->service.latest + world->scenario->lease;',
        'world->service.quiet_until = world->service.latest;',
      ],
    ],
  },
  {
    name: 'retry without its id',
    invariant: 'F32',
    edits: [
      [
        CLIENT,
        '    client->request.sends++;\n',
        '    if (client->request.sends++ > 0) client->request.id = fl_network_new_request(world);\n',
      ],
    ],
  },
  {
    name: 'never asks again after a refusal',
    invariant: 'I6',
    edits: [
      [
        CLIENT,
        'fl_client_arm_after(world, node, fl_client_plan(world, node)->retry);',
        'fl_client_arm_after(world, node, 100 * fl_client_plan(world, node)->retry);',
      ],
    ],
  },
  {
    name: 'expiry counted from the reply',
    invariant: 'I4',
    edits: [
      [
        HOLDER,
        'double safe_until = sent + trust_seconds(options);',
        'double safe_until = now + trust_seconds(options);',
      ],
    ],
  },
  {
    name: 'no skew margin',
    invariant: 'I4',
    edits: [[HOLDER, ' - options->max_clock_skew_seconds;', ';']],
  },
  {
    name: 'four fifths of the skew margin',
    invariant: 'I4',
    edits: [
      [HOLDER, ' - options->max_clock_skew_seconds;', ' - options->max_clock_skew_seconds * 0.8;'],
    ],
  },
  {
    name: 'no skew allowed for in the scenarios',
    invariant: 'I4',
    edits: [[SUITE, 'scenario->max_clock_skew = fl_ticks_from_ms(250);', '']],
  },
  {
    name: 'rate ignored',
    invariant: 'I4',
    edits: [
      [
        HOLDER,
        'return options->lease_seconds * (1 - options->rate_error) -',
        'return options->lease_seconds -',
      ],
    ],
  },
  {
    name: 'half of the rate error',
    invariant: 'I4',
    edits: [
      [
        HOLDER,
        'return options->lease_seconds * (1 - options->rate_error) -',
        'return options->lease_seconds * (1 - options->rate_error / 2) -',
      ],
    ],
  },
  {
    name: 'any answer ends the doubt',
    invariant: 'I4',
    edits: [
      [
        HOLDER,
        'if (attempt >= holder->restoring_attempt) holder->restoring_attempt = 0;',
        'holder->restoring_attempt = 0;',
      ],
    ],
  },
  {
    name: 'an older answer moves the end of trust back',
    invariant: 'R16',
    edits: [[HOLDER, '    if (safe_until <= holder->safe_until) return;\n', '']],
  },
  {
    name: 'a refusal is taken for silence',
    invariant: 'R15',
    edits: [[HOLDER, 'if (answer == FL_LEASE_REFUSED) holder->state = FL_LEASE_LOST_REFUSED;', '']],
  },
  {
    name: 'no doubt after sleep',
    invariant: 'I4',
    edits: [
      [
        HOLDER,
        '    holder->restoring_attempt = holder->attempts + 1;\n',
        '    holder->restoring_attempt = 0;\n',
      ],
    ],
  },
  {
    name: 'trust from a timer’s flag',
    invariant: 'I4',
    edits: [
      [HOLDER, 'return now < holder->safe_until && ', 'return now < holder->safe_until + 1000 && '],
    ],
  },
  {
    name: 'backoff without an end',
    invariant: 'R15',
    edits: [
      [HOLDER, 'if (now >= holder->safe_until) holder->state = FL_LEASE_LOST_EXPIRED;', ''],
      [HOLDER, '(holder->safe_until - now) * GAP_PART_OF_REST;', 'holder->options.lease_seconds;'],
      [
        HOLDER,
        'bool ends_first = holder->safe_until < holder->next_attempt_at;',
        'bool ends_first = false;',
      ],
    ],
  },
  {
    name: 'one failed renewal ends renewal',
    invariant: 'I5',
    edits: [
      [
        HOLDER,
        'holder->next_attempt_at = next_attempt(holder, now, random);',
        'holder->next_attempt_at = next_attempt(holder, now, random) + holder->options.lease_seconds;',
      ],
    ],
  },
  {
    name: 'the first renewal comes late',
    invariant: 'I5',
    edits: [
      [
        HOLDER,
        'slack_seconds(options) * FIRST_RENEWAL_SLACK_PART);',
        'slack_seconds(options) * 1.5);',
      ],
    ],
  },
  {
    name: 'harmless: another jitter',
    invariant: null,
    edits: [[HOLDER, '#define JITTER_PART 0.25', '#define JITTER_PART 0.2']],
  },
];
