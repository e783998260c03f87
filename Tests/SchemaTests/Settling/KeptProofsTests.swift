// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Which proofs are kept when one more comes, and how much of it.
@Suite struct KeptProofsTests {
    /// A proof that was judged.
    struct Judged: Sendable, CustomTestStringConvertible {
        var reason: Reason
        var kind: ProofKind?

        /// Apple signed it.
        static let genuine = Judged(reason: .wrongProduct, kind: .signedTransaction)
        /// It has the form of a signed transaction.
        static let forged = Judged(reason: .badSignature, kind: .signedTransaction)
        static let garbage = Judged(reason: .malformedProof, kind: nil)

        var testDescription: String { "\(kind?.rawValue ?? "nothing") \(reason.rawValue)" }
    }

    /// A shop with the orders a and b of Ann and c of Bob, which were rejected.
    private func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b")
            try await shop.order("c", account: "bob")
            for order in ["a", "b", "c"] { try await shop.settleOrder(order, "rejected", "wrong_product") }
            try await body(shop)
        }
    }

    /// The statement knows a proof by its job; jobs come in order.
    private func keep(
        _ shop: Shop, _ job: Int64, _ proof: String, as judged: Judged, order: String = "a",
        within limits: KeptProofLimits = KeptProofLimits()
    ) async throws {
        _ = try await shop.worker.execute(
            SQLFile.keepProofs.statement,
            [
                .int8Array([job]), .textArray([order]), .textArray([nil]), .textArray([proof]),
                .textArray([judged.reason.rawValue]), .textArray([judged.kind?.rawValue]),
                .int4(Int32(limits.first)), .int4(Int32(limits.latest)), .int4(Int32(limits.unknownBytes)),
                .int4(Int32(limits.unknownBeginning)), .int8(Int64(limits.accountDayBytes)), .int4(Int32(limits.leastBytes)),
            ])
    }

    private func jobs(_ shop: Shop, _ condition: String = "true") async throws -> [String] {
        try await shop.rows("select job_id from counterfoil.proofs where \(condition) order by job_id")
    }

    /// Whoever sends garbage drops garbage: also garbage in the form of a signed transaction.
    @Test func whatAppleSignedIsNeverDroppedByWhatItDidNot() async throws {
        try await open { shop in
            for number in 1...40 {
                if number == 20 { try await keep(shop, 20, "genuine", as: .genuine) }
                try await keep(shop, Int64(100 + number), "forged \(number)", as: .forged)
                try await keep(shop, Int64(200 + number), "garbage \(number)", as: .garbage)
            }

            #expect(try await jobs(shop, "standing = 'verified'") == ["(20)"])
            #expect(try await jobs(shop, "standing = 'recognised'") == ["(101)", "(102)", "(138)", "(139)", "(140)"])
            #expect(try await jobs(shop, "standing = 'unknown'") == ["(201)", "(202)", "(238)", "(239)", "(240)"])
        }
    }

    @Test func theFirstAndTheLatestOfAnOrderAreKept() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.first, limits.latest) = (1, 2)
            for number in 1...5 {
                try await keep(shop, Int64(number), "proof \(number)", as: .genuine, within: limits)
                try await keep(shop, Int64(10 + number), "proof \(number)", as: .genuine, order: "b", within: limits)
            }

            #expect(try await jobs(shop) == ["(1)", "(4)", "(5)", "(11)", "(14)", "(15)"])
        }
    }

    @Test func theSameContentIsOneRowThatWasShownLately() async throws {
        try await open { shop in
            for number in 1...4 { try await keep(shop, Int64(number), "forged \(number)", as: .forged) }
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '80 days' + job_id * interval '1 minute'")

            try await keep(shop, 5, "forged 3", as: Judged(reason: .untrustedRoot, kind: .signedTransaction))
            for number in 6...7 { try await keep(shop, Int64(number), "forged \(number)", as: .forged) }

            #expect(
                try await shop.rows(
                    "select job_id, reason, kept_at > now() - interval '1 minute' from counterfoil.proofs order by job_id")
                    == [
                        "(1,bad_signature,f)", "(2,bad_signature,f)", "(3,untrusted_root,t)", "(6,bad_signature,t)",
                        "(7,bad_signature,t)",
                    ])
        }
    }

    /// The reader passes over it: a padded one is no other proof.
    @Test func whiteSpaceMakesNoOtherSignedTransaction() async throws {
        try await open { shop in
            try await keep(shop, 1, " eyJ.a.b\t\r\n", as: .genuine)
            try await keep(shop, 2, String(repeating: " ", count: 1 << 20) + "eyJ.a\n.b", as: .genuine)
            try await keep(shop, 3, "MII \n", as: Judged(reason: .wrongProduct, kind: .appReceipt))

            #expect(
                try await shop.rows("select job_id, proof, proof_bytes from counterfoil.proofs order by job_id")
                    == ["(1,eyJ.a.b,7)", "(3,\"MII \n\",5)"])
        }
    }

    /// A space of base64 may be a plus: without it nobody could judge the proof again.
    @Test func whiteSpaceInTheBase64OfASignedTransactionIsKept() async throws {
        try await open { shop in
            try await keep(shop, 1, "ZXlK a\n", as: .genuine)
            try await keep(shop, 2, "\"eyJ.a.b\" ", as: .genuine)

            #expect(
                try await shop.rows("select octet_length(proof) from counterfoil.proofs order by job_id") == ["(7)", "(10)"])
        }
    }

    @Test func whatWasVerifiedOnceStaysSo() async throws {
        try await open { shop in
            try await keep(shop, 1, "eyJ", as: .genuine)

            try await keep(shop, 2, "eyJ", as: .forged)

            #expect(try await shop.rows("select job_id, standing, reason from counterfoil.proofs") == ["(1,verified,bad_signature)"])
        }
    }

    /// Their length and hash stay, and nobody judges a part of a proof.
    @Test func aLongProofThatNobodyUnderstandsIsCut() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.unknownBytes, limits.unknownBeginning) = (100, 10)
            try await keep(shop, 1, String(repeating: "x", count: 100), as: .garbage, within: limits)
            try await keep(shop, 2, String(repeating: "é", count: 100), as: .garbage, within: limits)
            try await keep(shop, 3, String(repeating: "è", count: 100), as: .forged, within: limits)

            #expect(
                try await shop.rows(
                    """
                    select job_id, octet_length(proof), proof_bytes, proof_hash = sha256(convert_to(repeat('é', 100), 'UTF8'))
                    from counterfoil.proofs order by job_id
                    """) == ["(1,100,100,f)", "(2,20,200,t)", "(3,200,200,f)"])
            let count = try await shop.worker.execute(
                SQLFile.countProofs.statement, [.text("malformed_proof"), .text(nil), .text(nil), .timestamp(nil)])
            #expect(try count.map { try $0.int64(3) } == [1])
            let requeued = try await shop.worker.execute(
                SQLFile.requeueProofs.statement,
                [
                    .text("malformed_proof"), .text(nil), .text(nil), .timestamp(nil), .int8(0), .int4(10), .text("eve"),
                    .text("test"),
                ])
            #expect(try requeued.map { try $0.int64(0) } == [1])
        }
    }

    @Test func anAccountKeepsSoManyBytesADay() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.accountDayBytes, limits.leastBytes) = (300, 1)
            func big(_ character: String) -> String { String(repeating: character, count: 100) }
            for number in 1...3 { try await keep(shop, Int64(number), big("\(number)"), as: .forged, within: limits) }

            // Beyond the limit: not kept.
            try await keep(shop, 4, big("4"), as: .forged, order: "b", within: limits)
            // Another standing, another account.
            try await keep(shop, 5, big("5"), as: .genuine, order: "b", within: limits)
            try await keep(shop, 6, big("6"), as: .forged, order: "c", within: limits)
            // A day later.
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '25 hours' where job_id = 1")
            try await keep(shop, 7, big("7"), as: .forged, order: "b", within: limits)

            #expect(try await jobs(shop) == ["(1)", "(2)", "(3)", "(5)", "(6)", "(7)"])
        }
    }

    /// A dropped proof takes the disk until a vacuum, and longer if others came behind it.
    @Test func droppedProofsCountForTheirDay() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.first, limits.latest, limits.accountDayBytes, limits.leastBytes) = (1, 1, 500, 100)
            for number in 1...9 { try await keep(shop, Int64(number), "forged \(number)", as: .forged, within: limits) }

            // What isn't kept drops nothing.
            #expect(try await shop.rows("select job_id, day_bytes from counterfoil.proofs order by job_id") == ["(1,100)", "(5,400)"])
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '25 hours'")
            try await keep(shop, 10, "forged 10", as: .forged, within: limits)
            #expect(try await shop.rows("select job_id, day_bytes from counterfoil.proofs order by job_id") == ["(1,100)", "(10,100)"])
        }
    }

    /// Small ones can't be so many that adding them up takes long.
    @Test func aProofCountsForAtLeastSoManyBytes() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.accountDayBytes, limits.leastBytes) = (300, 100)
            for number in 1...4 { try await keep(shop, Int64(number), "\(number)", as: .garbage, within: limits) }

            #expect(try await jobs(shop) == ["(1)", "(2)", "(3)"])
        }
    }

    @Test(arguments: ["review", "refunded"])
    func theProofThatDecidesItsOrderIsNeitherCutNorDropped(state: String) async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.first, limits.latest, limits.accountDayBytes) = (1, 1, 20_000)
            let deciding = Judged(reason: .ownerMismatch, kind: .signedTransaction)
            let long = String(repeating: "x", count: 1 << 20)
            try await keep(shop, 1, "eyJ 1", as: .genuine, within: limits)
            try await shop.run("update counterfoil.orders set state = '\(state)', reason = 'owner_mismatch', transaction_id = '1', environment = 'production' where order_id = 'a'")
            try await keep(shop, 2, long, as: deciding, within: limits)
            // What follows decides nothing, though it has the same reason.
            try await keep(shop, 3, long + "3", as: deciding, within: limits)
            for number in 4...8 { try await keep(shop, Int64(number), "eyJ \(number)", as: .genuine, within: limits) }
            try await keep(shop, 9, long, as: .genuine, within: limits)
            for number in 10...12 { try await keep(shop, Int64(number), "eyJ \(number)", as: .genuine, within: limits) }

            #expect(
                try await shop.rows("select job_id, reason, decides_order from counterfoil.proofs order by job_id")
                    == ["(1,wrong_product,f)", "(2,owner_mismatch,t)", "(12,wrong_product,f)"])
            try await shop.run("update counterfoil.orders set state = 'rejected' where order_id = 'a'")
            limits.accountDayBytes = 1 << 24
            try await keep(shop, 13, "eyJ 13", as: .genuine, within: limits)
            #expect(try await jobs(shop) == ["(1)", "(13)"])
        }
    }

    @Test func theDecidingProofIsKeptWholeThoughItsAccountHasNoBytesLeft() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.unknownBytes, limits.unknownBeginning) = (10, 3)
            try await keep(shop, 1, "garbage", as: .garbage, order: "b", within: limits)
            try await shop.run("update counterfoil.orders set state = 'review', reason = 'unknown_answer' where order_id = 'a'")
            limits.accountDayBytes = 1

            try await keep(shop, 2, String(repeating: "x", count: 20), as: Judged(reason: .unknownAnswer), within: limits)

            #expect(try await shop.rows("select job_id, octet_length(proof), decides_order from counterfoil.proofs order by job_id") == ["(1,7,f)", "(2,20,t)"])
        }
    }

    @Test func aProofWithoutAVerdictIsNeitherCutNorDropped() async throws {
        try await open { shop in
            var limits = KeptProofLimits()
            (limits.first, limits.latest, limits.unknownBytes, limits.unknownBeginning) = (1, 1, 1, 1)
            limits.accountDayBytes = 1
            for number in 1...4 {
                try await keep(shop, Int64(number), "eyJ \(number)", as: Judged(reason: .settlementRefused), within: limits)
            }

            #expect(try await shop.rows("select distinct standing from counterfoil.proofs") == ["(unjudged)"])
            #expect(try await shop.count("counterfoil.proofs where octet_length(proof) = 5") == 4)
        }
    }

    @Test func anOperatorsCancelledProofIsKeptWhole() async throws {
        try await open { shop in
            let garbage = String(repeating: "x", count: 300_000)
            try await keep(shop, 1, garbage, as: .garbage)
            let id = try await shop.upload("a", garbage)

            _ = try await shop.worker.execute(SQLFile.cancelJob.statement, [.int8(id), .text("me"), .text("why")])

            #expect(
                try await shop.rows("select job_id, octet_length(proof), standing, reason from counterfoil.proofs")
                    == ["(1,300000,unjudged,discarded_by_operator)"])
        }
    }

    /// A new reason needs a row here: what is said of a proof decides what may drop it.
    private static func standing(of reason: Reason) -> String {
        switch reason {
        case .malformedProof, .proofTooLarge: "unknown"
        case .badCertificate, .untrustedRoot, .badSignature, .unsupportedEnvironment, .unsupportedEncoding, .notAuthentic,
            .customerNotFound, .wrongApp:
            "recognised"
        case .appStoreUnavailable, .credentialRefused, .crashedRepeatedly, .settlementRefused, .unstorable, .discardedByOperator:
            "unjudged"
        case .wrongProduct, .sandboxNotAllowed, .familyShared, .assignedSeat, .alreadyGranted, .alreadyOwned,
            .grantedToAnotherAccount, .purchaseNotInReceipt, .transactionNotFound, .ownerMismatch, .tokenMissing,
            .quantityShort, .unknownProduct, .productKindMismatch, .purchaseBeforeOrder, .beforeLedger,
            .boughtAgainAfterRevocation, .partlyRefunded, .seatsAdded, .refundReversed, .subscriptionUnconfirmed,
            .unsupportedYet, .unknownAnswer, .rateLimited, .configuration, .closedByOperator, .anotherPayment, .refunded,
            .orderCancelled, .orderAlreadyPaid, .renewal, .noOrder:
            "verified"
        }
    }

    /// A bare id proves nothing.
    @Test func eachReasonGivesAProofItsStanding() async throws {
        try await open { shop in
            for reason in Reason.allCases {
                let kinds: [ProofKind?] = [.appReceipt, .signedTransaction, .transactionID, nil]
                for (job, kind) in zip(Int64(1)..., kinds) {
                    try await keep(shop, job, "\(job)", as: Judged(reason: reason, kind: kind))
                }
                let standing = Self.standing(of: reason)
                let expected =
                    standing == "verified"
                    ? ["verified", "verified", "recognised", "unknown", "unknown"]
                    : standing == "recognised"
                        ? ["recognised", "recognised", "recognised", "unknown", "unknown"] : Array(repeating: standing, count: 5)

                #expect(
                    try await shop.rows("select standing from counterfoil.proofs order by job_id") == expected.map { "(\($0))" },
                    "\(reason)")
                try await shop.run("delete from counterfoil.proofs")
            }
        }
    }
}
