#include "fencelock.h"

#include "test.h"

static const uint64_t hash_key[2] = {5, 6};

static fl_fenced_storage *new_storage(fl_fencing_rule rule) {
    fl_fenced_storage *storage;
    CHECK(fl_fenced_storage_new(NULL, rule, hash_key, &storage) == FL_OK);
    return storage;
}

static bool write(fl_fenced_storage *storage, const char *key, const char *value, uint64_t token) {
    fl_result result = fl_fenced_storage_write(storage, fl_name_from_string(key),
                                               (fl_bytes){value, strlen(value)}, token, NULL);
    CHECK(result == FL_OK || result == FL_REFUSED);
    fl_fenced_storage_check(storage);
    return result == FL_OK;
}

static bool fence(fl_fenced_storage *storage, const char *key, uint64_t token) {
    fl_result result = fl_fenced_storage_fence(storage, fl_name_from_string(key), token);
    CHECK(result == FL_OK || result == FL_REFUSED);
    fl_fenced_storage_check(storage);
    return result == FL_OK;
}

static bool reads(const fl_fenced_storage *storage, const char *key, const char *expected) {
    fl_bytes value;
    if (fl_fenced_storage_read(storage, fl_name_from_string(key), &value, NULL) != FL_OK) {
        return expected == NULL;
    }
    if (!expected || value.length != strlen(expected)) return false;
    return value.length == 0 || memcmp(value.data, expected, value.length) == 0;
}

// FL_TOKEN_MAX + 1 when there is none.
static uint64_t highest(const fl_fenced_storage *storage, const char *key) {
    uint64_t token = FL_TOKEN_MAX + 1;
    fl_fenced_storage_highest_token(storage, fl_name_from_string(key), &token);
    return token;
}

static void a_stale_write_changes_nothing(void) {
    fl_fenced_storage *storage = new_storage(FL_FENCING_AT_LEAST);
    CHECK(reads(storage, "k", NULL));
    CHECK(highest(storage, "k") == FL_TOKEN_MAX + 1);
    CHECK(write(storage, "k", "b", 2));
    CHECK(!write(storage, "k", "a", 1));
    CHECK(reads(storage, "k", "b"));
    CHECK(highest(storage, "k") == 2);
    CHECK(write(storage, "other", "a", 1));
    CHECK(write(storage, "k", "", 2));
    CHECK(reads(storage, "k", ""));
    fl_fenced_storage_free(storage);
}

static void token_0_is_a_token(void) {
    fl_fenced_storage *storage = new_storage(FL_FENCING_ABOVE);
    CHECK(write(storage, "k", "first", 0));
    CHECK(!write(storage, "k", "second", 0));
    CHECK(highest(storage, "k") == 0);
    CHECK(write(storage, "k", "last", FL_TOKEN_MAX));
    fl_name key = fl_name_from_string("k");
    CHECK(fl_fenced_storage_write(storage, key, (fl_bytes){"x", 1}, FL_TOKEN_MAX + 1, NULL) ==
          FL_INVALID_TOKEN);
    CHECK(fl_fenced_storage_fence(storage, key, FL_TOKEN_MAX + 1) == FL_INVALID_TOKEN);
    CHECK(reads(storage, "k", "last"));
    fl_fenced_storage_free(storage);
}

static void a_grant_writes_as_often_as_the_rule_says(void) {
    fl_fenced_storage *storage = new_storage(FL_FENCING_AT_LEAST);
    CHECK(write(storage, "k", "x", 1));
    CHECK(write(storage, "k", "y", 1));
    fl_fenced_storage_free(storage);
    storage = new_storage(FL_FENCING_ABOVE);
    CHECK(write(storage, "k", "x", 1));
    CHECK(!write(storage, "k", "y", 1));
    CHECK(reads(storage, "k", "x"));
    fl_fenced_storage_free(storage);
}

static void a_fence_bars_older_writers_and_not_the_fencer(void) {
    const fl_fencing_rule rules[] = {FL_FENCING_AT_LEAST, FL_FENCING_ABOVE};
    for (int i = 0; i < 2; i++) {
        fl_fenced_storage *storage = new_storage(rules[i]);
        CHECK(fence(storage, "k", 2));
        CHECK(reads(storage, "k", NULL));
        CHECK(highest(storage, "k") == 2);
        CHECK(!write(storage, "k", "a", 1));
        CHECK(!fence(storage, "k", 1));
        CHECK(fence(storage, "k", 2));
        CHECK(write(storage, "k", "b", 2));
        CHECK(fence(storage, "k", 2));
        // Fencing again does not give the strict rule's one write back.
        CHECK(write(storage, "k", "c", 2) == (rules[i] == FL_FENCING_AT_LEAST));
        CHECK(fence(storage, "k", 3));
        CHECK(write(storage, "k", "d", 3));
        fl_fenced_storage_free(storage);
    }
}

static void slots_count_keys_in_the_order_of_their_first_use(void) {
    fl_fenced_storage *storage = new_storage(FL_FENCING_AT_LEAST);
    uint32_t slot;
    for (uint32_t n = 0; n < 10000; n++) {
        char key[40];
        int length = snprintf(key, sizeof key, "a key that is long enough: %u", n);
        fl_name name = fl_name_from_bytes(key, (size_t) length);
        CHECK(fl_fenced_storage_write(storage, name, (fl_bytes){key, 40}, 1, &slot) == FL_OK);
        CHECK(slot == n);
        CHECK(fl_fenced_storage_read(storage, name, NULL, &slot) == FL_OK);
        CHECK(slot == n);
    }
    fl_fenced_storage_check(storage);
    fl_fenced_storage_free(storage);
}

TEST_MAIN(TEST_CASE(a_stale_write_changes_nothing), TEST_CASE(token_0_is_a_token),
          TEST_CASE(a_grant_writes_as_often_as_the_rule_says),
          TEST_CASE(a_fence_bars_older_writers_and_not_the_fencer),
          TEST_CASE(slots_count_keys_in_the_order_of_their_first_use))
