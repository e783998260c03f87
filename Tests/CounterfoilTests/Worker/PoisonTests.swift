// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A job that brought workers down is attempted in a process of its own, and only what that process suffers counts.
@Suite struct PoisonTests {
    @Test(.timeLimit(.minutes(3)))
    func aRescuedJobIsSettledByAProcessOfItsOwn() async throws {
        try await Shop.run { shop in
            try await shop.submit("rescued", proof: shop.signedTransaction())
            try await shop.execute("update counterfoil.jobs set rescues = 2")

            let ended = try await shop.whileWorking { worker in
                try await worker.log.line(containing: "attempting in a process of its own")
                try await worker.log.line(containing: "order.id=rescued")
            }

            let order = try await shop.order("rescued")
            #expect(order.state == "fulfilled")
            #expect(order.history.map(\.disposition) == ["complete"])
            #expect(ended.status == .exited(0))
        }
    }

    /// Only its own process learns what the probe finds out.
    @Test(.timeLimit(.minutes(3)))
    func aRescuedJobOpensTheGateThatItProbes() async throws {
        try await Shop.run { shop in
            try await shop.submit("rescued", proof: shop.signedTransaction())
            try await shop.execute("update counterfoil.jobs set rescues = 2")
            try await shop.execute(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'breaker', closed_for = 'test', why = 'test',
                    closed_at = now(), probe_at = now()
                where lane in (select lane from counterfoil.jobs)
                """)

            _ = try await shop.whileWorking { worker in
                try await worker.log.line(containing: "order.id=rescued")
                try await worker.log.line(containing: "gate opened")
            }

            #expect(try await shop.order("rescued").state == "fulfilled")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func threeCrashesAloneDiscardAJobAndNobodyElses() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("poison", proof: shop.receipt().base64)
                try await shop.execute("update counterfoil.jobs set rescues = 2")
                let job = try #require(try await shop.order("poison").jobs.first)
                let changes = ["COUNTERFOIL_RETRY_DELAY_CAP": "10ms"]

                try await shop.whileWorking(changes) { worker in
                    for crash in 1...3 {
                        try await worker.log.line(containing: "attempting in a process of its own", count: crash)
                        let child = try await Self.child(of: worker, attempting: job.id)
                        kill(child, SIGKILL)
                        try await worker.log.line(containing: "an attempt crashed alone", count: crash)
                        try await shop.submit("bystander-\(crash)", proof: shop.signedTransaction())
                        try await worker.log.line(containing: "order.id=bystander-\(crash)")
                    }
                    try await worker.log.line(containing: "disposition=discard")
                }

                let order = try await shop.order("poison")
                #expect(order.state == "review")
                #expect(order.reason == "crashed_repeatedly")
                #expect(order.client_action == "contact_support")
                #expect(order.jobs == [.init(id: job.id, state: "discarded", rescues: 2, crashes: 3)])
                #expect(order.history.suffix(3).map(\.message) == Array(repeating: "its own process ended: signal 9", count: 3))
                for crash in 1...3 {
                    #expect(try await shop.order("bystander-\(crash)").state == "fulfilled")
                }
            }
        }
    }

    /// The process that attempts a job, as soon as it is there.
    private static func child(of worker: Program.Running, attempting job: Int64) async throws -> Int32 {
        var found: Int32?
        try await eventually("a process attempts job \(job)") {
            found = ProcessTable.children(of: worker.processID)
                .first { $0.commandLine.contains("attempt --job \(job) ") }?.processID
            return found != nil
        }
        return try #require(found)
    }

    @Test(.timeLimit(.minutes(3)))
    func anAttemptThatAppleDoesNotAnswerIsNoCrash() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("slow", proof: shop.receipt().base64)
                try await shop.execute("update counterfoil.jobs set rescues = 2")
                let changes = ["COUNTERFOIL_ATTEMPT_DEADLINE": "1s", "COUNTERFOIL_LEASE_DURATION": "10s"]

                try await shop.whileWorking(changes) { _ in
                    try await shop.wait(until: "exists (select from counterfoil.attempts where disposition = 'retry')")
                }

                let order = try await shop.order("slow")
                #expect(order.history.contains { $0.disposition == "retry" && $0.reason == "app_store_unavailable" })
                #expect(order.jobs.map(\.crashes) == [0])
            }
        }
    }

    /// A shop that holds a lock for long must not make a payment look like poison.
    @Test(.timeLimit(.minutes(3)))
    func aDatabaseThatKeepsAnAttemptWaitingIsNoCrash() async throws {
        try await Shop.run { shop in
            try await shop.submit("waiting", proof: shop.signedTransaction())
            try await shop.execute("update counterfoil.jobs set rescues = 2")
            let changes = ["COUNTERFOIL_ATTEMPT_DEADLINE": "1s", "COUNTERFOIL_LEASE_DURATION": "10s"]

            try await shop.database.withConnection { connection in
                _ = try await connection.execute("begin")
                _ = try await connection.execute("lock table counterfoil.payments in share mode")
                try await shop.whileWorking(changes) { worker in
                    try await worker.log.line(containing: "somebody has locked what an attempt is about")
                    _ = try await connection.execute("commit")
                    try await shop.wait(until: "exists (select from counterfoil.grants)")
                }
            }

            let order = try await shop.order("waiting")
            #expect(order.state == "fulfilled")
            #expect(order.history.map(\.message).contains("somebody else's lock was in the way"))
            #expect(!order.history.contains { $0.message?.contains("process ended") == true })
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aStopOfTheWorkerIsNoCrash() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("stopped", proof: shop.receipt().base64)
                try await shop.execute("update counterfoil.jobs set rescues = 2")

                let ended = try await shop.whileWorking(["COUNTERFOIL_DRAIN_DURATION": "10ms"]) { worker in
                    _ = try await simulator.statistics { $0.inFlight > 0 }
                    // As systemd does, which signals the whole group.
                    for child in ProcessTable.children(of: worker.processID) {
                        kill(child.processID, SIGTERM)
                    }
                }

                let order = try await shop.order("stopped")
                #expect(ended.status == .exited(0))
                #expect(order.state == "open")
                #expect(order.jobs.map(\.crashes) == [0])
                #expect(order.jobs.map(\.state) == ["available"])
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAttemptUnderALostLeaseChangesNothing() async throws {
        try await Shop.run { shop in
            try await shop.submit("waiting", proof: shop.signedTransaction())
            let job = try #require(try await shop.order("waiting").jobs.first)

            let ended = try await Program.run(
                [
                    "attempt", "--job", "\(job.id)", "--lease-token", "5", "--attempt-milliseconds", "1000",
                    "--lease-milliseconds", "2000",
                ], environment: shop.environment)

            #expect(ended.status == .exited(0))
            #expect(try await shop.order("waiting").jobs == [job])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAttemptWithoutADatabaseHandsTheJobBack() async throws {
        let ended = try await Program.run(
            ["attempt", "--job", "1", "--lease-token", "1", "--attempt-milliseconds", "1", "--lease-milliseconds", "1"],
            environment: ["COUNTERFOIL_SLOTS": "nonsense"])

        #expect(ended.status == .exited(75))
        #expect(ended.errorLines.count == 1)
    }
}
