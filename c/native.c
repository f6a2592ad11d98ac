// What only a native build has: how an assertion that failed is told.

#include "base.h"

#include <stdio.h>
#include <stdlib.h>

void fl_assertion_failed(const char *expression, const char *file, int line) {
    fprintf(stderr, "%s:%d: fencelock: assertion failed: %s\n", file, line, expression);
    abort();
}
