// SPDX-License-Identifier: Apache-2.0

#ifndef COUNTERFOIL_ALLOCATION_COUNT_H
#define COUNTERFOIL_ALLOCATION_COUNT_H

#include <stdint.h>

/// How often the threads of this process have asked the heap for memory so far: an allocation or a reallocation, each once.
///
/// A program that links this target gets its functions of the heap in place of glibc's. They count, and call glibc's.
uint64_t counterfoil_allocations(void);

#endif
