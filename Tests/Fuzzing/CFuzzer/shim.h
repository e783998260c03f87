// SPDX-License-Identifier: Apache-2.0
// What libFuzzer offers to the mutators of fuzz targets; it is linked by -fsanitize=fuzzer.

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
