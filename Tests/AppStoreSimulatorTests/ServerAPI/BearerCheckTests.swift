// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

/// What the simulated App Store Server API takes as a token.
@Suite struct BearerCheckTests {
    /// One way for a token to be wrong.
    struct Flaw: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var change: @Sendable (inout TokenDraft) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout TokenDraft) -> Void) {
            testDescription = name
            self.change = change
        }
    }

    static let flaws = [
        Flaw("another algorithm") { $0.algorithm = "HS256" },
        Flaw("no algorithm") { $0.algorithm = "none" },
        Flaw("another type") { $0.type = "JWS" },
        Flaw("unknown key") { $0.keyID = "ABCDEFGHIJ" },
        Flaw("another issuer") { $0.issuer = UUID().uuidString },
        Flaw("another audience") { $0.audience = "appstoreconnect-v2" },
        Flaw("no bundle id") { $0.bundleID = "" },
        Flaw("signed with another key") { $0.privateKeyPEM = P256.Signing.PrivateKey().pemRepresentation },
        Flaw("expired") { draft in
            draft.issuedAt -= 2000
            draft.expiresAt = draft.issuedAt + 1200
        },
        Flaw("of the future") { draft in
            draft.issuedAt += 30
            draft.expiresAt += 30
        },
        Flaw("in milliseconds") { draft in
            draft.issuedAt *= 1000
            draft.expiresAt *= 1000
        },
        Flaw("good for too long") { $0.expiresAt = $0.issuedAt + 3601 },
        Flaw("good for no time") { $0.expiresAt = $0.issuedAt },
        Flaw("from before all time") { $0.issuedAt = .min },
    ]

    @Test(arguments: flaws) func wrongTokenIsAnsweredWith401InPlainText(_ flaw: Flaw) async throws {
        try await withSimulator { simulator, client in
            var draft = TokenDraft(simulator.apiKey())
            flaw.change(&draft)

            let reply = try await client.call(
                "/inApps/v1/transactions/1", method: .GET, token: try draft.signed())

            #expect(reply.code == 401)
            #expect(reply.headers.first(name: "Content-Type") == "text/plain")
            #expect(reply.text == "Unauthenticated\n")
        }
    }

    @Test(arguments: [nil, "", "x", "a.b", "a.b.c", "eyJ9.eyJ9.", "e30.e30.e30"])
    func whatIsNoTokenIsAnsweredWith401(token: String?) async throws {
        try await withSimulator { simulator, client in
            let reply = try await client.call("/inApps/v1/transactions/1", method: .GET, token: token)

            #expect(reply.code == 401)
        }
    }

    @Test func rightTokenIsTakenForAnHourAtMost() async throws {
        try await withSimulator { simulator, client in
            var draft = TokenDraft(simulator.apiKey())
            draft.expiresAt = draft.issuedAt + 3600

            let reply = try await client.call("/inApps/v1/transactions/1", method: .GET, token: try draft.signed())

            #expect(reply.code == 404)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_040_010)
        }
    }

    /// Apple's own Python library sends such tokens.
    @Test func tokenWithoutItsBeginningIsTakenIfItEndsWithinAnHour() async throws {
        try await withSimulator { simulator, client in
            var draft = TokenDraft(simulator.apiKey())
            draft.namesItsBeginning = false
            draft.expiresAt = Int64(Date().timeIntervalSince1970) + 300
            let good = try await client.call("/inApps/v1/transactions/1", method: .GET, token: try draft.signed())
            draft.expiresAt = Int64(Date().timeIntervalSince1970) + 3700
            let long = try await client.call("/inApps/v1/transactions/1", method: .GET, token: try draft.signed())
            draft.expiresAt = Int64(Date().timeIntervalSince1970) - 1
            let late = try await client.call("/inApps/v1/transactions/1", method: .GET, token: try draft.signed())

            #expect([good, long, late].map(\.code) == [404, 401, 401])
            #expect(simulator.statistics.rate(of: .getTransactionInfo, in: .production, bundleID: draft.bundleID).perSecond > 0)
        }
    }

    @Test func timesAreJudgedByTheSimulatorsClock() async throws {
        let time = ManualTime(Date(timeIntervalSince1970: 1_769_850_000))
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()

            let before = try await client.call("/inApps/v1/transactions/1", method: .GET, token: token)
            time.set(time.now.addingTimeInterval(1200))
            let after = try await client.call("/inApps/v1/transactions/1", method: .GET, token: token)

            #expect(before.code == 404 && after.code == 401)
        }
    }

    @Test func keyOfOneAccountServesItsAppsInBothEnvironments() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins", bundleId: "com.example.second", environment: .sandbox)
            simulator.remember([bought])
            let token = try TokenDraft.right(for: simulator, bundleID: "com.example.second")
            let path = "/inApps/v1/transactions/\(bought.transactionId)"

            let production = try await client.call(path, method: .GET, token: token)
            let sandbox = try await client.call(path, method: .GET, token: token, in: .sandbox)

            #expect(production.code == 404 && sandbox.code == 200)
        }
    }

    @Test func replacedKeyIsNoLongerTaken() async throws {
        try await withSimulator { simulator, client in
            let old = simulator.apiKey()
            let new = simulator.replaceAPIKey()

            let withOld = try await client.call(
                "/inApps/v1/transactions/1", method: .GET, token: try TokenDraft(old).signed())
            let withNew = try await client.call(
                "/inApps/v1/transactions/1", method: .GET, token: try TokenDraft(new).signed())

            #expect(old.issuerID == new.issuerID && old.keyID != new.keyID)
            #expect(withOld.code == 401 && withNew.code == 404)
        }
    }
}
