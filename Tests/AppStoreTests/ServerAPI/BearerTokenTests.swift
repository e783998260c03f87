// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import TestSupport
import Testing
import Verification

@testable import AppStore

@Suite
struct BearerTokenTests {
    private struct Header: Decodable, Equatable {
        var alg, kid, typ: String
    }

    private struct Claims: Decodable, Equatable {
        var iss: String
        var iat, exp: Int64
        var aud, bid: String
    }

    private let game = BundleID(rawValue: "com.example.game")
    private let time = ManualTime(Date(timeIntervalSince1970: 1_769_850_000.75))

    private var configuration: AppStoreConfiguration {
        var configuration = AppStoreConfiguration()
        configuration.now = { [time] in time.now }
        return configuration
    }

    @Test
    func tokenSaysWhatAppleAsksForAndIsSigned() async throws {
        let issued = try Self.simulatedKey()
        let key = try ServerAPIKey(contents: Array(issued.credential.utf8))

        let token = try BearerTokens(configuration).token(for: game, key: key)

        let jws = try #require(CompactJWS(token.text))
        let header = try #require(Base64.decode(unpadded: jws.encodedHeader, as: .url))
        #expect(
            try JSONDecoder().decode(Header.self, from: Data(header))
                == Header(alg: "ES256", kid: issued.keyID, typ: "JWT"))
        #expect(
            try JSONDecoder().decode(Claims.self, from: Data(jws.payload))
                == Claims(
                    iss: issued.issuerID, iat: 1_769_850_000 - 60, exp: 1_769_850_000 + 1200, aud: "appstoreconnect-v1",
                    bid: "com.example.game"))
        let publicKey = try P256.Signing.PrivateKey(pemRepresentation: issued.privateKeyPEM).publicKey
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
        #expect(publicKey.isValidSignature(signature, for: Data(jws.signingInput)))
    }

    @Test
    func tokenOfTheLongestLifeIsNotDatedBack() throws {
        var longest = configuration
        longest.tokenLifetime = BearerTokens.longestLifetime

        let token = try BearerTokens(longest).token(for: game, key: try Self.key())

        let payload = try #require(CompactJWS(token.text)).payload
        let claims = try JSONDecoder().decode(Claims.self, from: Data(payload))
        #expect(claims.iat == 1_769_850_000)
        #expect(claims.exp == 1_769_850_000 + 3600)
    }

    @Test
    func tokenIsKeptUntilItsRenewal() async throws {
        let key = try Self.key()
        let tokens = try BearerTokens(configuration)

        let first = try tokens.token(for: game, key: key)
        time.advance(by: 899)
        let second = try tokens.token(for: game, key: key)
        time.advance(by: 2)
        let third = try tokens.token(for: game, key: key)

        #expect(first == second)
        #expect(second != third)
    }

    @Test
    func tokenOfTheFutureIsReplacedWhenTheClockGoesBack() async throws {
        let key = try Self.key()
        let tokens = try BearerTokens(configuration)

        let first = try tokens.token(for: game, key: key)
        time.advance(by: -3600)

        #expect(try tokens.token(for: game, key: key) != first)
    }

    @Test
    func eachAppAndEachKeyHasATokenOfItsOwn() async throws {
        let (one, other) = (try Self.key(), try Self.key())
        let tokens = try BearerTokens(configuration)

        let first = try tokens.token(for: game, key: one)

        #expect(try tokens.token(for: BundleID(rawValue: "com.example.other"), key: one) != first)
        #expect(try tokens.token(for: game, key: one) == first)
        #expect(try tokens.token(for: game, key: other) != first)
    }

    @Test
    func discardedTokenIsNotUsedAgain() async throws {
        let key = try Self.key()
        let tokens = try BearerTokens(configuration)
        let first = try tokens.token(for: game, key: key)

        tokens.discard(first, for: game)
        let second = try tokens.token(for: game, key: key)
        tokens.discard(first, for: game)

        #expect(second != first)
        #expect(try tokens.token(for: game, key: key) == second)
    }

    @Test
    func callsGoOnForAsLongAsOneLikesWithTokensThatAreRenewed() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            for _ in 0..<9 {
                #expect(await api.info(bought.transactionId).transactionIDs == [bought.transactionId])
                api.time.advance(by: 890)
            }
        }
    }

    @Test
    func keyThatWasReplacedIsRefusedUntilTheCredentialIsReadAgain() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            let key = api.simulator.replaceAPIKey()
            try api.folder.write(Array(key.credential.utf8), to: "default.server-api-key")

            let before = await api.info(bought.transactionId)
            api.credentials.reload()
            let after = await api.info(bought.transactionId)

            #expect(before == .unauthorized)
            #expect(after.transactionIDs == [bought.transactionId])
        }
    }

    @Test(arguments: [(3601, 900), (1200, 1200), (1200, 1300), (1200, 0)])
    func lifetimeAndRenewalMustFitTogether(lifetime: Int, renewal: Int) {
        var configuration = AppStoreConfiguration()
        configuration.tokenLifetime = .seconds(lifetime)
        configuration.tokenRenewal = .seconds(renewal)

        #expect(throws: AppStoreConfigurationError.self) { try BearerTokens(configuration) }
    }

    @Test
    func tokenNeverShowsItself() async throws {
        let token = try BearerTokens(AppStoreConfiguration()).token(for: game, key: try Self.key())
        let call = HTTPRequest(.get, "/", token: token)
        var dumped = ""
        dump(call, to: &dumped)
        let shown = ["\(token)", String(reflecting: token), "\([token])", "\(call)", String(reflecting: call), dumped]

        #expect(shown.allSatisfy { !$0.contains("eyJ") && !$0.contains(token.text.suffix(20)) })
    }

    private static func simulatedKey() throws -> SimulatedAPIKey {
        try AppStoreSimulator().apiKey()
    }

    private static func key() throws -> ServerAPIKey {
        try ServerAPIKey(contents: Array(try simulatedKey().credential.utf8))
    }
}
