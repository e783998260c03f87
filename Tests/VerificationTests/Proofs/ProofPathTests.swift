// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct ProofPathTests {
    private static let id = TransactionID(rawValue: "7")

    @Test(arguments: [
        (Proof.signedTransaction(""), ReceiptRoute.verifyReceipt, Verification.Confirmation.never, ProofPath.local(.never)),
        (.signedTransaction(""), .localOnly, .ifOlderThan(9), .local(.ifOlderThan(9))),
        (.transactionID(id), .localOnly, .never, .lookUp(id)),
        (.appReceipt(""), .verifyReceipt, .ifOlderThan(0), .verifyReceipt),
        (.appReceipt(""), .localThenAPI, .never, .local(.ifOlderThan(0))),
        (.appReceipt(""), .localOnly, .ifOlderThan(0), .local(.never)),
    ])
    func theKindOfProofAndTheAppsPolicyChooseTheWay(
        proof: Proof, route: ReceiptRoute, confirmation: Verification.Confirmation, path: ProofPath
    ) {
        let policy = AppPolicy(receiptRoute: route, confirmation: confirmation)

        #expect(ProofPath(proof, policy: policy) == path)
    }

    @Test(arguments: [
        (ProofPath.local(.never), [Route.local, .serverAPI]), (.local(.ifOlderThan(0)), [.serverAPI]),
        (.local(.ifOlderThan(5)), [.local, .serverAPI]), (.verifyReceipt, [.verifyReceipt]),
        (.lookUp(id), [.serverAPI]),
    ])
    func aJobStartsInTheLaneOfItsFirstCall(path: ProofPath, routes: [Route]) {
        #expect(Route.allCases.filter(path.mayStart) == routes)
    }

    @Test func theAgeOfASignatureIsCountedFromWhenAppleMadeIt() {
        let now = Date()

        #expect(!Verification.Confirmation.never.isNeeded(signedAt: nil, now: now))
        #expect(Verification.Confirmation.ifOlderThan(60).isNeeded(signedAt: nil, now: now))
        #expect(Verification.Confirmation.ifOlderThan(60).isNeeded(signedAt: now.addingTimeInterval(-60), now: now))
        #expect(!Verification.Confirmation.ifOlderThan(60).isNeeded(signedAt: now.addingTimeInterval(-59), now: now))
        // Apple's clock may be ahead of ours: always is always.
        #expect(Verification.Confirmation.ifOlderThan(0).isNeeded(signedAt: now.addingTimeInterval(5), now: now))
    }
}
