// A test program is a list of cases; each prints its name when it fails, and the program exits with
// the number of cases that failed.

#ifndef FL_TEST_H
#define FL_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

extern bool test_failed;

// Checks a condition; the case goes on after a failure, so that the rest of it is seen too.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (condition) break;                                                                      \
        printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                             \
        test_failed = true;                                                                        \
    } while (0)

#define TEST_CASE(function)                                                                        \
    { #function, function }

#define TEST_MAIN(...)                                                                             \
    bool test_failed;                                                                              \
    int main(void) {                                                                               \
        const test_case cases[] = {__VA_ARGS__};                                                   \
        const int count = (int) (sizeof cases / sizeof cases[0]);                                  \
        int failures = 0;                                                                          \
        for (int i = 0; i < count; i++) {                                                          \
            test_failed = false;                                                                   \
            cases[i].run();                                                                        \
            if (!test_failed) continue;                                                            \
            printf("FAILED %s\n", cases[i].name);                                                  \
            failures++;                                                                            \
        }                                                                                          \
        printf("%d passed, %d failed\n", count - failures, failures);                              \
        return failures;                                                                           \
    }

#endif
