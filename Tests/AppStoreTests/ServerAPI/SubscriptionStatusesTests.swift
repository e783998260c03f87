// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import AppStore

/// Get All Subscription Statuses, asked of the simulated store: its texts are believed by their own signatures alone.
@Suite struct SubscriptionStatusesTests {
    private func ask(
        _ id: String, _ api: SimulatedAPI, in environment: AppStoreEnvironment = .production
    ) async throws -> ServerAPIAnswer<[AnsweredSubscription]> {
        try await api.client.subscriptionStatuses(
            of: TransactionID(rawValue: id), about: SimulatedAPI.bundleID, in: environment, deadline: .now + .seconds(20))
    }

    private func verifier(_ api: SimulatedAPI) throws -> NotificationVerifier {
        NotificationVerifier(
            anchors: TrustAnchors(further: [
                try ExtraRoot(
                    certificate: api.simulator.authority.rootCertificateDER, bundleIDs: [SimulatedAPI.bundleID])
            ]))
    }

    @Test func theNewestTransactionAndRenewalAreVerified() async throws {
        try await SimulatedAPI.withRunning { api in
            let life = SimulatedSubscription(SimulatedPlan("plus"), customer: "7007", at: api.time.now)
            try api.simulator.begin(life, isTold: false)

            guard case .answered(let answered) = try await ask(life.originalTransactionID, api) else {
                Issue.record("Apple gave no answer")
                return
            }
            try #require(answered.count == 1)
            let word = try await verifier(api).word(
                answered[0], of: SimulatedAPI.bundleID, in: .production, now: api.time.now)

            #expect(word.status == 1)
            guard case .transaction(let transaction, _, _) = word.told.contents else {
                Issue.record("\(word.told.contents)")
                return
            }
            #expect(transaction.originalID.rawValue == life.originalTransactionID && transaction.productID.rawValue == "plus")
            #expect(word.told.renewal?.willRenew == true)
        }
    }

    @Test(arguments: ["1", "no id of Apple's/.."])
    func whatAppleDoesNotKnowHasNoAnswer(id: String) async throws {
        try await SimulatedAPI.withRunning { api in
            switch try await ask(id, api) {
            case .notFound, .refused: break
            case .answered, .unauthorized: Issue.record("an answer about \(id)")
            }
        }
    }

    /// The answer itself bears no signature.
    @Test func aForgedTextInTheAnswerHasNoEffect() async throws {
        let fixture = try SigningFixture()
        let stranger = try SigningFixture()
        let forged = AnsweredSubscription(
            status: 1, signedTransactionInfo: try stranger.transaction().signedTransaction(by: stranger.authority),
            signedRenewalInfo: nil)

        let word = await NotificationVerifier(anchors: try fixture.anchors()).word(
            forged, of: SigningFixture.bundleID, in: .production)

        let effects = NotificationEffects(of: word.told)
        #expect(effects.outcome == .odd && effects.payment == nil && effects.renewal == nil)
    }
}
