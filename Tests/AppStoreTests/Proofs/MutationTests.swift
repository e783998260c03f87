// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Damage at random, in numbers: nothing crashes, and nothing that is damaged is taken for genuine.
@Suite
struct MutationTests {
    /// Printed with a failure by way of the arguments, so that it can be repeated.
    private static let seeds: [UInt64] = [1, 2, 3, 4]
    private static let rounds = 5000

    @Test(arguments: seeds)
    func damagedSignedTransactionNeverVerifies(seed: UInt64) async throws {
        var mutator = Mutator(seed: seed)
        let fixture = try SigningFixture()
        let verifier = try fixture.verifier()
        let genuine = try fixture.transaction().signedTransaction(by: fixture.authority)
        _ = try await verifier.verify(genuine)
        var verified = 0

        for _ in 0..<Self.rounds {
            let damaged = Self.damaged(genuine, by: &mutator)
            guard case .signedTransaction(let jws)? = (try? ProofReader().read(damaged))?.proof, jws != genuine else { continue }
            if case .success = await SigningFixture.verdict(of: verifier, on: jws) { verified += 1 }
        }

        #expect(verified == 0)
    }

    @Test(arguments: seeds)
    func damagedReceiptIsReadAsAReceiptOrRefused(seed: UInt64) throws {
        var mutator = Mutator(seed: seed)
        let receipt = try SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")]).base64
        var others = 0

        for _ in 0..<Self.rounds {
            let text = String(decoding: mutator.damaged(Array(receipt.utf8)), as: UTF8.self)
            switch (try? ProofReader().read(text))?.proof {
            case .appReceipt(let base64)?:
                if base64.utf8.count % 4 != 0 { others += 1 }
            case .signedTransaction?, .transactionID?:
                others += 1
            case nil:
                continue
            }
        }

        #expect(others == 0)
    }

    @Test(arguments: seeds)
    func damagedAnswerNeverShowsMorePurchasesThanItHas(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        let entries = (1...3).map { number in
            #"{"product_id":"coins","transaction_id":"\#(number)","purchase_date_ms":"1769850000000","quantity":"1"}"#
        }
        let body =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","in_app":["#
            + entries.joined(separator: ",") + #"]},"latest_receipt_info":[],"is_retryable":1}"#
        var most = 0

        for _ in 0..<Self.rounds {
            let answer = VerifyReceiptAnswer(host: .production, proof: .appReceipt("MIIT"), bundleID: SimulatedStore.bundleID)
            let damaged = HTTPResponse(status: 200, body: Data(mutator.damaged(Array(body.utf8))))
            let evidence = try? answer.evidence(in: damaged)
            if case .transactions(let transactions)? = evidence { most = max(most, transactions.all.count) }
        }

        #expect((1...3).contains(most))
    }

    /// Hurts the text, or one of the parts that it encodes.
    private static func damaged(_ jws: String, by mutator: inout Mutator) -> String {
        let parts = jws.split(separator: ".").map { Array($0.utf8) }
        var decoded = parts.compactMap { Base64.decode(unpadded: $0[...], as: .url) }
        let choice = Int.random(in: 0..<5, using: &mutator)
        switch choice {
        case 0, 1, 2: decoded[choice] = mutator.damaged(decoded[choice])
        case 3: decoded[0] = damagedCertificate(in: decoded[0], by: &mutator)
        default: return String(decoding: mutator.damaged(Array(jws.utf8)), as: UTF8.self)
        }
        return decoded.map(base64URL).joined(separator: ".")
    }

    /// Hurts the DER of one certificate of a header.
    private static func damagedCertificate(in header: [UInt8], by mutator: inout Mutator) -> [UInt8] {
        var quoted = String(decoding: header, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)
            .map(String.init)
        let certificates = quoted.indices.filter { quoted[$0].utf8.count > 100 }
        let index = certificates.randomElement(using: &mutator) ?? 0
        let der = Array(Data(base64Encoded: quoted[index]) ?? Data())
        quoted[index] = Data(mutator.damaged(der)).base64EncodedString()
        return Array(quoted.joined(separator: "\"").utf8)
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
