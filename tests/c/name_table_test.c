#include "name_table.h"

#include "memory.h"
#include "test.h"

static const uint64_t hash_key[2] = {1, 2};

typedef struct numbered_record {
    fl_record base;
    uint32_t value;
} numbered_record;

// The name number n: of 0 to 60 bytes, so that short ones, long ones and the edge all occur.
static fl_name name_of(uint32_t n, char buffer[64]) {
    int length = snprintf(buffer, 64, "%u%.*s", n, (int) (n % 50),
                          "--------------------------------------------------");
    return fl_name_from_bytes(buffer, (size_t) length);
}

static void add(fl_name_table *table, const fl_allocator *allocator, fl_name name, uint32_t value) {
    uint32_t number;
    uint32_t hash = fl_name_table_hash(table, &name);
    CHECK(fl_name_table_find(table, &name, hash) == FL_NO_RECORD);
    CHECK(fl_name_table_add(table, allocator, &name, hash, &number) == FL_OK);
    ((numbered_record *) fl_name_table_record(table, number))->value = value;
}

static uint32_t find(const fl_name_table *table, fl_name name) {
    return fl_name_table_find(table, &name, fl_name_table_hash(table, &name));
}

static uint32_t value_at(const fl_name_table *table, uint32_t number) {
    return ((const numbered_record *) fl_name_table_record(table, number))->value;
}

static void grow_and_shrink_and_find_every_name(bool is_dense) {
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_name_table table;
    fl_name_table_init(&table, sizeof(numbered_record), is_dense, hash_key);
    enum { COUNT = 60000 };
    char buffer[64];
    for (uint32_t n = 0; n < COUNT; n++) {
        add(&table, &allocator, name_of(n, buffer), n);
        if (n % 7919 == 0 || n < 100) fl_name_table_check(&table);
    }
    for (uint32_t n = 0; n < COUNT; n++) {
        uint32_t number = find(&table, name_of(n, buffer));
        CHECK(number != FL_NO_RECORD && value_at(&table, number) == n);
        fl_bytes name = fl_name_table_name(&table, number);
        fl_name expected = name_of(n, buffer);
        CHECK(name.length == expected.length && memcmp(name.data, buffer, name.length) == 0);
    }
    CHECK(find(&table, fl_name_from_string("no such name")) == FL_NO_RECORD);
    for (uint32_t n = 0; n < COUNT; n++) {
        uint32_t removed = (uint32_t) ((uint64_t) n * 7919 % COUNT);
        fl_name_table_remove(&table, &allocator, find(&table, name_of(removed, buffer)));
        CHECK(find(&table, name_of(removed, buffer)) == FL_NO_RECORD);
        if (n % 7919 == 0 || n > COUNT - 100) fl_name_table_check(&table);
        uint32_t left = COUNT - 1 - n;
        if (is_dense) CHECK(table.records.capacity < left + 2 * FL_SEGMENT_LENGTH);
        if (is_dense && left > 0) {
            uint32_t kept = (uint32_t) ((uint64_t) (n + 1) * 7919 % COUNT);
            CHECK(value_at(&table, find(&table, name_of(kept, buffer))) == kept);
        }
    }
    CHECK(table.count == 0);
    CHECK(table.buckets == 1);
    CHECK(memory.bytes < memory.bytes_highest / 5);
    fl_name_table_destroy(&table, &allocator);
    CHECK(memory.bytes == 0);
}

static void grows_and_shrinks_and_finds_every_name(void) {
    grow_and_shrink_and_find_every_name(false);
}

static void so_does_a_dense_table(void) {
    grow_and_shrink_and_find_every_name(true);
}

static void tells_apart_names_that_are_almost_equal(void) {
    fl_allocator allocator = fl_allocator_or_default(NULL);
    fl_name_table table;
    fl_name_table_init(&table, sizeof(numbered_record), false, hash_key);
    static const char zeros[40];
    // Empty, and only NULs of every length over the edge from short to long.
    for (uint32_t length = 0; length <= 40; length++) {
        add(&table, &allocator, fl_name_from_bytes(zeros, length), length);
    }
    for (uint32_t length = 0; length <= 40; length++) {
        CHECK(value_at(&table, find(&table, fl_name_from_bytes(zeros, length))) == length);
    }
    fl_name_table_check(&table);
    fl_name_table_destroy(&table, &allocator);
}

static void memory_a_name_stays_small(void) {
    test_memory memory = {0};
    fl_allocator allocator = test_memory_allocator(&memory);
    fl_name_table table;
    fl_name_table_init(&table, 40, true, hash_key);
    enum { COUNT = 1000000 };
    char buffer[64];
    for (uint32_t n = 0; n < COUNT; n++) {
        int length = snprintf(buffer, sizeof buffer, "job-%u", n);
        fl_name name = fl_name_from_bytes(buffer, (size_t) length);
        uint32_t number;
        uint32_t hash = fl_name_table_hash(&table, &name);
        CHECK(fl_name_table_add(&table, &allocator, &name, hash, &number) == FL_OK);
    }
    CHECK(memory.bytes_highest < (size_t) COUNT * 64);
    fl_name_table_destroy(&table, &allocator);
}

static void hash_is_siphash_1_3(void) {
    // The key and the messages of the reference vectors: 00, 01, 02 ... The values were computed by
    // another implementation, which gives the published vectors with 2 and 4 rounds.
    const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    fl_name_table table;
    fl_name_table_init(&table, sizeof(numbered_record), false, key);
    uint8_t bytes[64];
    for (uint8_t i = 0; i < 64; i++)
        bytes[i] = i;
    // A short name hashes like the same bytes padded with NULs to 15, so only lengths of 15 and
    // more are SipHash of the plain bytes.
    const struct {
        size_t length;
        uint64_t hash;
    } expected[] = {
        {15, UINT64_C(0xd320d86d2a519956)},
        {16, UINT64_C(0xcc4fdd1a7d908b66)},
        {63, UINT64_C(0x9d199062b7bbb3a8)},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        fl_name name = fl_name_from_bytes(bytes, expected[i].length);
        uint64_t hash = expected[i].hash;
        CHECK(fl_name_table_hash(&table, &name) == (uint32_t) (hash ^ hash >> 32));
    }
}

TEST_MAIN(TEST_CASE(grows_and_shrinks_and_finds_every_name), TEST_CASE(so_does_a_dense_table),
          TEST_CASE(tells_apart_names_that_are_almost_equal), TEST_CASE(memory_a_name_stays_small),
          TEST_CASE(hash_is_siphash_1_3))
