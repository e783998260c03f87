// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

/// What stands in notifications, where it is, and how it is signed.
@Suite struct NotificationContentTests {
    private static let begin = Date(timeIntervalSince1970: 1_769_850_000)

    @Test func fieldsHaveApplesOrder() throws {
        let life = SimulatedSubscription(Life.silver, at: Self.begin)
        var notification = life.introduction
        notification.consumptionRequestReason = "OTHER"

        let bytes = try Self.json(notification)

        #expect(
            FieldNames.outer(of: bytes) == [
                "notificationType", "subtype", "notificationUUID", "data", "version", "signedDate",
            ])
        let text = String(decoding: bytes, as: UTF8.self)
        let places = [
            #""data":{"appAppleId":77"#, #""bundleId":"#, #""bundleVersion":"#, #""environment":"#, #""signedTransactionInfo":"#,
            #""signedRenewalInfo":"#, #""status":1"#, #""consumptionRequestReason":"OTHER"}"#,
        ].map { text.firstRange(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test func appHasItsNumberInTheSandboxToo() throws {
        let bought = SimulatedTransaction(productId: "coins", environment: .sandbox)

        let told = try Self.told(SimulatedNotification("ONE_TIME_CHARGE", about: bought))

        #expect(told.data?.appAppleId == 77 && told.data?.bundleVersion != nil && told.data?.environment == "Sandbox")
        #expect(told.data?.status == nil && told.data?.signedRenewalInfo == nil)
        #expect(told.data?.consumptionRequestReason == nil)
    }

    @Test(arguments: [SimulatedEnvironment.production, .sandbox])
    func testNamesNoVersionAndInTheSandboxNoNumber(environment: SimulatedEnvironment) async throws {
        struct Status: Decodable { var signedPayload: String }
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", appleID: 77, notificationURL: "https://shop.example")
            let token = try TokenDraft.right(for: simulator)
            let test: [String: String] = try await client.call(
                "/inApps/v1/notifications/test", token: token, in: environment
            ).decoded()
            let status: Status = try await client.call(
                "/inApps/v1/notifications/test/\(try #require(test["testNotificationToken"]))", method: .GET, token: token,
                in: environment
            ).decoded()

            let data = try #require(try Told(status.signedPayload).data)
            #expect(data.appAppleId == (environment == .production ? 77 : nil) && data.bundleVersion == nil)
            #expect(data.bundleId == "com.example.app" && data.environment == environment.rawValue)
            #expect(data.signedTransactionInfo == nil && data.status == nil)
        }
    }

    /// Whoever names a subscription's transaction alone gets what Apple says beside it.
    @Test func renewalInfoAndStatusAreAddedToWhatIsToldOfASubscription() async throws {
        struct Renewal: Decodable {
            var autoRenewProductId, originalTransactionId: String
            var autoRenewStatus: Int
            var renewalDate: Int64
        }
        try await withSimulator { simulator, _ in
            var first = SimulatedTransaction(productId: "plus", type: .autoRenewable, purchaseDate: Self.begin)
            var second = first
            second.transactionId = "2"
            second.productId = "basic"
            second.purchaseDate = Self.begin.addingTimeInterval(30 * 86_400)
            second.expiresDate = Self.begin.addingTimeInterval(60 * 86_400)
            simulator.remember([first, second])

            let bought = SimulatedNotification("SUBSCRIBED", about: first, date: Self.begin.addingTimeInterval(1))
            let early = try Told(simulator.addNotification(bought))
            first.revocationDate = Self.begin.addingTimeInterval(40 * 86_400)
            let late = try Told(
                simulator.addNotification(
                    SimulatedNotification("REFUND", about: first, date: Self.begin.addingTimeInterval(40 * 86_400))))

            let renewals = try [early, late].map { told in
                try #require(TokenInspection.json(Told.part(told.data?.signedRenewalInfo ?? ""), as: Renewal.self))
            }
            #expect([early, late].map { $0.data?.status } == [1, 1])
            #expect(renewals.map(\.autoRenewProductId) == ["plus", "basic"] && renewals.map(\.autoRenewStatus) == [1, 1])
            #expect(renewals.allSatisfy { $0.originalTransactionId == first.transactionId })
            let ends: [Int64] = [1_772_442_000_000, 1_775_034_000_000]
            #expect(renewals.map(\.renewalDate) == ends)
        }
    }

    @Test func whatIsToldOfALifeIsWhatItsPlayerGets() async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", notificationURL: "https://shop.example")
            let life = SimulatedSubscription(Life.silver, at: Date().addingTimeInterval(-86_400))

            let first = try simulator.begin(life)
            let lost = try simulator.apply(.turnRenewalOff, to: life.originalTransactionID, isTold: false)
            let last = try simulator.apply(.turnRenewalOn, to: life.originalTransactionID)
            let told = try await Told.all(simulator, client)

            #expect(lost.subtype == "AUTO_RENEW_DISABLED")
            let expected = [first, last].map { $0.notificationUUID.uuidString.lowercased() }
            #expect(told.map(\.notificationUUID) == expected)
        }
    }

    /// Apple has signed what is inside some milliseconds after the notification.
    @Test func whatIsInsideMayBeSignedLater() async throws {
        struct Payload: Decodable { var signedDate: Int64 }
        var notification = SimulatedSubscription(Life.silver, at: Self.begin).introduction
        notification.innerDelay = 0.013

        let told = try Self.told(notification)

        let inner = try [told.data?.signedTransactionInfo, told.data?.signedRenewalInfo].map { text in
            try #require(TokenInspection.json(Told.part(text ?? ""), as: Payload.self)).signedDate
        }
        #expect(inner == [told.signedDate + 13, told.signedDate + 13])
    }

    private static let alternatives: [(String, SimulatedNotification.Alternative, String)] = [
        (
            "summary",
            .summary(
                productID: "plus", requestIdentifier: "all", countries: ["DEU"], succeeded: 2, failed: 1),
            #"{"environment":"Sandbox","bundleId":"dev.shop","productId":"plus","requestIdentifier":"all","# +
                #""storefrontCountryCodes":["DEU"],"succeededCount":2,"failedCount":1}"#
        ),
        (
            "externalPurchaseToken", .externalPurchaseToken(id: "SANDBOX_1", created: begin),
            #"{"externalPurchaseId":"SANDBOX_1","tokenCreationDate":1769850000000,"appAppleId":77,"bundleId":"dev.shop"}"#
        ),
        (
            "unclaimInfo",
            .unclaimInfo(originalTransactionID: "7", seats: [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))]),
            #"{"environment":"Sandbox","appAppleId":77,"bundleId":"dev.shop","originalTransactionId":"7","# +
                #""unclaimSeatIds":["00000000-0000-0000-0000-000000000001"]}"#
        ),
    ]

    @Test(arguments: alternatives)
    func alternativeStandsInThePlaceOfData(
        name: String, alternative: SimulatedNotification.Alternative, content: String
    ) throws {
        let bytes = try Self.json(
            SimulatedNotification("OTHER", about: alternative, bundleID: "dev.shop", environment: .sandbox, date: Self.begin))

        #expect(FieldNames.outer(of: bytes) == ["notificationType", "notificationUUID", name, "version", "signedDate"])
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"\(name)\":\(content)"))
    }

    @Test func withdrawnConsentBearsTheAppTransaction() throws {
        struct Payload: Decodable {
            struct AppData: Decodable { var signedAppTransactionInfo: String }
            var appData: AppData
        }
        let appTransaction = SimulatedAppTransaction(
            bundleId: "dev.shop", environment: .sandbox, appAppleId: 77, appTransactionId: "7007",
            originalPurchaseDate: Self.begin, receiptCreationDate: Self.begin)

        let bytes = try Self.json(
            SimulatedNotification(
                "RESCIND_CONSENT", about: .appData(appTransaction), bundleID: "dev.shop", environment: .sandbox,
                date: Self.begin))

        let payload = try JSONDecoder().decode(Payload.self, from: Data(bytes))
        let inner = try #require(TokenInspection.base64URL(Told.part(payload.appData.signedAppTransactionInfo)))
        #expect(Array(inner) == appTransaction.payload())
    }

    private static func json(_ notification: SimulatedNotification) throws -> [UInt8] {
        let authority = try SimulatedCertificateAuthority(now: begin)
        let signed = try notification.signedPayload(by: authority, appleID: 77)
        return Array(try #require(TokenInspection.base64URL(Told.part(signed))))
    }

    private static func told(_ notification: SimulatedNotification) throws -> Told {
        try JSONDecoder().decode(Told.self, from: Data(json(notification)))
    }
}
