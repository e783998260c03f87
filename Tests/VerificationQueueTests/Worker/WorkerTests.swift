// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres
import Synchronization
import Testing
import TestSupport
import Verification
import VerificationQueue

@Suite struct WorkerTests {
    private static func configuration() -> WorkerConfiguration {
        var configuration = WorkerConfiguration()
        configuration.slots = 50
        configuration.pollInterval = .milliseconds(20)
        configuration.gateInterval = .milliseconds(50)
        configuration.rescueInterval = .milliseconds(50)
        configuration.retry.backoff = Backoff(base: .milliseconds(10), cap: .milliseconds(50))
        return configuration
    }

    /// Runs workers until `count` attempts were settled, then drains them.
    private static func settle(
        _ count: Int, in queue: QueueFixture, with verifier: ScriptedVerifier, workers: Int = 1,
        configuration: WorkerConfiguration = configuration(),
        clock: DatabaseClock = DatabaseClock(), placement: AttemptPlacement = AttemptPlacement(),
        isolate: (@Sendable (Job) async -> IsolatedAttempt)? = nil,
        meanwhile: @escaping @Sendable (EventLog<WorkerEvent>) async throws -> Void = { _ in }
    ) async throws {
        let events = EventLog<WorkerEvent>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let running = (0..<workers).map { _ in
                Worker(
                    pool: queue.pool, verifier: verifier, configuration: configuration, identity: .test, clock: clock,
                    logger: .test, placement: placement, isolate: isolate, observe: { events.append($0) })
            }
            for worker in running {
                group.addTask { try await worker.run() }
            }
            group.addTask {
                try await meanwhile(events)
                // The time limit of the test is the deadline.
                _ = await events.next(count, where: \.isSettled)
                for worker in running {
                    worker.drain()
                }
            }
            try await group.waitForAll()
        }
    }

    /// What holds claims back: the bytes of proofs, or what one lane may hold.
    enum Bound: CaseIterable { case proofBytes, lane }

    @Test(.timeLimit(.minutes(1)), arguments: Bound.allCases)
    func claimsGoOnAsSoonAsRoomIsMade(bound: Bound) async throws {
        try await QueueFixture.run { queue in
            for number in 1...100 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }
            var configuration = Self.configuration()
            switch bound {
            // One proof at a time, until it is settled.
            case .proofBytes: configuration.proofBytes = 1
            // Two of four slots.
            case .lane: configuration.slots = 4
            }
            // And nothing else that would wake the claims.
            configuration.pollInterval = .seconds(3600)
            let events = EventLog<WorkerEvent>()
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test, logger: .test,
                observe: { events.append($0) })
            async let running: Void = worker.run()
            // From then on it knows its lanes.
            _ = await events.next(where: \.isReadingOfGates)
            worker.wake()

            _ = await events.next(100, where: \.isSettled)

            worker.drain()
            try await running
            #expect(try await queue.count("counterfoil.grants") == 100)
        }
    }

    /// Attempts end six at a time, and a quarter of the slots, that would be filled at once, is seven.
    @Test(.timeLimit(.minutes(1))) func theFewSlotsThatCameFreeAreFilledAfterAPause() async throws {
        try await QueueFixture.run { queue in
            for number in 1...100 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }
            var configuration = Self.configuration()
            // One lane may hold fifteen of them.
            configuration.slots = 30
            // And nothing else wakes the claims.
            configuration.pollInterval = .seconds(3600)
            configuration.gateInterval = .seconds(3600)
            configuration.settlementDelay = .seconds(3600)
            let begun = EventLog<String>()
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                let number = begun.append(proof)
                _ = await begun.next(min(number + 9, 100)) { _ in true }
                return .paid(proof)
            }
            let events = EventLog<WorkerEvent>()
            let worker = Worker(
                pool: queue.pool, verifier: verifier, configuration: configuration, identity: .test, logger: .test,
                observe: { events.append($0) })
            async let running: Void = worker.run()
            _ = await events.next(where: \.isReadingOfGates)
            worker.wake()

            _ = await begun.next(100) { _ in true }

            worker.drain()
            try await running
            #expect(try await queue.count("counterfoil.grants") == 100)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func everyPaymentIsGrantedOnceWhateverIsRepeated() async throws {
        try await QueueFixture.run { queue in
            // Forty payments, each uploaded twice for its order and once for another order of another account.
            for number in 0..<40 {
                try await queue.submit("order-\(number)", "eyJ \(number)", account: "account-\(number)")
                try await queue.submit("order-\(number)", "eyJ \(number)", account: "account-\(number)")
                try await queue.submit("replay-\(number)", "eyJ \(number)", account: "thief")
            }

            try await Self.settle(120, in: queue, with: ScriptedVerifier(), workers: 3)

            #expect(try await queue.count("counterfoil.grants") == 40)
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.count("counterfoil.orders where state = 'open'") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// As those do whose database transaction was open for long: later than claims look back, than scans for first jobs do, and
    /// than those that ran before.
    @Test(.timeLimit(.minutes(3)), arguments: [2, 30, 3600])
    func aJobThatShowsUpLateIsFound(seconds: Int) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("first", "eyJ 1")

            try await Self.settle(2, in: queue, with: ScriptedVerifier(), meanwhile: { events in
                try await events.wait(for: "the first settlement", where: \.isSettled)
                #expect(try await queue.count("counterfoil.jobs") == 0)
                // Both kinds of scans have come by.
                try await events.wait(for: "a full scan") { $0.isScan(full: true) }
                try await events.wait(for: "two scans of the last seconds", count: 2, from: events.count) {
                    $0.isScan(full: false)
                }
                try await queue.submit("late", "eyJ 2", dueSince: seconds)
            })

            #expect(try await queue.order("late") == OrderFacts(.fulfilled, by: "2"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theTimeThatAnAttemptGoesByIsTheDatabases() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let clock = DatabaseClock()
            clock.follow(Date() + 5 * 3600)
            let times = Mutex<[Date]>([])
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                times.withLock { $0.append(clock.now) }
                return .paid(proof)
            }

            try await Self.settle(1, in: queue, with: verifier, clock: clock)

            let time = try #require(times.withLock { $0.first })
            #expect(abs(time.timeIntervalSinceNow) < 60)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [("MII 1", true), ("eyJ 1", false)])
    func attemptsThatBeginWithACallRunWhereItsAnswerArrives(proof: String, isCall: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", proof)
            let executor = CountingExecutor()

            let placement = AttemptPlacement(callExecutors: [executor])
            try await Self.settle(1, in: queue, with: ScriptedVerifier(), placement: placement)

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect((executor.begun > 0) == isCall)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aFailureIsRetriedUntilTheServiceIsBack() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            let failures = Mutex(3)
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                let isDown = failures.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isDown { throw VerificationFailure(.transient, .appStoreUnavailable, message: "HTTP 503") }
                return .paid(proof)
            }

            try await Self.settle(4, in: queue, with: verifier)

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.orders where attempts = 4") == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aFaultOfConfigurationParksTheLaneUntilAProbeSucceeds() async throws {
        try await QueueFixture.run { queue in
            for number in 0..<5 {
                try await queue.submit("order-\(number)", "MII \(number)")
            }
            let isMended = Mutex(false)
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                guard isMended.withLock({ $0 }) else {
                    throw VerificationFailure(.configuration, .configuration, message: "wrong shared secret")
                }
                return .paid(proof)
            }

            let closed = { @Sendable (_: EventLog<WorkerEvent>) in
                try await eventually("the gate is closed") {
                    try await queue.count("counterfoil.gates where closed_by = 'configuration'") > 0
                }
                #expect(try await queue.count("counterfoil.order_status where client_action = 'wait'") == 5)
                isMended.withLock { $0 = true }
                try await queue.admin.execute("update counterfoil.gates set probe_at = now() where state = 'closed'")
                try await eventually("all are fulfilled") {
                    try await queue.count("counterfoil.orders where state = 'fulfilled'") == 5
                }
            }
            try await Self.settle(5, in: queue, with: verifier, meanwhile: closed)

            #expect(try await queue.count("counterfoil.grants") == 5)
            #expect(try await queue.count("counterfoil.orders where attempts = 1") == 5)
            #expect(try await queue.count("counterfoil.gates where state = 'closed'") == 0)
            #expect(verifier.credentialReloads >= 1)
        }
    }

    /// The secret is right, and Apple refuses it for one customer's receipt.
    @Test(.timeLimit(.minutes(3)))
    func oneReceiptThatTheSecretIsRefusedForDelaysNoOther() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier(
                { proof, _ throws(VerificationFailure) in
                    guard !proof.hasPrefix("MII bad") else {
                        throw VerificationFailure(.credentialRefused, .configuration, message: "21004")
                    }
                    return .paid(proof)
                }, claims: ReceiptClaims(holdsSubscription: false))
            try await queue.submit("first", "MII 1")
            var configuration = Self.configuration()
            configuration.retry.delayCap = .milliseconds(50)
            configuration.retry.refusedProofAttempts = 3

            try await Self.settle(
                1, in: queue, with: verifier, workers: 2, configuration: configuration,
                meanwhile: { events in
                    _ = await events.next(where: \.isSettled)
                    try await queue.submit("bad", "MII bad", account: "bob")
                    for number in 2..<1_000 where try await queue.count("counterfoil.jobs where state <> 'discarded'") > 0 {
                        try await queue.submit("good-\(number)", "MII \(number)")
                        try await eventually("a good receipt is granted") {
                            try await queue.count("counterfoil.orders where order_id = 'good-\(number)' and state = 'fulfilled'") == 1
                        }
                    }
                })

            #expect(try await queue.order("bad") == OrderFacts(.review, .credentialRefused))
            #expect(try await queue.count("counterfoil.attempts where order_id <> 'bad' and disposition <> 'complete'") == 0)
            #expect(try await queue.count("counterfoil.gates where state = 'closed'") == 0)
            #expect(try await queue.count("counterfoil.attempts where order_id = 'bad' and disposition in ('retry', 'discard')") == 3)
            #expect(try await queue.count("counterfoil.attempts where order_id = 'bad' and disposition = 'snooze'") >= 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// The secret is renewed at Apple while good receipts wait.
    @Test(.timeLimit(.minutes(3)))
    func aSecretThatIsRefusedForThreeOrdersClosesTheGateUntilAProbeIsAccepted() async throws {
        try await QueueFixture.run { queue in
            let isRenewed = Mutex(false)
            let isMended = Mutex(false)
            let probed = EventLog<String>()
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                guard isRenewed.withLock({ $0 }) && !isMended.withLock({ $0 }) else { return .paid(proof) }
                probed.append(proof)
                throw VerificationFailure(.credentialRefused, .configuration, message: "21004")
            }
            var configuration = Self.configuration()
            configuration.retry.delayCap = .milliseconds(100)
            try await queue.submit("before", "MII 1")

            try await Self.settle(
                21, in: queue, with: verifier, workers: 2, configuration: configuration,
                meanwhile: { events in
                    _ = await events.next(where: \.isSettled)
                    isRenewed.withLock { $0 = true }
                    for number in 2...21 {
                        try await queue.submit("order-\(number)", "MII \(number)", account: "account-\(number)")
                    }
                    try await eventually("the gate is closed") {
                        try await queue.count("counterfoil.gates where closed_by = 'configuration' and why like '%refused for all%'") == 1
                    }
                    // Each probe takes another receipt.
                    let calls = probed.count
                    for probe in 1...3 {
                        try await eventually("a probe") {
                            try await queue.admin.execute("update counterfoil.gates set probe_at = now() where state = 'closed'")
                            return probed.count >= calls + probe
                        }
                    }
                    #expect(Set(probed.all[calls..<(calls + 3)]).count == 3)
                    isMended.withLock { $0 = true }
                    verifier.renewCredentials()
                    try await eventually("all are fulfilled") {
                        try await queue.admin.execute("update counterfoil.gates set probe_at = now() where state = 'closed'")
                        return try await queue.count("counterfoil.orders where state = 'fulfilled'") == 21
                    }
                })

            #expect(try await queue.count("counterfoil.orders where attempts = 1") == 21)
            #expect(try await queue.count("counterfoil.gates where state = 'closed'") == 0)
            #expect(try await queue.count("counterfoil.credential_refusals") == 0)
            #expect(verifier.credentialReloads >= 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func workersThatDidNotProbeReadTheirCredentialsAgainAsWell() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier()
            try await queue.submit("order", "eyJ 1")

            let mended = { @Sendable (events: EventLog<WorkerEvent>) in
                let lane = "lane = (select min(lane) from counterfoil.gates where route = 'verify_receipt')"
                // Another worker's call fails, and its probe is answered.
                for change in ["state = 'closed', closed_by = 'configuration'", "state = 'open', closed_by = null"] {
                    try await queue.admin.execute("update counterfoil.gates set \(change) where \(lane)")
                    // A reading that has begun may miss it.
                    try await events.wait(
                        for: "two readings of the gates", count: 2, from: events.count, where: \.isReadingOfGates)
                }
                #expect(verifier.credentialReloads > 0)
            }
            try await Self.settle(1, in: queue, with: verifier, meanwhile: mended)

            #expect(try await queue.count("counterfoil.grants") == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOutageClosesTheGateForEverybody() async throws {
        try await QueueFixture.run { queue in
            for number in 0..<30 {
                try await queue.submit("order-\(number)", "MII \(number)", account: "account-\(number)")
            }
            let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
                throw VerificationFailure(.transient, .appStoreUnavailable, message: "HTTP 503")
            }

            try await Self.settle(10, in: queue, with: verifier, meanwhile: { _ in
                try await eventually("the gate is closed") {
                    try await queue.count("counterfoil.gates where closed_by = 'breaker'") > 0
                }
            })

            #expect(try await queue.count("counterfoil.gates where closed_by = 'breaker'") == 1)
            #expect(
                try await queue.count("counterfoil.order_status where reason = 'app_store_unavailable' and client_action = 'wait'")
                    == 30)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aRequestToSlowDownIsHeededByAllWorkersAndCostsNoAttempt() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set confirm_after = '0'")
            for number in 0..<10 {
                try await queue.submit("order-\(number)", "eyJ \(number)", account: "account-\(number)")
            }
            let isTooMuch = Mutex(true)
            let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in
                guard isTooMuch.withLock({ $0 }) else { return .known(.sample(id: id)) }
                throw VerificationFailure(.rateLimited, .rateLimited, message: "429", retryAfter: .seconds(600))
            })

            let limited = { @Sendable (_: EventLog<WorkerEvent>) in
                let waiting = "counterfoil.order_status where reason = 'rate_limited' and client_action = 'wait'"
                try await eventually("all wait") { try await queue.count(waiting) == 10 }
                #expect(try await queue.count("counterfoil.gates where closed_by = 'budget'") == 1)
                isTooMuch.withLock { $0 = false }
                // The time is up.
                try await queue.admin.execute("update counterfoil.gates set probe_at = now() where state = 'closed'")
                try await queue.admin.execute("update counterfoil.jobs set run_at = now() where state = 'available'")
                try await eventually("all are fulfilled") {
                    try await queue.count("counterfoil.orders where state = 'fulfilled'") == 10
                }
            }
            try await Self.settle(10, in: queue, with: verifier, workers: 2, meanwhile: limited)

            #expect(try await queue.count("counterfoil.orders where attempts = 1") == 10)
            #expect(try await queue.count("counterfoil.gates where state = 'closed'") == 0)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aGrantOfAnAppThatFinishesIsToldToApple() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set finish_transactions = true")
            for number in 0..<5 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }
            let verifier = ScriptedVerifier()

            try await Self.settle(10, in: queue, with: verifier)

            #expect(Set(verifier.finished) == ["0", "1", "2", "3", "4"])
            #expect(verifier.finished.count == 5)
            #expect(try await queue.count("counterfoil.jobs") == 0)
            #expect(try await queue.count("counterfoil.orders where attempts = 1 and state = 'fulfilled'") == 5)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func readersOfTheFeedAreToldThatSomethingMayBeNew() async throws {
        try await QueueFixture.run { queue in
            let listener = PostgresListener(
                configuration: try PostgresConfiguration(url: queue.adminURL), channels: ["counterfoil_changes"], logger: .test)

            try await Self.settle(
                1, in: queue, with: ScriptedVerifier(),
                meanwhile: { _ in
                    var heard = listener.makeAsyncIterator()
                    #expect(await heard.next() == .reconnected)
                    try await queue.submit("a", "eyJ 1")
                    #expect(
                        await heard.next() == .signal(PostgresSignal(channel: "counterfoil_changes", payload: "")))
                    // It was sent after the commit.
                    #expect(try await queue.count("counterfoil.changes where kind = 'order_fulfilled'") == 1)
                })
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func severalOrdersOfOneReceiptGetAPurchaseEachThoughAllAskAboutAll() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set receipt_route = 'local_then_api'")
            for number in 0..<6 {
                try await queue.submit("order-\(number)", "MII")
            }
            let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
                .transactions(VerifiedTransactions((0..<6).map { .sample(id: "\($0)") }, mayBeIncomplete: true))
            }

            try await Self.settle(6, in: queue, with: verifier, workers: 2)

            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 6)
            #expect(try await queue.count("counterfoil.grants") == 6)
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aJobRescuedTwiceIsAttemptedAloneAndThreeCrashesEndIt() async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("a", "eyJ poison")
            try await queue.admin.execute("update counterfoil.jobs set rescues = 2")
            let verifier = ScriptedVerifier()

            try await Self.settle(3, in: queue, with: verifier, isolate: { _ in .crashed("signal 11") })

            #expect(verifier.calls.isEmpty)
            #expect(try await queue.job(id) == "discarded 3 crashed_repeatedly")
            #expect(try await queue.order("a") == OrderFacts(.review, .crashedRepeatedly))
            #expect(try await queue.faults() == [])
        }
    }

    /// One without an app, say, or one that scans only into lanes that hold jobs and finds none.
    @Test(.timeLimit(.minutes(3)))
    func aWorkerWithoutALaneToLookIntoIsReadyAndSeesTheDatabaseGo() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute(
                "update counterfoil.gates set state = 'closed', closed_by = 'operator', closed_at = now()")
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: Self.configuration(), identity: .test,
                clock: DatabaseClock(), logger: .test)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                try await eventually("the worker is ready") { worker.snapshot().health.isReady }
                try await queue.admin.execute("revoke update on counterfoil.jobs from counterfoil_worker")
                try await queue.admin.execute("revoke select on counterfoil.jobs from counterfoil_worker")
                try await eventually("the worker is not ready") { !worker.snapshot().health.isReady }
                worker.drain()
                try await group.waitForAll()
            }
        }
    }

    /// A trigger of another's that says so, and one that names a column that isn't there any more; and those that say of one row
    /// what the server may say of itself.
    @Test(.timeLimit(.minutes(3)), arguments: ["P0001", "42703", "08001", "53300", "40001"])
    func aRefusedSettlementHoldsUpItsOwnOrderOnly(sqlState: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.refuse(sqlState, on: "counterfoil.payments", when: "new.order_number = \(orderNumber("bad"))")
            try await queue.submit("bad", "eyJ 1000")
            for number in 0..<20 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }

            try await Self.settle(21, in: queue, with: ScriptedVerifier())

            #expect(try await queue.count("counterfoil.grants") == 20)
            #expect(try await queue.order("bad") == OrderFacts(.open))
            #expect(
                try await queue.count("counterfoil.jobs where order_id = 'bad' and reason = 'settlement_refused' and attempt = 0")
                    == 1)
        }
    }

    /// The server ended a database transaction for the sake of another one, or somebody had a lock.
    @Test(.timeLimit(.minutes(3)), arguments: ["40001", "40P01", "55P03"])
    func aBatchThatMayPassTheNextTimeIsSentAgain(sqlState: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("create sequence public.refusals")
            try await queue.admin.execute("grant usage on sequence public.refusals to public")
            try await queue.refuse(
                sqlState, on: "counterfoil.payments", when: "new.order_number = \(orderNumber("bad")) and nextval('public.refusals') <= 2")
            try await queue.submit("bad", "eyJ 1000")
            for number in 0..<5 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }

            try await Self.settle(6, in: queue, with: ScriptedVerifier())

            #expect(try await queue.count("counterfoil.grants") == 6)
            #expect(try await queue.count("counterfoil.attempts where disposition = 'complete' and attempt = 1") == 6)
            #expect(try await queue.count("counterfoil.attempts") == 6)
            #expect(try await queue.text("select last_value from public.refusals") == "3")
        }
    }

    /// Nobody else is settled meanwhile, from which to tell that this server is well.
    @Test(.timeLimit(.minutes(3))) func aLoneOrderIsPutOffBeforeItsLeaseEnds() async throws {
        try await QueueFixture.run { queue in
            try await queue.refuse("08001", on: "counterfoil.payments", when: "new.order_number is not null")
            try await queue.submit("bad", "eyJ 1000")
            var configuration = Self.configuration()
            configuration.leaseDuration = .seconds(5)

            try await Self.settle(1, in: queue, with: ScriptedVerifier(), configuration: configuration)

            #expect(try await queue.order("bad") == OrderFacts(.open))
            #expect(
                try await queue.count("counterfoil.jobs where order_id = 'bad' and reason = 'settlement_refused' and attempt = 0")
                    == 1)
        }
    }

    /// It would refuse the review, too, if that recorded what was taken back.
    @Test(.timeLimit(.minutes(3)))
    func aFailingTriggerOnRevocationsLeavesTheOrderToAPersonInTheEnd() async throws {
        try await QueueFixture.run { queue in
            try await queue.refuse("P0001", on: "counterfoil.revocations", when: "true")
            try await queue.submit("a", "eyJ 1")
            try await queue.admin.execute("update counterfoil.jobs set attempt = 100, created_at = now() - interval '1 year'")
            let job = try #require(try await queue.claim().first)
            let settler = Settler(
                store: SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0)),
                configuration: Self.configuration(), logger: .test, report: { _ in })

            let other = ShownPayment(.sample(id: "3", product: "pro", kind: .nonConsumable), isReceipt: true)
            settler.add(
                Settlement(
                    job, .grantOne,
                    payments: .init(
                        candidates: [Sample.candidate("1")], others: [other], revoked: [.sample(id: "2", revoked: Date())])))
            settler.finish()
            await settler.run()

            #expect(try await queue.order("a") == OrderFacts(.review, .settlementRefused, by: "1"))
            let kept = "select string_agg(transaction_id || ' ' || reason, ',' order by transaction_id) from counterfoil.payments"
            #expect(try await queue.text(kept) == "1 settlement_refused,3 settlement_refused")
            #expect(try await queue.count("counterfoil.proofs where order_id = 'a'") == 1)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAttemptThatCanNotBeWrittenAtAllIsLeftToItsLease() async throws {
        try await QueueFixture.run { queue in
            for table in ["counterfoil.payments", "counterfoil.other_attempts"] {
                try await queue.refuse("P0001", on: table, when: "new.order_number = \(orderNumber("bad"))")
            }
            for number in 0..<20 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }
            let bad = try await queue.submit("bad", "eyJ 1000")

            // The worker is done with all of them: what one holds of its slots and proof bytes comes back.
            try await Self.settle(21, in: queue, with: ScriptedVerifier())

            #expect(try await queue.count("counterfoil.grants") == 20)
            #expect(try await queue.job(bad) == "running 1 -")
            #expect(try await queue.order("bad") == OrderFacts(.open))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerThatCanNotSettleStopsClaiming() async throws {
        try await QueueFixture.run { queue in
            for number in 0..<100 {
                try await queue.submit("order-\(number)", "eyJ \(number)")
            }
            // As on a full disk.
            try await queue.refuse("53100", on: "counterfoil.payments", when: "new.order_number is not null")
            var configuration = Self.configuration()
            configuration.slots = 10
            configuration.settlementBatch = 10
            let most = configuration.slots + 2 * configuration.settlementBatch

            try await Self.settle(
                100, in: queue, with: ScriptedVerifier(), configuration: configuration,
                meanwhile: { [configuration] events in
                    let claimed = "counterfoil.jobs where state = 'running'"
                    try await eventually("all slots are taken") { try await queue.count(claimed) >= configuration.slots }
                    try await events.wait(for: "rounds without a claim", count: 50, from: events.count, where: \.hasNoRoom)
                    #expect(try await queue.count(claimed) <= most)
                    #expect(try await queue.count("counterfoil.grants") == 0)
                    try await queue.admin.execute("drop trigger refuse on counterfoil.payments")
                })

            #expect(try await queue.count("counterfoil.grants") == 100)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func noDatabaseTransactionIsOpenWhileAppleIsAsked() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            let isNoneOpen = Mutex(false)
            let verifier = ScriptedVerifier { proof, _ throws(VerificationFailure) in
                // Those that began before the call come to their end before it does.
                let ended: Void? = try? await queue.admin.withConnection { admin in
                    let now = try await admin.execute("select clock_timestamp()::text")[0].string(0)
                    try await admin.waitUntil(
                        """
                        not exists (
                            select from pg_stat_activity
                            where usename = 'counterfoil_worker' and datname = current_database()
                                and xact_start < $1::text::timestamptz
                        )
                        """, [.text(now)])
                }
                isNoneOpen.withLock { $0 = ended != nil }
                return .paid(proof)
            }

            try await Self.settle(1, in: queue, with: verifier)

            #expect(isNoneOpen.withLock { $0 })
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }

    /// Yields when it is asked, and then answers no more than its cancellation.
    private static func hangingVerifier(_ started: AsyncStream<Void>.Continuation) -> ScriptedVerifier {
        ScriptedVerifier { _, _ throws(VerificationFailure) in
            started.yield()
            await untilCancelled()
            throw VerificationFailure(.transient, .appStoreUnavailable, message: "cancelled")
        }
    }

    /// Drains a worker once it attempts a job, whose verifier answers no more than its cancellation.
    private static func drainAmidAnAttempt(
        _ queue: QueueFixture, within limit: Duration, meanwhile: () async throws -> Void = {}
    ) async throws {
        let (started, continuation) = AsyncStream<Void>.makeStream()
        var configuration = configuration()
        configuration.drainDuration = limit
        let worker = Worker(
            pool: queue.pool, verifier: Self.hangingVerifier(continuation), configuration: configuration,
            identity: .test, logger: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            for await _ in started { break }
            worker.drain()
            try await meanwhile()
            try await group.waitForAll()
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDrainReleasesWhatRunsTooLong() async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("a", "MII 1")

            try await Self.drainAmidAnAttempt(queue, within: .milliseconds(100))

            #expect(try await queue.job(id) == "available 0 -")
            #expect(try await queue.count("counterfoil.attempts where disposition = 'release'") == 1)
            #expect(try await queue.count("counterfoil.workers where name = 'test'") == 1)
        }
    }

    /// The claim would wait for five seconds.
    @Test(.timeLimit(.minutes(3)))
    func aDrainGivesUpAClaimThatHangs() async throws {
        try await QueueFixture.run { queue in
            var configuration = Self.configuration()
            configuration.drainDuration = .milliseconds(100)
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test, logger: .test)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for await _ in worker.readiness { break }
                try await queue.admin.withConnection { admin in
                    try await admin.executeScript("begin; lock table counterfoil.gates in access exclusive mode")
                    try await admin.waitUntilALockIsWaitedFor("relation")
                    let began = ContinuousClock.now
                    worker.drain()
                    try await group.waitForAll()
                    #expect(began.duration(to: .now) < .seconds(4))
                    try await admin.executeScript("rollback")
                }
            }
        }
    }

    /// It claims nothing, so that no claim fails.
    @Test(.timeLimit(.minutes(3)))
    func aWorkerWithoutRoomSeesTheDatabaseGo() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            let (started, continuation) = AsyncStream<Void>.makeStream()
            var configuration = Self.configuration()
            configuration.slots = 1
            configuration.heartbeatInterval = .milliseconds(50)
            configuration.drainDuration = .milliseconds(100)
            let worker = Worker(
                pool: queue.pool, verifier: Self.hangingVerifier(continuation), configuration: configuration,
                identity: .test, logger: .test)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for await _ in started { break }
                try await queue.admin.withConnection { admin in
                    try await admin.executeScript("begin; lock table counterfoil.workers in access exclusive mode")
                    try await eventually("the worker is not ready") { !worker.snapshot().health.isReady }
                    #expect(worker.snapshot().health.isAlive)
                    try await admin.executeScript("rollback")
                }
                worker.drain()
                try await group.waitForAll()
            }
        }
    }

    /// Apple may be well again by then, and only who holds the right to probe finds out.
    @Test(.timeLimit(.minutes(3)))
    func aDrainingWorkerLeavesProbesToOthers() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")

            try await Self.drainAmidAnAttempt(queue, within: .seconds(1)) {
                try await queue.closeGate(of: try await queue.submit("b", "MII 2"))
            }

            #expect(try await queue.count("counterfoil.gates where probe_until > now() + interval '5 seconds'") == 0)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerRefusesASchemaThatDoesNotFit() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute(
                "insert into counterfoil.migrations (id, name, checksum, breaking) values (9999, '9999_future', '', true)")
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: Self.configuration(), identity: .test,
                logger: .test)

            await #expect(throws: SchemaMigrator.Problem.schemaIsNewer(migration: "9999_future")) {
                try await worker.run()
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func itIsReadyOnceAClaimWasAnswered() async throws {
        try await QueueFixture.run { queue in
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: Self.configuration(), identity: .test,
                logger: .test)
            let before = worker.snapshot()

            let ready = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for await _ in worker.readiness { break }
                let ready = worker.snapshot()
                worker.drain()
                try await group.waitForAll()
                return ready
            }

            #expect(!before.isReady)
            #expect(before.summary.hasPrefix("waiting for the database"))
            #expect(ready.progress.lastClaim != nil)
            #expect(ready.isReady)
            #expect(ready.summary.hasPrefix("0 of 50 slots busy, 0 to settle, last claim"))
            #expect(worker.snapshot().progress.phase == .draining)
        }
    }
}

extension WorkerEvent {
    fileprivate var isSettled: Bool {
        if case .settled = self { true } else { false }
    }

    fileprivate var isReadingOfGates: Bool {
        if case .gatesRead = self { true } else { false }
    }

    fileprivate var hasNoRoom: Bool {
        if case .foundNoRoom = self { true } else { false }
    }

    fileprivate func isScan(full: Bool) -> Bool {
        if case .scannedForLaneHeads(isFull: full) = self { true } else { false }
    }
}
