// SPDX-License-Identifier: Apache-2.0

import EventSources
import Gateway
import Testing

@Suite struct BellTests {
    private let bell = Bell()

    /// Fails if it isn't woken.
    private func isWoken(since turn: Int, of order: String? = nil, by ring: @escaping @Sendable (Bell) -> Void) async throws {
        try await before(.now + .seconds(20), waitingFor: "a ring") { [bell] in
            async let waiting: Void = bell.wait(since: turn, of: order, until: .now + .seconds(3600))
            await Task.yield()
            ring(bell)
            await waiting
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func aRingWakesThoseThatItIsFor() async throws {
        try await isWoken(since: bell.turn) { $0.ring() }
        try await isWoken(since: bell.turn) { $0.ring(of: ["a"]) }
        try await isWoken(since: bell.turn, of: "a") { $0.ring(of: ["b", "a"]) }
        try await isWoken(since: bell.turn, of: "a") { $0.ringForAll() }
    }

    /// A look and a wait are two steps: what rings between them counts.
    @Test(.timeLimit(.minutes(1)))
    func aRingSinceTheLookIsNotMissed() async throws {
        let turn = bell.turn
        bell.ring(of: ["b"])

        try await isWoken(since: turn, of: "a") { _ in }
    }

    @Test(.timeLimit(.minutes(1)))
    func aRingForOthersWakesNobody() async throws {
        let turn = bell.turn
        let began = ContinuousClock.now
        async let waiting: Void = bell.wait(since: turn, of: "a", until: began + .milliseconds(300))
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(10))
            // Only those that wait already: whoever comes later looks again.
            bell.ring(of: ["b"])
        }
        await waiting

        #expect(bell.turn == turn + 10)
        #expect(.now - began < .seconds(20))
    }

    @Test(.timeLimit(.minutes(1)))
    func whoIsCancelledGoes() async throws {
        let task = Task { [bell] in await bell.wait(since: bell.turn, of: "a", until: .now + .seconds(3600)) }
        await Task.yield()
        task.cancel()

        try await before(.now + .seconds(20), waitingFor: "the end") { await task.value }
    }
}
