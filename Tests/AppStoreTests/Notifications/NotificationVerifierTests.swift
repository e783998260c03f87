// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// What a notification is taken for, and what is taken from the transaction and the renewal in it.
@Suite struct NotificationVerifierTests {
    let fixture: SigningFixture

    init() throws {
        fixture = try SigningFixture()
    }

    private func verify(_ text: String) async throws -> StoreNotification {
        try await NotificationVerifier(anchors: try fixture.anchors()).verify(text)
    }

    /// A notification in Apple's form, signed honestly unless it is forged.
    private func text(
        _ type: String = "ONE_TIME_CHARGE", subject: String = "data", fields: [String], forged: ForgedVariant? = nil
    ) throws -> String {
        let json = #"""
            {"notificationType":"\#(type)","notificationUUID":"3d5b0d3f-3a3c-4f6b-8a77-07b6d1f0a001","version":"2.0",\#
            "signedDate":\#(milliseconds),"\#(subject)":{\#(fields.joined(separator: ","))}}
            """#
        return try fixture.authority.sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate, forged: forged)
    }

    private var milliseconds: Int64 { Int64(SigningFixture.purchaseDate.timeIntervalSince1970 * 1000) }

    private func app(_ bundle: String = SigningFixture.bundleID.rawValue, _ environment: String = "Production") -> [String] {
        [#""bundleId":"\#(bundle)""#, #""environment":"\#(environment)""#]
    }

    private func inner(_ change: (inout SimulatedTransaction) -> Void = { _ in }, forged: ForgedVariant? = nil) throws -> String {
        let signed = try fixture.transaction(change).signedTransaction(by: fixture.authority, forged: forged)
        return #""signedTransactionInfo":"\#(signed)""#
    }

    @Test func aTransactionIsTakenWithTheTimeAtWhichItWasSigned() async throws {
        let signedAt = SigningFixture.purchaseDate.addingTimeInterval(5)

        let notification = try await verify(
            text(
                fields: app() + [
                    inner {
                        $0.signedDate = signedAt
                        $0.appTransactionId = "704000000000000001"
                    }
                ]))

        guard case .transaction(let transaction, let at, let text) = notification.contents else {
            Issue.record("\(notification.contents)")
            return
        }
        #expect(notification.type == "ONE_TIME_CHARGE" && notification.bundleID == SigningFixture.bundleID)
        #expect(at == signedAt)
        #expect(transaction.customerID == CustomerID("704000000000000001"))
        #expect(try await fixture.verifier().verify(text).all == [transaction])
    }

    @Test(arguments: ForgedVariant.allCases)
    func whatAppleDidNotSignIsRefused(forged: ForgedVariant) async throws {
        // Some forgeries change what a transaction says, and are signed honestly.
        let text = try text(fields: app() + [inner()], forged: forged)
        let refusal = await SigningFixture.verdict(
            of: try fixture.verifier(), on: try fixture.transaction().signedTransaction(by: fixture.authority, forged: forged))
        guard case .failure(let reason) = refusal, reason != .unsupportedEnvironment else { return }

        await #expect(throws: Reason.self) { _ = try await verify(text) }
    }

    @Test(arguments: ForgedVariant.allCases)
    func aForgedTransactionInsideHasNoEffect(forged: ForgedVariant) async throws {
        let notification = try await verify(text(fields: app() + [inner(forged: forged)]))

        let effects = NotificationEffects(of: notification)
        let refusal = await SigningFixture.verdict(
            of: try fixture.verifier(), on: try fixture.transaction().signedTransaction(by: fixture.authority, forged: forged))
        guard case .failure = refusal else { return }
        #expect(effects.outcome == .odd && effects.payment == nil && effects.proof == nil)
        #expect(effects.message?.hasPrefix("its transaction ") == true)
    }

    @Test(arguments: [
        ("com.example.other", "Production"), (SigningFixture.bundleID.rawValue, "Sandbox"),
    ])
    func aTransactionOfAnotherAppOrEnvironmentHasNoEffect(bundle: String, environment: String) async throws {
        let verifier = NotificationVerifier(
            anchors: try fixture.anchors(for: [SigningFixture.bundleID, BundleID(rawValue: "com.example.other")]))

        let notification = try await verifier.verify(text(fields: app(bundle, environment) + [inner()]))

        guard case .unusable(let why) = notification.contents else {
            Issue.record("\(notification.contents)")
            return
        }
        #expect(why == "its transaction is of another app or environment than the notification")
        let effects = NotificationEffects(of: notification)
        #expect(effects.outcome == .odd && effects.payment == nil)
    }

    /// Apple adds types and alternatives to `data`: the object that names the app says whose it is.
    @Test(arguments: ["data", "summary", "appData", "unclaimInfo", "whateverComes"])
    func theAppIsTakenFromWhateverNamesIt(subject: String) async throws {
        let notification = try await verify(text("SOMETHING_NEW", subject: subject, fields: app("com.example.app", "Sandbox")))

        #expect(notification.type == "SOMETHING_NEW" && notification.environment == .sandbox)
        #expect(NotificationEffects(of: notification).outcome == .stored)
    }

    /// Several objects name an app: `data` counts, then what holds a transaction, then the first by name.
    @Test(arguments: [
        (["appData", "data", "zData"], "data"), (["appData", "unclaimInfo+", "zData"], "unclaimInfo+"),
        (["data", "appData+"], "data"), (["summary", "appData"], "appData"),
    ])
    func ofSeveralObjectsThatNameTheAppOneCounts(names: [String], counts: String) async throws {
        let objects = try names.map { name in
            let fields = app("com.example.\(name.replacing("+", with: ""))") + (name.hasSuffix("+") ? [try inner()] : [])
            return #""\#(name.replacing("+", with: ""))":{\#(fields.joined(separator: ","))}"#
        }
        let json = #"""
            {"notificationType":"ONE_TIME_CHARGE","notificationUUID":"3d5b0d3f-3a3c-4f6b-8a77-07b6d1f0a001","version":"2.0",\#
            "signedDate":\#(milliseconds),\#(objects.joined(separator: ","))}
            """#
        let bundles = Set(names.map { BundleID(rawValue: "com.example.\($0.replacing("+", with: ""))") })
        let verifier = NotificationVerifier(anchors: try fixture.anchors(for: bundles))

        let notification = try await verifier.verify(
            fixture.authority.sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate))

        #expect(notification.bundleID.rawValue == "com.example.\(counts.replacing("+", with: ""))")
    }

    @Test(arguments: [("SANDBOX_7", AppStoreEnvironment.sandbox), ("7", .production)])
    func anExternalPurchaseNamesItsStoreByItsID(id: String, environment: AppStoreEnvironment) async throws {
        let notification = try await verify(
            text(
                "EXTERNAL_PURCHASE_TOKEN", subject: "externalPurchaseToken",
                fields: [#""bundleId":"com.example.app""#, #""externalPurchaseId":"\#(id)""#]))

        #expect(notification.environment == environment)
    }

    @Test(arguments: [
        [], [#""environment":"Production""#], [#""bundleId":"com.example.app""#, #""environment":"Xcode""#],
        [#""bundleId":7"#, #""environment":"Production""#],
    ])
    func withoutAnAppAndAStoreItIsNone(fields: [String]) async throws {
        let text = try text(fields: fields)

        await #expect(throws: Reason.malformedProof) { _ = try await verify(text) }
    }

    /// The transaction beside it counts all the same.
    @Test func aRenewalIsTakenIfAppleSignedItForTheSameStoreAndElseAPersonLooks() async throws {
        func renewal(_ environment: String, forged: ForgedVariant? = nil) throws -> String {
            let json = #"""
                {"originalTransactionId":"7","autoRenewProductId":"plus","autoRenewStatus":1,"isInBillingRetryPeriod":false,\#
                "gracePeriodExpiresDate":\#(milliseconds),"renewalDate":\#(milliseconds),"expirationIntent":1,\#
                "signedDate":\#(milliseconds),"environment":"\#(environment)"}
                """#
            let signed = try fixture.authority.sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate, forged: forged)
            return #""signedRenewalInfo":"\#(signed)""#
        }
        let date = SigningFixture.purchaseDate

        let whole = try await verify(text("DID_RENEW", fields: app() + [inner(), renewal("Production")]))
        let foreign = try await verify(text("DID_RENEW", fields: app() + [inner(), renewal("Sandbox")]))
        let forged = try await verify(
            text("DID_RENEW", fields: app() + [inner(), renewal("Production", forged: .signatureByOtherKey)]))

        #expect(
            whole.renewal
                == Renewal(
                    originalID: TransactionID(rawValue: "7"), productID: ProductID(rawValue: "plus"), willRenew: true,
                    isInBillingRetry: false, graceEndsAt: date, renewsAt: date, expirationIntent: 1, signedAt: date))
        let faults = [
            (foreign, "its renewal info is of another environment than the notification"),
            (forged, "its renewal info is refused: bad_signature"),
            (
                try await verify(text("DID_RENEW", fields: app() + [inner(), #""signedRenewalInfo":"plus""#])),
                "its renewal info can't be read"
            ),
            (try await verify(text("DID_RENEW", fields: app() + [inner(), #""signedRenewalInfo":7"#])), "its renewal info is no text"),
        ]
        #expect(NotificationEffects(of: whole).outcome == .recorded && whole.renewalFault == nil)
        for (notification, fault) in faults {
            #expect(notification.renewal == nil && notification.renewalFault == fault)
            let effects = NotificationEffects(of: notification)
            #expect(effects.outcome == .odd && effects.message == fault && effects.payment != nil && effects.proof != nil)
        }
    }
}
