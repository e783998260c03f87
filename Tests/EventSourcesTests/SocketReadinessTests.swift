// SPDX-License-Identifier: Apache-2.0

import EventSources
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct SocketReadinessTests {
    /// Two connected sockets; each test closes what it made.
    private struct Pair {
        let ours: Int32
        let theirs: Int32

        init() throws {
            var descriptors: [Int32] = [0, 0]
            #if canImport(Glibc)
                let type = CInt(SOCK_STREAM.rawValue)
            #else
                let type = SOCK_STREAM
            #endif
            try #require(socketpair(AF_UNIX, type, 0, &descriptors) == 0)
            (ours, theirs) = (descriptors[0], descriptors[1])
        }

        func send(_ text: String) {
            _ = write(theirs, text, text.utf8.count)
        }

        func receive() -> Int {
            var byte: UInt8 = 0
            return read(ours, &byte, 1)
        }
    }

    private let executor = SerialQueueExecutor(label: "test")

    @Test func handlerRunsForEveryByteLeftToRead() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)
        let (events, continuation) = AsyncStream.makeStream(of: Int.self)
        readiness.whenReadable { continuation.yield(pair.receive()) }

        pair.send("abc")

        #expect(await events.prefix(3).reduce(0, +) == 3)
        await withCheckedContinuation { done in readiness.cancel { done.resume() } }
        close(pair.ours)
        close(pair.theirs)
    }

    @Test func hangUpOfThePeerIsReadable() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)

        close(pair.theirs)

        #expect(await readiness.wait(for: .readable, until: .now + .seconds(60)) == .ready)
        #expect(pair.receive() == 0)
        close(pair.ours)
    }

    @Test func emptySocketIsWritable() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)

        #expect(await readiness.wait(for: .writable, until: .now + .seconds(60)) == .ready)
        close(pair.ours)
        close(pair.theirs)
    }

    @Test func silentSocketTimesOut() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)
        let deadline = ContinuousClock.now + .milliseconds(20)

        #expect(await readiness.wait(for: .readable, until: deadline) == .timedOut)

        #expect(ContinuousClock.now >= deadline)
        close(pair.ours)
        close(pair.theirs)
    }

    @Test func cancelledTaskStopsWaiting() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)
        let task = Task { await readiness.wait(for: .readable, until: .now + .seconds(3600)) }

        task.cancel()

        #expect(await task.value == .cancelled)
        close(pair.ours)
        close(pair.theirs)
    }

    @Test func ownerMayCloseItsDescriptorWhileItIsWatched() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        readiness.whenReadable { continuation.yield() }
        pair.send("a")
        _ = await events.first { true }
        #expect(pair.receive() == 1)

        close(pair.ours)
        await withCheckedContinuation { done in readiness.cancel { done.resume() } }

        // Only now is the socket gone: the duplicate kept it open.
        let peer = try SocketReadiness(descriptor: pair.theirs, executor: executor)
        #expect(await peer.wait(for: .readable, until: .now + .seconds(60)) == .ready)
        var byte: UInt8 = 0
        #expect(read(pair.theirs, &byte, 1) == 0)
        close(pair.theirs)
    }

    @Test func everythingIsReadThatWasSentBeforeAHangUp() async throws {
        let pair = try Pair()
        let readiness = try SocketReadiness(descriptor: pair.ours, executor: executor)
        let (events, continuation) = AsyncStream.makeStream(of: Int.self)
        pair.send("abc")
        close(pair.theirs)

        readiness.whenReadable {
            let count = pair.receive()
            continuation.yield(count)
            if count <= 0 {
                readiness.cancel()
                continuation.finish()
            }
        }

        #expect(await events.reduce(into: []) { $0.append($1) } == [1, 1, 1, 0])
        close(pair.ours)
    }

    @Test func closedDescriptorIsRefused() {
        let error = #expect(throws: SystemCallError.self) {
            try SocketReadiness(descriptor: -1, executor: executor)
        }
        #expect(error?.code == EBADF)
    }
}
