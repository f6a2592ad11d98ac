// Byte strings -> records: hashing, probing, memory.
//
// The index is a linear hash table: chunks of one cache line, of which one more is split as the
// count grows and two are merged as it shrinks. So it is never rehashed as a whole, and no single
// operation stalls. The hash is keyed (SipHash-1-3), so that nobody can choose names that collide.
//
// Records are numbered. In a dense table the last one takes the number of one that is removed, so
// that memory, and a walk over all numbers, follow the count. In the other kind a number stays with
// its record, and a freed one is used again.

#ifndef FL_NAME_TABLE_H
#define FL_NAME_TABLE_H

#include "segments.h"

#define FL_NO_RECORD UINT32_MAX

// A name as it is kept: a short one in place, a longer one in a block of its own.
typedef union fl_stored_name {
    uint64_t words[2];
    uint8_t bytes[16]; // the last one is the length, or FL_NAME_IS_LONG
    struct {
        uint8_t *data;
        uint32_t length;
    } block;
} fl_stored_name;

#define FL_NAME_IS_LONG 255

// What each record begins with. The owner of the table puts its own members behind it.
typedef struct fl_record {
    fl_stored_name name;
    uint32_t hash;  // of a freed record: the number of the next freed one
    uint32_t owner; // for the owner of the table, since the alignment leaves room for it
} fl_record;

typedef struct fl_name_table {
    fl_segments records;
    fl_segments chunks;   // one a bucket
    fl_segments overflow; // more chunks, for the buckets that are over-full
    uint64_t hash_key[2];
    bool is_dense;
    uint32_t count;        // records in use
    uint32_t records_used; // a number below it is in use or, if not dense, freed
    uint32_t first_freed;  // FL_NO_RECORD when none
    uint32_t buckets;
    uint32_t overflow_used; // as for records that are not dense
    uint32_t overflow_freed;
    uint32_t overflow_count;
} fl_name_table;

// `record_size` counts from the fl_record.
void fl_name_table_init(fl_name_table *table, size_t record_size, bool is_dense,
                        const uint64_t hash_key[2]);
void fl_name_table_destroy(fl_name_table *table, const fl_allocator *allocator);

uint32_t fl_name_table_hash(const fl_name_table *table, const fl_name *name);

// The number of the record with that name, or FL_NO_RECORD.
uint32_t fl_name_table_find(const fl_name_table *table, const fl_name *name, uint32_t hash);

// Adds a record for a name that has none yet. Only its fl_record is initialised.
//   FL_OUT_OF_MEMORY: nothing changed; also for a name of 4 GiB or more.
fl_result fl_name_table_add(fl_name_table *table, const fl_allocator *allocator,
                            const fl_name *name, uint32_t hash, uint32_t *number);

// Removes a record. In a dense table the last one, if it is another, is this number from now on.
void fl_name_table_remove(fl_name_table *table, const fl_allocator *allocator, uint32_t number);

// The bytes of a record's name: valid as long as its address.
fl_bytes fl_name_table_name(const fl_name_table *table, uint32_t number);

// Walks index and records and traps where they disagree.
void fl_name_table_check(const fl_name_table *table);

// The address of a record: valid until the next add or remove.
FL_INLINE void *fl_name_table_record(const fl_name_table *table, uint32_t number) {
    return fl_segments_at(&table->records, number);
}

#endif
