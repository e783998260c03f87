// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
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
            let proof = variant == .algNone ? nil : try store.verifier.readProof(forged)
            return try await store.finding(of: proof ?? .signedTransaction(forged), at: .local)
        }

        #expect(finding == .refused(reason))
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

    @Test
    func furtherRootsAreNamedForTheWarningAtStart() async throws {
        let (named, expected) = try await SimulatedStore.withRunning { store in
            (store.verifier.furtherRoots.map(\.description), store.simulator.authority.rootCertificateSHA256)
        }

        #expect(named == [expected])
    }
}
