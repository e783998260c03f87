// SPDX-License-Identifier: Apache-2.0

import CAllocationCount
import Glibc
import Testing

/// The benchmark's heap counts.
@Suite struct AllocationCountTests {
    private final class Allocated {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    @Test func eachAllocationIsCounted() {
        let before = counterfoil_allocations()

        let made = (0..<1000).map { Allocated($0) }

        #expect(counterfoil_allocations() - before >= 1000)
        #expect(made.count == 1000)
    }

    @Test func allocationsOfOtherThreadsAreCounted() {
        let before = counterfoil_allocations()
        var thread = pthread_t()

        pthread_create(&thread, nil, { _ in
            for _ in 0..<1000 { free(malloc(64)) }
            return nil
        }, nil)
        pthread_join(thread, nil)

        #expect(counterfoil_allocations() - before >= 1000)
    }

    /// The heap itself is glibc's.
    @Test(arguments: [8, 64, 4096])
    func alignedMemoryIsAligned(_ alignment: Int) {
        var memory: UnsafeMutableRawPointer?

        #expect(posix_memalign(&memory, alignment, 100) == 0)

        #expect(memory.map { Int(bitPattern: $0) % alignment } == 0)
        free(memory)
    }

    @Test(arguments: [0, 3, 24]) func anAlignmentThatIsNoneIsRefused(_ alignment: Int) {
        var memory: UnsafeMutableRawPointer?

        #expect(posix_memalign(&memory, alignment, 100) == EINVAL)
    }
}
