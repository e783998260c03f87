// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What all workers know of a key by which Apple finds nothing.
@Suite struct KeyNotesTests {
    private static let key = CredentialDigest(Array(repeating: 1, count: 32))
    private static let other = CredentialDigest(Array(repeating: 2, count: 32))

    /// The notes of one app's lanes, as several workers make them.
    private struct Notes {
        let store: GateStore
        let production: LaneID
        let sandbox: LaneID
        let queue: QueueFixture

        init(_ queue: QueueFixture) async throws {
            self.queue = queue
            store = GateStore(pool: queue.pool)
            let gates = try await store.list()
            production = gates.first { $0.endpoint == .serverAPI(.production) }!.lane
            sandbox = gates.first { $0.endpoint == .serverAPI(.sandbox) }!.lane
        }

        private func job(_ account: String) -> Job {
            Sample.job(order: "of \(account)", lane: production, account: account)
        }

        /// Apple doesn't know a payment that it signed.
        @discardableResult
        func miss(
            _ account: String, _ id: String? = nil, key: CredentialDigest = key, in lane: LaneID? = nil
        ) async throws -> KeyStanding {
            try await store.noteUnfound(
                TransactionID(rawValue: id ?? "of \(account)"), by: CredentialUse(key, lane: lane ?? production, isNeeded: true),
                for: job(account))
        }

        func find(key: CredentialDigest = key, in lane: LaneID? = nil, finds: Bool = true) async throws {
            try await store.noteAcceptance(
                of: CredentialUse(key, lane: lane ?? production, isNeeded: true, finds: finds), for: job("zoe"))
        }

        /// Makes all notes older.
        func age(by seconds: Int = 60) async throws {
            try await queue.admin.execute(
                """
                update counterfoil.unfound_payments
                set first_asked_at = first_asked_at - interval '\(seconds) s', asked_at = asked_at - interval '\(seconds) s'
                """)
        }

        /// Three accounts' payments are missing twice.
        func missThree(key: CredentialDigest = key, in lane: LaneID? = nil) async throws {
            for account in ["ann", "bob", "cid"] { try await miss(account, key: key, in: lane) }
            try await age()
            for account in ["ann", "bob", "cid"] { try await miss(account, key: key, in: lane) }
        }
    }

    @Test func threeAccountsAskedTwiceAreEnough() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            for account in ["ann", "bob", "cid", "dee"] { #expect(try await notes.miss(account).fault == .unknown) }
            try await notes.age()

            #expect(try await notes.miss("ann") == KeyStanding(hasFound: false, unfoundAccounts: 1))
            #expect(try await notes.miss("bob").fault == .unknown)
            #expect(try await notes.store.list().allSatisfy { $0.foreignKey == nil })
            #expect(try await notes.miss("cid").fault == .credential)
            #expect(try await notes.store.list().filter { $0.foreignKey == Self.key }.map(\.lane) == [notes.production])
        }
    }

    /// Apple may show fresh purchases late.
    @Test func askedTwiceAtOnceTheySayNothing() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)

            for account in ["ann", "bob", "cid", "ann", "bob", "cid"] { try await notes.miss(account) }

            #expect(try await notes.miss("ann") == KeyStanding(hasFound: false, unfoundAccounts: 0))
        }
    }

    @Test func oneAccountIsOneHoweverManyPaymentsItShows() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            for number in 1...10 {
                try await notes.miss("ann", "\(number)")
                try await notes.age()
            }

            #expect(try await notes.miss("ann", "11") == KeyStanding(hasFound: false, unfoundAccounts: 1))
        }
    }

    @Test func onePaymentOfManyAccountsIsOne() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            for account in ["ann", "bob", "cid", "dee"] { try await notes.miss(account, "1") }
            try await notes.age()
            for account in ["ann", "bob", "cid"] { try await notes.miss(account, "1") }

            #expect(try await notes.miss("dee", "1") == KeyStanding(hasFound: false, unfoundAccounts: 1))
        }
    }

    @Test(arguments: [true, false])
    func aKeyThatFoundSomethingInEitherEnvironmentIsRight(inSandbox: Bool) async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.find(in: inSandbox ? notes.sandbox : notes.production)

            try await notes.missThree()

            #expect(try await notes.miss("dee") == KeyStanding(hasFound: true, unfoundAccounts: 0))
            #expect(try await queue.count("counterfoil.unfound_payments") == 0)
        }
    }

    /// It finds only what its account sells.
    @Test func anAnswerThatFindsNothingSaysNothingForTheKey() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.find(finds: false)

            try await notes.missThree()

            #expect(try await notes.miss("ann").fault == .credential)
        }
    }

    @Test func aPaymentThatIsFoundForgetsTheOthers() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.missThree()
            try await notes.missThree(in: notes.sandbox)

            try await notes.find()

            #expect(try await queue.count("counterfoil.unfound_payments") == 0)
            #expect(try await notes.miss("ann").hasFound)
        }
    }

    @Test func anotherKeyBeginsAnew() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.find(key: Self.other)
            try await notes.missThree()

            for account in ["ann", "bob"] {
                #expect(
                    try await notes.miss(account, key: CredentialDigest(Array(repeating: 3, count: 32)))
                        == KeyStanding(hasFound: false, unfoundAccounts: 0))
            }
        }
    }

    @Test func oldNotesAreForgotten() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.missThree()
            try await notes.age(by: 31 * 24 * 3_600)

            try await notes.miss("dee")

            #expect(try await queue.count("counterfoil.unfound_payments") == 1)
        }
    }

    // MARK: Probes

    /// Probes a gate that a foreign key closed, and returns whether it is open then.
    private static func probe(key: CredentialDigest, finds: Bool, isNoted: Bool = true) async throws -> Bool {
        let isOpen = EventLog<Bool>()
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            if isNoted { try await notes.missThree() }
            try await queue.submit("a", "1000")
            try await queue.admin.execute("update counterfoil.jobs set lane = \(notes.production.rawValue)")
            _ = try await notes.store.close(notes.production, by: .configuration, for: "test", why: "foreign", firstProbe: .zero)
            let keeper = GateKeeper(store: notes.store, configuration: WorkerConfiguration(), name: "w", logger: .test)
            let probe = try #require(try await keeper.refresh().first)
            let use = CredentialUse(key, lane: notes.production, isNeeded: true, finds: finds)

            await keeper.end(
                probe,
                with: Attempt(
                    settlement: Settlement(Sample.job(lane: notes.production), .end(.unchanged)),
                    calls: [Attempt.Call(lane: notes.production, result: .answered, accepted: use)]))

            isOpen.append(try await notes.store.list().first { $0.lane == notes.production }!.isOpen)
        }
        return try #require(isOpen.all.first as Bool?)
    }

    /// As about a bare id, which anybody can make up.
    @Test func anAnswerThatFindsNothingDoesNotOpenTheGate() async throws {
        #expect(try await !Self.probe(key: Self.key, finds: false))
    }

    @Test func aPaymentThatIsFoundOpensIt() async throws {
        #expect(try await Self.probe(key: Self.key, finds: true))
    }

    @Test func anotherKeyOpensIt() async throws {
        #expect(try await Self.probe(key: Self.other, finds: false))
    }

    @Test func anotherFaultOfConfigurationIsMendedByAnyAnswer() async throws {
        #expect(try await Self.probe(key: Self.key, finds: false, isNoted: false))
    }

    // MARK: The cost

    @Test func aPaymentThatIsFoundCostsAStatementOnce() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            let cache = GateCache()
            cache.replace(with: try await notes.store.list())
            func use(_ finds: Bool) -> CredentialUse {
                CredentialUse(Self.key, lane: notes.production, isNeeded: true, finds: finds)
            }

            #expect(cache.takeAcceptance(of: use(false)))
            #expect(!cache.takeAcceptance(of: use(false)))
            #expect(cache.takeAcceptance(of: use(true)))
            #expect(!cache.takeAcceptance(of: use(true)))
        }
    }
}
