// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct BlockingQueueTests {
    /// A call that blocks until it is let go: it reads from a pipe.
    private struct BlockedCall {
        let readEnd: Int32
        let writeEnd: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (readEnd, writeEnd) = (ends[0], ends[1])
        }

        func wait() -> Int {
            var byte: UInt8 = 0
            return read(readEnd, &byte, 1)
        }

        func letGo() {
            close(writeEnd)
        }
    }

    private let queue = BlockingQueue(label: "test")

    @Test func resultOfTheCallIsReturned() async {
        #expect(await queue.run(until: .now + .seconds(60)) { 42 } == 42)
    }

    @Test func callThatTakesTooLongIsNotWaitedFor() async throws {
        let call = try BlockedCall()

        #expect(await queue.run(until: .now + .milliseconds(20)) { call.wait() } == nil)

        call.letGo()
    }

    @Test func cancelledTaskDoesNotWait() async throws {
        let call = try BlockedCall()
        let queue = queue
        let task = Task { await queue.run(until: .now + .seconds(3600)) { call.wait() } }

        task.cancel()

        #expect(await task.value == nil)
        call.letGo()
    }

    @Test func blockedCallsDoNotHoldUpOthers() async throws {
        let call = try BlockedCall()
        queue.perform { _ = call.wait() }

        #expect(await queue.run(until: .now + .seconds(60)) { true } == true)

        call.letGo()
    }
}
