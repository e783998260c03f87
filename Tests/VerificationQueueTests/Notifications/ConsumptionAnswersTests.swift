// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Answers to Apple's questions about refunds, from the decision to Apple.
@Suite struct ConsumptionAnswersTests {
    /// Apple asks about a payment that an order was granted.
    private func ask(about id: String = "1", _ queue: QueueFixture) async throws -> UUID {
        let uuid = UUID()
        try await queue.submit("order \(id)", "eyJ \(id)")
        try await queue.work { .sample(id: $0) }
        try await queue.receive(QueueFixture.notificationText("CONSUMPTION_REQUEST", uuid: uuid, signedAt: Date()))
        let job = try #require(try await queue.claim().first { $0.work.kind == .notification })
        try #require(
            try await queue.settle(Settlement(job, recording: Told("CONSUMPTION_REQUEST", .sample(id: id)).effects))
                == [.settled(.unchanged)])
        return uuid
    }

    private func answer(_ question: UUID, with more: String = "", _ queue: QueueFixture) async throws {
        try await queue.admin.execute(
            "select counterfoil.answer_consumption_request($1::uuid, 'a test', customer_consented => true\(more))", [.uuid(question)])
    }

    private func sender(_ verifier: ScriptedVerifier, _ queue: QueueFixture) -> ConsumptionAnswers {
        ConsumptionAnswers(pool: queue.pool, verifier: verifier, retry: RetryPolicy(), logger: .test)
    }

    private func state(_ queue: QueueFixture) async throws -> String? {
        try await queue.text("select string_agg(state, ' ' order by id) from counterfoil.consumption_answers")
    }

    /// What waits is due now.
    private func pass(_ queue: QueueFixture) async throws {
        try await queue.admin.execute("update counterfoil.consumption_answers set next_at = now(), lease_expires_at = null")
    }

    private static let down = VerificationFailure(.transient, .appStoreUnavailable, message: "down")

    @Test func anAnswerIsSentOnceByTheWorkersWithinTheBudget() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier()
            for id in ["1", "2"] {
                try await answer(
                    try await ask(about: id, queue), with: ", consumed_share => 33.333, refund_preference => 'grant_prorated'", queue)
            }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 { group.addTask { try await sender(verifier, queue).send() } }
                try await group.waitForAll()
            }

            #expect(verifier.sentConsumptions.map(\.id).sorted() == ["1", "2"])
            let sent = try #require(verifier.sentConsumptions.first)
            #expect(
                sent.answer
                    == ConsumptionAnswer(deliveryStatus: .delivered, consumedShare: 33_333, refundPreference: .grantProrated))
            #expect(sent.environment == .production)
            #expect(try await state(queue) == "sent sent")
            #expect(
                try await queue.count(
                    "counterfoil.budgets where endpoint = 'send_consumption_information' and next_call_at > '-infinity'") == 1)
            #expect(try await queue.order("order 1").state == .fulfilled)
            #expect(try await queue.faults() == [])
        }
    }

    /// Nothing is sent that nobody decided, nor what was declined.
    @Test func aQuestionWithoutAnAnswerIsNotAnswered() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier()
            _ = try await ask(about: "1", queue)
            let declined = try await ask(about: "2", queue)
            try await queue.admin.execute("select counterfoil.decline_consumption_request($1::uuid, 'a test')", [.uuid(declined)])

            try await sender(verifier, queue).send()

            #expect(verifier.sentConsumptions == [])
        }
    }

    @Test func anOutageDelaysAnAnswerAndLosesNone() async throws {
        try await QueueFixture.run { queue in
            try await answer(try await ask(queue), queue)
            let down = ScriptedVerifier(consumption: { _ throws(VerificationFailure) in throw Self.down })
            let up = ScriptedVerifier()

            for _ in 1...3 {
                try await sender(down, queue).send()
                #expect(try await state(queue) == "waiting")
                #expect(try await queue.text("select decision_error from counterfoil.consumption_request_status") == "down")
                try await pass(queue)
            }
            try await sender(up, queue).send()

            // A delay may be next to nothing.
            #expect(down.sentConsumptions.count >= 3 && up.sentConsumptions.count == 1)
            #expect(try await state(queue) == "sent")
            let attempts = try await queue.text("select attempts from counterfoil.consumption_answers")
            #expect(attempts == String(down.sentConsumptions.count + 1))
            #expect(try await queue.text("select error from counterfoil.consumption_answers") == nil)
        }
    }

    /// It waits for its turn, and isn't called again at once.
    @Test func aFailedAnswerIsNotDueAtOnce() async throws {
        try await QueueFixture.run { queue in
            try await answer(try await ask(queue), queue)
            let refusing = ScriptedVerifier(consumption: { _ throws(VerificationFailure) in
                throw VerificationFailure(.credentialRefused, .credentialRefused, message: "the key is refused")
            })

            for _ in 1...3 { try await sender(refusing, queue).send() }

            #expect(refusing.sentConsumptions.count == 1)
            #expect(refusing.credentialReloads == 1)
            #expect(try await state(queue) == "waiting")
        }
    }

    /// The refusal is for good; an answer with other words follows.
    @Test func whatAppleRefusesMayBeAnsweredOtherwise() async throws {
        try await QueueFixture.run { queue in
            let question = try await ask(queue)
            try await answer(question, queue)
            let refusing = ScriptedVerifier(consumption: { _ throws(VerificationFailure) in "answered 4000047" })

            for _ in 1...2 {
                try await sender(refusing, queue).send()
                try await pass(queue)
            }
            #expect(refusing.sentConsumptions.count == 1)
            #expect(try await state(queue) == "refused")
            #expect(
                try await queue.text("select decision || ' ' || decision_error from counterfoil.consumption_request_status")
                    == "refused answered 4000047")

            try await answer(question, with: ", refund_preference => 'decline'", queue)
            let taking = ScriptedVerifier()
            try await sender(taking, queue).send()

            #expect(taking.sentConsumptions.map(\.answer.refundPreference) == [.decline])
            #expect(try await state(queue) == "refused sent")
        }
    }

    /// After its deadline, and after Apple decided, nobody is called.
    @Test(arguments: ["deadline = now()", "closed_at = now()"])
    func whatIsTooLateIsNotSent(change: String) async throws {
        try await QueueFixture.run { queue in
            try await answer(try await ask(queue), queue)
            try await queue.admin.execute("update counterfoil.consumption_requests set \(change)")
            let verifier = ScriptedVerifier()

            try await sender(verifier, queue).send()

            #expect(verifier.sentConsumptions == [])
            #expect(try await state(queue) == "late")
            #expect(try await queue.order("order 1").state == .fulfilled)
        }
    }

    /// An operator's word, or a key at fault: nothing is called, and nothing is lost.
    @Test func aClosedGateHoldsAnswersBack() async throws {
        try await QueueFixture.run { queue in
            try await answer(try await ask(queue), queue)
            try await queue.admin.execute(
                """
                update counterfoil.gates set state = 'closed', closed_by = 'operator', closed_for = 'eve', why = 'x', closed_at = now()
                where route = 'server_api' and environment = 'production'
                """)
            let verifier = ScriptedVerifier()

            try await sender(verifier, queue).send()
            #expect(verifier.sentConsumptions == [])
            #expect(try await state(queue) == "waiting")
            try await queue.admin.execute(
                "update counterfoil.gates set state = 'open', closed_by = null, closed_for = null, why = null, closed_at = null")
            try await sender(verifier, queue).send()

            #expect(verifier.sentConsumptions.count == 1)
        }
    }

    /// A worker that died holds it for a minute, then another sends it. What the first says later counts no more.
    @Test func aDeadWorkersAnswerIsSentAgainOnceItsLeaseIsOver() async throws {
        try await QueueFixture.run { queue in
            try await answer(try await ask(queue), queue)
            let verifier = ScriptedVerifier()
            let slow = ScriptedVerifier(consumption: { _ throws(VerificationFailure) in
                do {
                    // Another worker's claim, while this one is held to be dead.
                    try await queue.admin.execute("update counterfoil.consumption_answers set lease_expires_at = now()")
                    try await ConsumptionAnswers(pool: queue.pool, verifier: verifier, retry: RetryPolicy(), logger: .test).send()
                } catch {
                    throw VerificationFailure(.transient, .appStoreUnavailable, message: "\(error)")
                }
                return "a refusal that came too late"
            })

            try await sender(slow, queue).send()

            #expect(slow.sentConsumptions.count == 1 && verifier.sentConsumptions.count == 1)
            #expect(try await state(queue) == "sent")
        }
    }
}
