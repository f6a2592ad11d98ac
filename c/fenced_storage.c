#include "name_table.h"

#include <string.h>

// A key's record. It stays for ever (R10), so its number does for a slot.
typedef struct key_record {
    fl_record base;
    bool written;       // else the key has only been fenced
    bool write_is_left; // strict: fenced with the highest token, which has not written yet (R12)
    uint64_t highest_token;
    uint8_t *data; // NULL for an empty value
    size_t length;
} key_record;

struct fl_fenced_storage {
    fl_allocator allocator;
    fl_fencing_rule rule;
    fl_name_table keys;
};

fl_result fl_fenced_storage_new(const fl_allocator *allocator, fl_fencing_rule rule,
                                const uint64_t hash_key[2], fl_fenced_storage **storage) {
    FL_ASSERT(rule == FL_FENCING_AT_LEAST || rule == FL_FENCING_ABOVE);
    *storage = NULL;
    fl_allocator memory = fl_allocator_or_default(allocator);
    fl_fenced_storage *made = fl_allocate(&memory, sizeof *made);
    if (!made) return FL_OUT_OF_MEMORY;
    *made = (fl_fenced_storage){.allocator = memory, .rule = rule};
    fl_name_table_init(&made->keys, sizeof(key_record), false, hash_key);
    *storage = made;
    return FL_OK;
}

static key_record *key_at(const fl_fenced_storage *storage, uint32_t number) {
    FL_ASSERT(number < storage->keys.records_used);
    return fl_name_table_record(&storage->keys, number);
}

void fl_fenced_storage_free(fl_fenced_storage *storage) {
    if (!storage) return;
    fl_allocator memory = storage->allocator;
    // Keys are never removed, so every number below `records_used` is one.
    for (uint32_t number = 0; number < storage->keys.records_used; number++) {
        key_record *key = key_at(storage, number);
        fl_free(&memory, key->data, key->length);
    }
    fl_name_table_destroy(&storage->keys, &memory);
    fl_free(&memory, storage, sizeof *storage);
}

static uint32_t find(const fl_fenced_storage *storage, const fl_name *name) {
    uint32_t hash = fl_name_table_hash(&storage->keys, name);
    return fl_name_table_find(&storage->keys, name, hash);
}

// Adds a key that has not been used yet.
static fl_result add(fl_fenced_storage *storage, const fl_name *name, uint32_t *number) {
    uint32_t hash = fl_name_table_hash(&storage->keys, name);
    if (fl_name_table_add(&storage->keys, &storage->allocator, name, hash, number) != FL_OK) {
        return FL_OUT_OF_MEMORY;
    }
    key_record *key = key_at(storage, *number);
    *key = (key_record){.base = key->base};
    return FL_OK;
}

// The fence itself: whether a key takes a write with this token (R10, R11, R12).
static bool accepts(const fl_fenced_storage *storage, const key_record *key, uint64_t token) {
    if (token != key->highest_token) return token > key->highest_token;
    return storage->rule == FL_FENCING_AT_LEAST || key->write_is_left;
}

// NULL with `*failed` set when there is no memory; NULL alone for an empty value.
static uint8_t *copy_value(const fl_allocator *allocator, fl_bytes value, bool *failed) {
    *failed = false;
    if (value.length == 0) return NULL;
    uint8_t *copy = fl_allocate(allocator, value.length);
    if (copy) memcpy(copy, value.data, value.length);
    else *failed = true;
    return copy;
}

fl_result fl_fenced_storage_write(fl_fenced_storage *storage, fl_name key_name, fl_bytes value,
                                  uint64_t token, uint32_t *slot) {
    if (token > FL_TOKEN_MAX) return FL_INVALID_TOKEN;
    uint32_t number = find(storage, &key_name);
    if (number != FL_NO_RECORD && !accepts(storage, key_at(storage, number), token)) {
        return FL_REFUSED;
    }
    bool failed;
    uint8_t *data = copy_value(&storage->allocator, value, &failed);
    if (failed) return FL_OUT_OF_MEMORY;
    if (number == FL_NO_RECORD && add(storage, &key_name, &number) != FL_OK) {
        fl_free(&storage->allocator, data, value.length);
        return FL_OUT_OF_MEMORY;
    }
    key_record *key = key_at(storage, number);
    FL_ASSERT(token >= key->highest_token);
    fl_free(&storage->allocator, key->data, key->length);
    key->data = data;
    key->length = value.length;
    key->highest_token = token;
    key->written = true;
    key->write_is_left = false;
    if (slot) *slot = number;
    return FL_OK;
}

fl_result fl_fenced_storage_fence(fl_fenced_storage *storage, fl_name key_name, uint64_t token) {
    if (token > FL_TOKEN_MAX) return FL_INVALID_TOKEN;
    uint32_t number = find(storage, &key_name);
    bool fresh = number == FL_NO_RECORD;
    if (fresh && add(storage, &key_name, &number) != FL_OK) return FL_OUT_OF_MEMORY;
    key_record *key = key_at(storage, number);
    if (token < key->highest_token) return FL_REFUSED;
    // A token that has written already does not get a second write by fencing again.
    if (fresh || token > key->highest_token) key->write_is_left = true;
    key->highest_token = token;
    return FL_OK;
}

fl_result fl_fenced_storage_read(const fl_fenced_storage *storage, fl_name key_name,
                                 fl_bytes *value, uint32_t *slot) {
    uint32_t number = find(storage, &key_name);
    if (number == FL_NO_RECORD) return FL_REFUSED;
    const key_record *key = key_at(storage, number);
    if (!key->written) return FL_REFUSED;
    if (value) *value = (fl_bytes){key->data, key->length};
    if (slot) *slot = number;
    return FL_OK;
}

fl_result fl_fenced_storage_highest_token(const fl_fenced_storage *storage, fl_name key_name,
                                          uint64_t *token) {
    uint32_t number = find(storage, &key_name);
    if (number == FL_NO_RECORD) return FL_REFUSED;
    *token = key_at(storage, number)->highest_token;
    return FL_OK;
}

void fl_fenced_storage_check(const fl_fenced_storage *storage) {
    fl_name_table_check(&storage->keys);
    FL_ASSERT(storage->keys.count == storage->keys.records_used);
    for (uint32_t number = 0; number < storage->keys.records_used; number++) {
        const key_record *key = key_at(storage, number);
        FL_ASSERT(key->highest_token <= FL_TOKEN_MAX);
        FL_ASSERT(key->written || key->write_is_left);
        FL_ASSERT((key->data == NULL) == (key->length == 0));
    }
}
