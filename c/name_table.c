#include "name_table.h"

#include <string.h>

// A chunk is one cache line. Its entries are packed at the front; tag 0 marks a free one.
#define CHUNK_ENTRIES 12

typedef struct chunk {
    uint8_t tag[CHUNK_ENTRIES]; // eight bits of the hash that the bucket number does not use
    uint32_t number[CHUNK_ENTRIES];
    uint32_t next; // in the overflow, or FL_NO_RECORD
} chunk;

_Static_assert(sizeof(chunk) == 64, "a chunk fills a cache line");
_Static_assert(sizeof(fl_stored_name) == 16, "a stored name is two words");

// Mean entries a bucket above which one is split, and below which one is merged. At 6 of 12 at most
// one entry in fifty lies in a second chunk, for 11 bytes a name; they are far enough apart that a
// count that sways does not split and merge in turn.
#define ENTRIES_A_BUCKET_MAX 6
#define ENTRIES_A_BUCKET_MIN 2

// Names ---------------------------------------------------------------------------------------

fl_name fl_name_from_bytes(const void *data, size_t length) {
    fl_name name = {.length = length};
    if (length > FL_NAME_SHORT_MAX) {
        name.data = data;
        return name;
    }
    uint8_t bytes[16] = {0};
    if (length > 0) memcpy(bytes, data, length);
    bytes[15] = (uint8_t) length;
    memcpy(name.words, bytes, sizeof bytes);
    return name;
}

fl_name fl_name_from_string(const char *string) {
    return fl_name_from_bytes(string, strlen(string));
}

static bool stored_name_equals(const fl_stored_name *stored, const fl_name *name) {
    if (!name->data) {
        return stored->words[0] == name->words[0] && stored->words[1] == name->words[1];
    }
    return stored->bytes[15] == FL_NAME_IS_LONG && stored->block.length == name->length &&
           memcmp(stored->block.data, name->data, name->length) == 0;
}

FL_COLD static fl_result store_long_name(const fl_allocator *allocator, const fl_name *name,
                                         fl_stored_name *stored) {
    if (name->length > UINT32_MAX) return FL_OUT_OF_MEMORY;
    uint8_t *data = fl_allocate(allocator, name->length);
    if (!data) return FL_OUT_OF_MEMORY;
    memcpy(data, name->data, name->length);
    *stored = (fl_stored_name){.block = {.data = data, .length = (uint32_t) name->length}};
    stored->bytes[15] = FL_NAME_IS_LONG;
    return FL_OK;
}

FL_INLINE fl_result store_name(const fl_allocator *allocator, const fl_name *name,
                               fl_stored_name *stored) {
    if (name->data) return store_long_name(allocator, name, stored);
    memcpy(stored->words, name->words, sizeof stored->words);
    return FL_OK;
}

static void free_name(const fl_allocator *allocator, fl_stored_name *stored) {
    if (stored->bytes[15] != FL_NAME_IS_LONG) return;
    fl_free(allocator, stored->block.data, stored->block.length);
}

// Hash: SipHash-1-3 (Aumasson and Bernstein), 64 bits, of which we use 32 ------------------------

FL_INLINE uint64_t rotate_left(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

FL_INLINE void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
}

FL_INLINE void sip_absorb(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

FL_INLINE void sip_begin(uint64_t v[4], const uint64_t key[2]) {
    v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
    v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);
}

FL_INLINE uint32_t sip_end(uint64_t v[4]) {
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    uint64_t hash = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (uint32_t) (hash ^ hash >> 32);
}

FL_COLD static uint32_t hash_long_name(const fl_name_table *table, const fl_name *name) {
    uint64_t v[4];
    sip_begin(v, table->hash_key);
    size_t whole = name->length & ~(size_t) 7;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word;
        memcpy(&word, name->data + i, 8);
        sip_absorb(v, word);
    }
    uint64_t last = (uint64_t) name->length << 56;
    for (size_t i = whole; i < name->length; i++) {
        last |= (uint64_t) name->data[i] << 8 * (i - whole);
    }
    sip_absorb(v, last);
    return sip_end(v);
}

uint32_t fl_name_table_hash(const fl_name_table *table, const fl_name *name) {
    if (name->data) return hash_long_name(table, name);
    uint64_t v[4];
    sip_begin(v, table->hash_key);
    // The length is the last byte, where SipHash puts it.
    sip_absorb(v, name->words[0]);
    sip_absorb(v, name->words[1]);
    return sip_end(v);
}

// Chunks --------------------------------------------------------------------------------------

FL_INLINE uint8_t tag_of(uint32_t hash) {
    uint8_t tag = (uint8_t) (hash >> 24);
    return tag ? tag : 1;
}

// The high bit of each byte of `tags` that equals `tag`; exact, with no false ones.
FL_INLINE uint64_t tags_equal(uint64_t tags, uint8_t tag) {
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t difference = tags ^ UINT64_C(0x0101010101010101) * tag;
    return ~(((difference & low_bits) + low_bits) | difference | low_bits);
}

// The index in memory of the first byte that is marked.
FL_INLINE uint32_t first_marked(uint64_t marks) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t) __builtin_ctzll(marks) >> 3;
#else
    return (uint32_t) __builtin_clzll(marks) >> 3;
#endif
}

FL_INLINE uint64_t clear_first_marked(uint64_t marks) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return marks & (marks - 1);
#else
    return marks & ~(UINT64_C(1) << (63 - __builtin_clzll(marks)));
#endif
}

// With the table's buckets numbered 0 to n - 1, a hash belongs to the bucket of its low bits, one
// bit fewer where that bucket has not been split off yet.
FL_INLINE uint32_t bucket_of(uint32_t hash, uint32_t buckets) {
    FL_ASSERT(buckets > 0);
    uint32_t mask = UINT32_MAX >> __builtin_clz(buckets);
    uint32_t bucket = hash & mask;
    return bucket < buckets ? bucket : bucket & (mask >> 1);
}

FL_INLINE chunk *bucket_chunk(const fl_name_table *table, uint32_t bucket) {
    return fl_segments_at(&table->chunks, bucket);
}

FL_INLINE chunk *next_chunk(const fl_name_table *table, const chunk *current) {
    if (current->next == FL_NO_RECORD) return NULL;
    return fl_segments_at(&table->overflow, current->next);
}

static void clear_chunk(chunk *cleared) {
    memset(cleared, 0, sizeof *cleared);
    cleared->next = FL_NO_RECORD;
}

// The entries of a chunk with a given tag, as marks: the low half for entries 0 to 7, then 8 to 11.
typedef struct chunk_marks {
    uint64_t first;
    uint64_t rest;
} chunk_marks;

FL_INLINE chunk_marks entries_with_tag(const chunk *searched, uint8_t tag) {
    uint64_t first;
    uint32_t rest;
    memcpy(&first, searched->tag, 8);
    memcpy(&rest, searched->tag + 8, 4);
    // The four tags stand in both halves, so that either byte order marks one of 0 to 3 first.
    uint64_t twice = (uint64_t) rest << 32 | rest;
    return (chunk_marks){tags_equal(first, tag), tags_equal(twice, tag)};
}

// Takes the next marked entry; CHUNK_ENTRIES when there is none left.
FL_INLINE uint32_t next_entry(chunk_marks *marks) {
    if (marks->first) {
        uint32_t entry = first_marked(marks->first);
        marks->first = clear_first_marked(marks->first);
        return entry;
    }
    if (!marks->rest) return CHUNK_ENTRIES;
    uint32_t entry = first_marked(marks->rest);
    if (entry >= 4) return CHUNK_ENTRIES;
    marks->rest = clear_first_marked(marks->rest);
    return 8 + entry;
}

FL_INLINE uint32_t chunk_length(const chunk *counted) {
    chunk_marks free_entries = entries_with_tag(counted, 0);
    return next_entry(&free_entries);
}

// Makes sure that one overflow chunk can be taken without asking for memory.
static fl_result reserve_overflow(fl_name_table *table, const fl_allocator *allocator) {
    if (table->overflow_freed != FL_NO_RECORD) return FL_OK;
    return fl_segments_reserve(&table->overflow, allocator, table->overflow_used + 1);
}

static uint32_t take_overflow(fl_name_table *table) {
    uint32_t taken = table->overflow_freed;
    if (taken == FL_NO_RECORD) {
        FL_ASSERT(table->overflow_used < table->overflow.capacity);
        taken = table->overflow_used++;
    } else {
        table->overflow_freed = ((chunk *) fl_segments_at(&table->overflow, taken))->next;
    }
    clear_chunk(fl_segments_at(&table->overflow, taken));
    table->overflow_count++;
    return taken;
}

static void free_overflow(fl_name_table *table, uint32_t freed) {
    ((chunk *) fl_segments_at(&table->overflow, freed))->next = table->overflow_freed;
    table->overflow_freed = freed;
    table->overflow_count--;
}

// Appends to a bucket; an overflow chunk must have been reserved.
static void append(fl_name_table *table, uint32_t bucket, uint8_t tag, uint32_t number) {
    chunk *last = bucket_chunk(table, bucket);
    while (last->next != FL_NO_RECORD)
        last = next_chunk(table, last);
    uint32_t length = chunk_length(last);
    if (length == CHUNK_ENTRIES) {
        last->next = take_overflow(table);
        last = next_chunk(table, last);
        length = 0;
    }
    last->tag[length] = tag;
    last->number[length] = number;
}

typedef struct chunk_entry {
    chunk *chunk;
    uint32_t at;
} chunk_entry;

// The entry of a record that is in the table.
static chunk_entry entry_of(const fl_name_table *table, uint32_t hash, uint32_t number) {
    uint8_t tag = tag_of(hash);
    chunk *current = bucket_chunk(table, bucket_of(hash, table->buckets));
    for (; current; current = next_chunk(table, current)) {
        chunk_marks marks = entries_with_tag(current, tag);
        uint32_t entry = next_entry(&marks);
        for (; entry < CHUNK_ENTRIES; entry = next_entry(&marks)) {
            if (current->number[entry] == number) return (chunk_entry){current, entry};
        }
    }
    FL_ASSERT(false);
    return (chunk_entry){0};
}

// Takes a record out of its bucket: the bucket's last entry fills the gap.
static void take_out(fl_name_table *table, uint32_t hash, uint32_t number) {
    chunk_entry gap = entry_of(table, hash, number);
    chunk *before_last = NULL;
    chunk *last = bucket_chunk(table, bucket_of(hash, table->buckets));
    while (last->next != FL_NO_RECORD) {
        before_last = last;
        last = next_chunk(table, last);
    }
    uint32_t length = chunk_length(last);
    FL_ASSERT(length > 0);
    gap.chunk->tag[gap.at] = last->tag[length - 1];
    gap.chunk->number[gap.at] = last->number[length - 1];
    last->tag[length - 1] = 0;
    if (length > 1 || !before_last) return;
    free_overflow(table, before_last->next);
    before_last->next = FL_NO_RECORD;
}

// Moves each entry of a chain, with its chunks, to where the hash says with `table->buckets` as it
// is now. The chain is emptied first; every chunk of it can be taken again, so that the memory it
// needs is at most one overflow chunk more, which must have been reserved.
FL_COLD static void redistribute(fl_name_table *table, chunk chain) {
    for (;;) {
        uint32_t length = chunk_length(&chain);
        uint32_t next = chain.next;
        chunk following;
        if (next != FL_NO_RECORD) {
            following = *(chunk *) fl_segments_at(&table->overflow, next);
            free_overflow(table, next);
        }
        for (uint32_t i = 0; i < length; i++) {
            const fl_record *record = fl_name_table_record(table, chain.number[i]);
            append(table, bucket_of(record->hash, table->buckets), chain.tag[i], chain.number[i]);
        }
        if (next == FL_NO_RECORD) return;
        chain = following;
    }
}

// Splits the bucket whose turn it is. Without memory the table goes on, only slower.
FL_COLD static void split_bucket(fl_name_table *table, const fl_allocator *allocator) {
    if (fl_segments_reserve(&table->chunks, allocator, table->buckets + 1) != FL_OK) return;
    if (reserve_overflow(table, allocator) != FL_OK) return;
    uint32_t added = table->buckets;
    uint32_t mask = UINT32_MAX >> __builtin_clz(added);
    chunk *split = bucket_chunk(table, added & (mask >> 1));
    chunk chain = *split;
    clear_chunk(split);
    clear_chunk(bucket_chunk(table, added));
    table->buckets++;
    redistribute(table, chain);
}

// Merges the last bucket into the one that it was split from.
FL_COLD static void merge_bucket(fl_name_table *table, const fl_allocator *allocator) {
    if (reserve_overflow(table, allocator) != FL_OK) return;
    table->buckets--;
    redistribute(table, *bucket_chunk(table, table->buckets));
    fl_segments_trim(&table->chunks, allocator, table->buckets);
}

// Records -------------------------------------------------------------------------------------

void fl_name_table_init(fl_name_table *table, size_t record_size, bool is_dense,
                        const uint64_t hash_key[2]) {
    FL_ASSERT(record_size >= sizeof(fl_record));
    *table = (fl_name_table){
        .hash_key = {hash_key[0], hash_key[1]},
        .is_dense = is_dense,
        .first_freed = FL_NO_RECORD,
        .overflow_freed = FL_NO_RECORD,
    };
    fl_segments_init(&table->records, record_size);
    fl_segments_init(&table->chunks, sizeof(chunk));
    fl_segments_init(&table->overflow, sizeof(chunk));
}

// Calls for each record in use, by way of the index.
static void each_record(const fl_name_table *table,
                        void (*visit)(const fl_name_table *table, uint32_t bucket, uint8_t tag,
                                      uint32_t number, void *context),
                        void *context) {
    for (uint32_t bucket = 0; bucket < table->buckets; bucket++) {
        for (chunk *current = bucket_chunk(table, bucket); current;
             current = next_chunk(table, current)) {
            uint32_t length = chunk_length(current);
            for (uint32_t i = 0; i < length; i++) {
                visit(table, bucket, current->tag[i], current->number[i], context);
            }
        }
    }
}

static void free_record_name(const fl_name_table *table, uint32_t bucket, uint8_t tag,
                             uint32_t number, void *context) {
    (void) bucket;
    (void) tag;
    free_name(context, &((fl_record *) fl_name_table_record(table, number))->name);
}

void fl_name_table_destroy(fl_name_table *table, const fl_allocator *allocator) {
    fl_allocator copy = *allocator;
    each_record(table, free_record_name, &copy);
    fl_segments_destroy(&table->records, allocator);
    fl_segments_destroy(&table->chunks, allocator);
    fl_segments_destroy(&table->overflow, allocator);
    fl_name_table_init(table, table->records.element_size, table->is_dense, table->hash_key);
}

uint32_t fl_name_table_find(const fl_name_table *table, const fl_name *name, uint32_t hash) {
    if (table->count == 0) return FL_NO_RECORD;
    uint8_t tag = tag_of(hash);
    const chunk *current = bucket_chunk(table, bucket_of(hash, table->buckets));
    for (; current; current = next_chunk(table, current)) {
        chunk_marks marks = entries_with_tag(current, tag);
        uint32_t entry = next_entry(&marks);
        for (; entry < CHUNK_ENTRIES; entry = next_entry(&marks)) {
            const fl_record *record = fl_name_table_record(table, current->number[entry]);
            if (stored_name_equals(&record->name, name)) return current->number[entry];
        }
    }
    return FL_NO_RECORD;
}

fl_result fl_name_table_add(fl_name_table *table, const fl_allocator *allocator,
                            const fl_name *name, uint32_t hash, uint32_t *number) {
    if (table->buckets == 0) {
        if (fl_segments_reserve(&table->chunks, allocator, 1) != FL_OK) return FL_OUT_OF_MEMORY;
        clear_chunk(bucket_chunk(table, 0));
        table->buckets = 1;
    }
    if (reserve_overflow(table, allocator) != FL_OK) return FL_OUT_OF_MEMORY;
    bool fresh = table->first_freed == FL_NO_RECORD;
    if (fresh && fl_segments_reserve(&table->records, allocator, table->records_used + 1)) {
        return FL_OUT_OF_MEMORY;
    }
    fl_stored_name stored;
    if (store_name(allocator, name, &stored) != FL_OK) return FL_OUT_OF_MEMORY;

    uint32_t added = fresh ? table->records_used++ : table->first_freed;
    fl_record *record = fl_name_table_record(table, added);
    if (!fresh) table->first_freed = record->hash;
    record->name = stored;
    record->hash = hash;
    append(table, bucket_of(hash, table->buckets), tag_of(hash), added);
    table->count++;
    if (table->count / ENTRIES_A_BUCKET_MAX >= table->buckets) split_bucket(table, allocator);
    *number = added;
    return FL_OK;
}

// The last record takes the number of one that is gone.
static void fill_gap(fl_name_table *table, const fl_allocator *allocator, uint32_t gap) {
    uint32_t last = --table->records_used;
    if (gap != last) {
        const fl_record *moved = fl_name_table_record(table, last);
        chunk_entry entry = entry_of(table, moved->hash, last);
        entry.chunk->number[entry.at] = gap;
        memcpy(fl_name_table_record(table, gap), moved, table->records.element_size);
    }
    fl_segments_trim(&table->records, allocator, table->records_used);
}

// Gives back what a rush of names took, in memory that can't shrink as long as any of it is in use.
static void give_back_unused(fl_name_table *table, const fl_allocator *allocator) {
    if (table->overflow_count == 0 && table->overflow_used > FL_SEGMENT_LENGTH) {
        fl_segments_destroy(&table->overflow, allocator);
        table->overflow_used = 0;
        table->overflow_freed = FL_NO_RECORD;
    }
    if (table->count == 0 && table->records_used > FL_SEGMENT_LENGTH) {
        fl_segments_destroy(&table->records, allocator);
        table->records_used = 0;
        table->first_freed = FL_NO_RECORD;
    }
}

void fl_name_table_remove(fl_name_table *table, const fl_allocator *allocator, uint32_t number) {
    FL_ASSERT(number < table->records_used);
    fl_record *record = fl_name_table_record(table, number);
    take_out(table, record->hash, number);
    free_name(allocator, &record->name);
    table->count--;
    if (table->is_dense) {
        fill_gap(table, allocator, number);
    } else {
        record->hash = table->first_freed;
        table->first_freed = number;
    }
    if (table->buckets > 1 && table->count / ENTRIES_A_BUCKET_MIN < table->buckets) {
        merge_bucket(table, allocator);
    }
    give_back_unused(table, allocator);
}

fl_bytes fl_name_table_name(const fl_name_table *table, uint32_t number) {
    const fl_record *record = fl_name_table_record(table, number);
    const fl_stored_name *name = &record->name;
    if (name->bytes[15] != FL_NAME_IS_LONG) return (fl_bytes){name->bytes, name->bytes[15]};
    return (fl_bytes){name->block.data, name->block.length};
}

static void check_record(const fl_name_table *table, uint32_t bucket, uint8_t tag, uint32_t number,
                         void *context) {
    FL_ASSERT(number < table->records_used);
    const fl_record *record = fl_name_table_record(table, number);
    fl_bytes bytes = fl_name_table_name(table, number);
    fl_name name = fl_name_from_bytes(bytes.data, bytes.length);
    FL_ASSERT(record->hash == fl_name_table_hash(table, &name));
    FL_ASSERT(tag == tag_of(record->hash));
    FL_ASSERT(bucket == bucket_of(record->hash, table->buckets));
    FL_ASSERT(fl_name_table_find(table, &name, record->hash) == number);
    ++*(uint32_t *) context;
}

void fl_name_table_check(const fl_name_table *table) {
    FL_ASSERT(table->records_used <= table->records.capacity);
    FL_ASSERT(table->buckets <= table->chunks.capacity);
    FL_ASSERT(table->overflow_used <= table->overflow.capacity);
    uint32_t found = 0;
    each_record(table, check_record, &found);
    FL_ASSERT(found == table->count);
    uint32_t freed = 0;
    for (uint32_t number = table->first_freed; number != FL_NO_RECORD; freed++) {
        FL_ASSERT(number < table->records_used);
        number = ((const fl_record *) fl_name_table_record(table, number))->hash;
    }
    FL_ASSERT(found + freed == table->records_used);
    FL_ASSERT(!table->is_dense || freed == 0);
    uint32_t overflow = 0;
    for (uint32_t bucket = 0; bucket < table->buckets; bucket++) {
        for (const chunk *current = bucket_chunk(table, bucket); current->next != FL_NO_RECORD;
             current = next_chunk(table, current)) {
            FL_ASSERT(chunk_length(current) == CHUNK_ENTRIES);
            overflow++;
        }
    }
    FL_ASSERT(overflow == table->overflow_count);
}
