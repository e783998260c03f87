// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@Suite
struct AppStoreVerifierTests {
    @Test
    func signedTransactionIsVerifiedHereWithoutACall() async throws {
        let bought = SimulatedTransaction(productId: "coins", bundleId: SimulatedStore.bundleID.rawValue)

        let (finding, calls) = try await SimulatedStore.withRunning { store in
            let jws = try bought.signedTransaction(by: store.simulator.authority)
            return (try await store.finding(in: jws, at: .local), store.simulator.statistics.calls(to: .verifyReceipt))
        }

        #expect(finding.transactionIDs == [bought.transactionId])
        #expect(calls == 0)
    }

    @Test(arguments: [
        (ForgedVariant.algNone, Reason.malformedProof), (.wrongLeafOID, .badCertificate),
        (.foreignRoot, .untrustedRoot),
        (.payloadSwapped, .badSignature), (.xcodeEnvironment, .unsupportedEnvironment),
    ])
    func forgedTransactionIsRefusedForGood(variant: ForgedVariant, reason: Reason) async throws {
        let bought = SimulatedTransaction(productId: "coins", bundleId: SimulatedStore.bundleID.rawValue)

        let finding = try await SimulatedStore.withRunning { store in
            let forged = try bought.signedTransaction(by: store.simulator.authority, forged: variant)
            let proof = variant == .algNone ? nil : try store.verifier.readProof(forged).proof
            return try await store.finding(of: proof ?? .signedTransaction(forged), at: .local)
        }

        #expect(finding == .refused(reason))
    }

    @Test
    func receiptIsVerifiedHereWithoutACall() async throws {
        let (finding, calls) = try await SimulatedStore.withRunning { store in
            let receipt = try SimulatedStore.receipt(count: 2).signed(by: store.simulator.authority)
            return (try await store.finding(in: receipt, at: .local), store.simulator.statistics.received.count)
        }

        #expect(finding.transactionIDs.count == 2)
        #expect(calls == 0)
    }

    @Test
    func idIsLookedUpWhereItWasBoughtAndNowhereElse() async throws {
        let bought = SimulatedTransaction(
            productId: "coins", bundleId: SimulatedStore.bundleID.rawValue, environment: .sandbox)
        let id = TransactionID(rawValue: bought.transactionId)

        let answers = try await SimulatedStore.withRunning { store in
            store.simulator.remember([bought])
            var answers: [String] = []
            for environment in AppStoreEnvironment.allCases {
                let answer = try await store.verifier.lookUp(
                    id, bundleID: SimulatedStore.bundleID, in: environment, startingBy: nil, deadline: .now + .seconds(20))
                switch answer {
                case .found(let transactions): answers.append(transactions.all.map(\.id.rawValue).joined())
                case .notFound: answers.append("not found")
                case .refused, .unauthorized: answers.append("refused")
                }
            }
            return answers
        }

        #expect(answers == ["not found", bought.transactionId])
    }

    @Test
    func grantIsToldToTheStore() async throws {
        let bought = SimulatedTransaction(productId: "coins", bundleId: SimulatedStore.bundleID.rawValue)

        let (finished, failure) = try await SimulatedStore.withRunning { store in
            store.simulator.remember([bought])
            let deadline = ContinuousClock.now + .seconds(20)
            try await store.verifier.finish(
                TransactionID(rawValue: bought.transactionId), bundleID: SimulatedStore.bundleID, in: .production,
                startingBy: nil, deadline: deadline)
            let failure = await #expect(throws: VerificationFailure.self) {
                try await store.verifier.finish(
                    TransactionID(rawValue: "4711"), bundleID: SimulatedStore.bundleID, in: .production,
                    startingBy: nil, deadline: deadline)
            }
            return (store.simulator.finishedTransactions, failure)
        }

        #expect(finished == [bought.transactionId])
        #expect(failure?.kind == .uncertain(.review))
    }

    @Test
    func genuineTransactionWithoutAProductIsLeftToAPerson() async throws {
        let finding = try await SimulatedStore.withRunning { store in
            let payload = Array(PayloadText.json(leavingOut: "productId").utf8)
            let jws = try store.simulator.authority.sign(payload: payload, at: SigningFixture.purchaseDate)
            return try await store.finding(in: jws, at: .local)
        }

        #expect(finding == .failure(.needsAPerson, .unknownAnswer))
    }

    /// The message is what the operator and the client's developer see.
    @Test
    func oddFactsAreNamedInTheFailure() async throws {
        let messages = try await SimulatedStore.withRunning { store in
            let payload = Array(PayloadText.json(["type": #""Rented Film""#], leavingOut: "purchaseDate").utf8)
            let jws = try store.simulator.authority.sign(payload: payload, at: SigningFixture.purchaseDate)
            let receipt = try store.simulator.authority.signReceipt(
                content: ReceiptBytes.set(ReceiptBytes.app(created: ReceiptBytes.date("a while ago"))))
            var messages: [String] = []
            for proof in [Proof.signedTransaction(jws), .appReceipt(Data(receipt).base64EncodedString())] {
                do throws(VerificationFailure) {
                    _ = try await store.verifier.verify(
                        proof, bundleID: SimulatedStore.bundleID, at: .local, deadline: .now + .seconds(20))
                } catch {
                    messages.append(error.message)
                }
            }
            return messages
        }

        #expect(
            messages == [
                "a genuine signed transaction, and its type can't be read, its purchaseDate is missing",
                "a genuine receipt, and its creation date can't be read",
            ])
    }

    @Test
    func proofWithoutAWayIsLeftToAPerson() async throws {
        let receipt = try SimulatedStore.receipt().base64
        let cases: [(Proof, Verification.Endpoint)] = [
            (.transactionID(TransactionID(rawValue: "430000000000001")), .local),
            (.transactionID(TransactionID(rawValue: "430000000000001")), .verifyReceipt(.production)),
            (.signedTransaction("eyJ.e30.e30"), .verifyReceipt(.production)),
            (.appReceipt(receipt), Verification.Endpoint(route: .serverAPI, environment: .production)),
        ]

        let (findings, calls) = try await SimulatedStore.withRunning { store in
            var findings: [Finding] = []
            for (proof, endpoint) in cases { findings.append(try await store.finding(of: proof, at: endpoint)) }
            return (findings, store.simulator.statistics.calls(to: .verifyReceipt))
        }

        #expect(findings == cases.map { _ in .failure(.needsAPerson, .unsupportedYet) })
        #expect(calls == 0)
    }
}
