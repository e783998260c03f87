// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification
import VerificationQueue

/// Periods that a receipt shows as cancelled: refunded, or given up for an upgrade.
@Suite struct CancelledPeriodTests {
    private static let cancelled = Date()

    private static func period(_ id: String, product: String = "coins", isCancelled: Bool = true) -> Transaction {
        .sample(id: id, product: product, kind: .autoRenewable, revoked: isCancelled ? cancelled : nil, webOrder: "w" + id)
    }

    /// Apple's word of now about a period.
    private static func known(
        _ id: String, product: String = "coins", original: String? = nil, _ share: Revocation.Share?
    ) -> TransactionInfo {
        var transaction = Transaction.sample(
            id: id, original: original, product: product, kind: .autoRenewable, webOrder: "w" + id)
        transaction.revocation = share.map { Revocation(.signedTransaction, date: cancelled, share: $0) }
        return .known(transaction)
    }

    private func attempt(
        _ receipt: [Transaction], isSigned: Bool = false, route: ReceiptRoute = .localThenAPI, recorded: Set<String> = [],
        look: @escaping ScriptedVerifier.Look
    ) async -> (settlement: Settlement, asked: [String]) {
        let asked = Asked()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .transactions(VerifiedTransactions(receipt, mayBeIncomplete: !isSigned))
            },
            look: { id, environment throws(VerificationFailure) in
                asked.add(id)
                return try await look(id, environment)
            })
        let lane = route == .localThenAPI ? Sample.apiProduction : Sample.local
        let job = Sample.job(
            proof: isSigned ? "eyJ" : "MII", lane: lane,
            policy: AppPolicy(allowsSandbox: true, receiptRoute: route))
        let attempt = await AttemptRunner.sample(verifier, revoked: recorded).attempt(job, deadline: .now + .seconds(60))
        return (attempt.settlement, asked.ids)
    }

    @Test func refundThatAppleConfirmsTakesThePeriodBack() async {
        let (settlement, asked) = await attempt([Self.period("1")]) { id, _ throws(VerificationFailure) in
            Self.known(id, .whole)
        }

        #expect(asked == ["1"])
        #expect(settlement.heaviestObjections == [.refunded])
        #expect(settlement.revoked.map(\.id.rawValue) == ["1"])
        #expect(settlement.revoked.map(\.revocation?.source) == [.signedTransaction])
    }

    @Test func periodThatAppleCallsPaidPaysForTheOrder() async {
        let (settlement, _) = await attempt([Self.period("1")]) { id, _ throws(VerificationFailure) in Self.known(id, nil) }

        #expect(settlement.heaviestObjections == [nil])
        #expect(settlement.revoked.allSatisfy { !$0.isRefunded })
    }

    @Test func periodOfWhichAppleRefundedAPartIsKept() async {
        let (settlement, _) = await attempt([Self.period("1")]) { id, _ throws(VerificationFailure) in
            Self.known(id, .part(40_000))
        }

        #expect(settlement.heaviestObjections == [.partlyRefunded])
        #expect(settlement.revoked.allSatisfy { !$0.isRefunded })
    }

    @Test func anotherProductsPeriodIsAskedAboutToo() async {
        let (settlement, asked) = await attempt([Self.period("1", product: "gold"), Self.period("2", isCancelled: false)]) {
            id, _ throws(VerificationFailure) in id == "1" ? Self.known(id, product: "gold", .whole) : Self.known(id, nil)
        }

        #expect(asked == ["1", "2"])
        #expect(settlement.revoked.map(\.id.rawValue) == ["1"])
        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["2"])
    }

    @Test func periodThatAppleDoesNotKnowIsNotTakenBack() async {
        let (settlement, _) = await attempt([Self.period("1", product: "gold")]) { _, _ throws(VerificationFailure) in .notFound }

        #expect(settlement.revoked.allSatisfy { !$0.isRefunded })
        #expect(settlement.others.map(\.transaction.id.rawValue) == ["1"])
        #expect(settlement.heaviestObjectionsToOthers == [.partlyRefunded])
    }

    @Test func refundThatTheLedgerHoldsIsNotAskedAboutAgain() async {
        let (settlement, asked) = await attempt([Self.period("1", product: "gold")], recorded: ["1"]) {
            id, _ throws(VerificationFailure) in Self.known(id, nil)
        }

        #expect(asked.isEmpty)
        #expect(settlement.revoked.map(\.id.rawValue) == ["1"])
    }

    @Test func ofManyPeriodsOnlySoManyAreAskedAbout() async {
        let periods = (1...AttemptRunner.confirmations + 2).map { Self.period(String(1000 + $0), product: "gold") }

        let (settlement, asked) = await attempt(periods) { id, _ throws(VerificationFailure) in
            Self.known(id, product: "gold", .whole)
        }

        #expect(asked.count == AttemptRunner.confirmations)
        #expect(settlement.revoked.filter(\.isRefunded).count == AttemptRunner.confirmations)
        #expect(settlement.heaviestObjectionsToOthers == [.partlyRefunded, .partlyRefunded])
    }

    @Test func answerAboutAnotherPurchaseIsNotBelieved() async {
        let (settlement, _) = await attempt([Self.period("1")]) { id, _ throws(VerificationFailure) in
            Self.known(id, original: "9", .whole)
        }

        #expect(settlement.reason == .unknownAnswer)
        #expect(settlement.revoked.isEmpty && !settlement.ends)
    }

    /// Nobody is asked: the receipt leaves open whether it was an upgrade.
    @Test func appThatAsksNobodyTakesNoPeriodBack() async {
        let (settlement, asked) = await attempt([Self.period("1")], route: .localOnly) { id, _ throws(VerificationFailure) in
            Self.known(id, .whole)
        }

        #expect(asked.isEmpty)
        #expect(settlement.heaviestObjections == [.partlyRefunded])
        #expect(settlement.revoked.allSatisfy { !$0.isRefunded })
    }

    /// The receipt is shown again and again; its order, and those that it pays since, are left as they are. "second" is made after
    /// the period.
    @Test(arguments: ["its own order", "an order whose purchase the receipt lacks", "an order that the next period pays"])
    func appThatAsksNobodyAlertsOnce(shownFor shower: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set receipt_route = 'local_only'")
            try await queue.listPlus()
            let period = Transaction.sample(
                id: "1", product: "plus", kind: .autoRenewable, purchased: Date(timeIntervalSinceNow: -3_600), webOrder: "w1")
            try await queue.place("first", product: "plus", minutesAgo: 61)
            try await queue.upload("first", product: "plus")
            try await queue.settle(period, for: "first")
            let next = Transaction.sample(id: "2", original: "1", product: "plus", kind: .autoRenewable, webOrder: "w2")
            let isNext = shower == "an order that the next period pays"
            let order = shower == "its own order" ? "first" : "second"

            var alerts: [Bool] = []
            for _ in 0..<3 {
                var cancelled = period
                cancelled.revocation = .whole(Self.cancelled, by: .receipt, asOf: Date())
                try await queue.submit(order, "MII", product: "plus")
                alerts.append(try await isAlert([cancelled] + (isNext ? [next] : []), queue))
            }

            #expect(alerts == [true, false, false])
            #expect(try await queue.order("first") == OrderFacts(.fulfilled, by: "1"))
            if order == "second" { #expect(try await queue.order("second").state == (isNext ? .fulfilled : .open)) }
            #expect(
                try await queue.text(
                    "select string_agg(kind || coalesce(share, 0), ',') from counterfoil.changes where kind like '%refund%'")
                    == "order_partly_refunded0")
            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// Attempts and settles the first job that is due.
    ///
    /// - Returns: whether it is an alert.
    private func isAlert(_ receipt: [Transaction], _ queue: QueueFixture) async throws -> Bool {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions(receipt, mayBeIncomplete: true))
        }
        let runner = try await queue.runner(verifier)
        let job = try #require(try await queue.claim().first)
        let settlement = await runner.attempt(job, deadline: .now + .seconds(60)).settlement
        let results = try await SettlementStore(pool: queue.pool, workerID: queue.worker).settle([settlement]).results
        return try #require(results.first).recordsRefundOfPart
    }

    /// What is bought once can't be upgraded.
    @Test(arguments: [ReceiptRoute.localThenAPI, .localOnly])
    func purchaseThatIsNoPeriodIsTakenBackByItsReceipt(_ route: ReceiptRoute) async {
        let bought = Transaction.sample(id: "1", product: "gold", kind: nil, revoked: Self.cancelled)

        let (settlement, asked) = await attempt([bought], route: route) { _, _ throws(VerificationFailure) in .notFound }

        #expect(asked.isEmpty)
        #expect(settlement.revoked.map(\.id.rawValue) == ["1"])
    }

    @Test func signedTransactionsWordNeedsNoOther() async {
        var signed = Self.period("1")
        signed.revocation = .whole(Self.cancelled, by: .signedTransaction)

        let (settlement, asked) = await attempt([signed], isSigned: true) { _, _ throws(VerificationFailure) in .notFound }

        #expect(asked.isEmpty)
        #expect(settlement.revoked.map(\.id.rawValue) == ["1"])
    }
}
