// The cure in ten lines: a late writer is refused by its token.

#include <fencelock.h>
#include <stdio.h>

int main(void) {
    fl_lock_service *locks;
    fl_fenced_storage *storage;
    const uint64_t hash_key[2] = {0x1d8af066f0d1d8ab, 0x3c6ef372fe94f82b}; // random, in a program
    if (fl_lock_service_new(NULL, 10, 33, hash_key, &locks) != FL_OK) return 1;
    if (fl_fenced_storage_new(NULL, FL_FENCING_AT_LEAST, hash_key, &storage) != FL_OK) return 1;
    fl_name lock = fl_name_from_string("report"), key = fl_name_from_string("report.txt");
    fl_client a, b;
    uint64_t a_token, b_token;
    if (fl_lock_service_client(locks, fl_name_from_string("a"), &a) != FL_OK) return 1;
    if (fl_lock_service_client(locks, fl_name_from_string("b"), &b) != FL_OK) return 1;

    if (fl_lock_service_acquire(locks, 0, lock, a, &a_token) != FL_OK) return 1;  // a gets 33
    if (fl_lock_service_acquire(locks, 16, lock, b, &b_token) != FL_OK) return 1; // b gets 34
    fl_result by_b = fl_fenced_storage_write(storage, key, (fl_bytes){"b", 1}, b_token, NULL);
    fl_result by_a = fl_fenced_storage_write(storage, key, (fl_bytes){"a", 1}, a_token, NULL);

    printf("b wrote: %s, a wrote: %s\n", fl_result_name(by_b), fl_result_name(by_a));
    fl_lock_service_free(locks);
    fl_fenced_storage_free(storage);
    return by_b == FL_OK && by_a == FL_REFUSED ? 0 : 1;
}
