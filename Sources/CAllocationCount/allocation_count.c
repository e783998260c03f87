// SPDX-License-Identifier: Apache-2.0

#include "CAllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// glibc's functions by its own names for whoever replaces malloc (manual of glibc, "Replacing malloc").
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// A counter a thread, each in a cache line of its own. Threads beyond these share counters.
enum { COUNTERS = 1024 };
static struct {
    _Alignas(64) _Atomic uint64_t count;
} counters[COUNTERS];

static _Atomic unsigned next_counter;
static _Thread_local unsigned own_counter; // from 1; 0: none yet

static void count(void) {
    if (own_counter == 0) {
        own_counter = 1 + atomic_fetch_add_explicit(&next_counter, 1, memory_order_relaxed) % COUNTERS;
    }
    atomic_fetch_add_explicit(&counters[own_counter - 1].count, 1, memory_order_relaxed);
}

uint64_t counterfoil_allocations(void) {
    uint64_t sum = 0;
    for (int i = 0; i < COUNTERS; i++) {
        sum += atomic_load_explicit(&counters[i].count, memory_order_relaxed);
    }
    return sum;
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
        return EINVAL;
    }
    int error = errno;
    void *found = memalign(alignment, size);
    errno = error;
    if (found == NULL) {
        return ENOMEM;
    }
    *memory = found;
    return 0;
}
