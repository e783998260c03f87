// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// Checks the token of a call as Apple says that it must be: page `generating-json-web-tokens-for-api-requests`.
struct BearerCheck {
    /// Who calls, and about which app.
    struct Caller: Equatable, Sendable {
        var account: String
        /// As the token claims; whether the account has such an app is another question.
        var bundleID: String
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String
    }

    private struct Claims: Decodable {
        let iss: String
        /// Apple's own Python library leaves it out.
        let iat: Int64?
        let exp: Int64
        let aud: String
        let bid: String
    }

    /// A token may be good for no longer, in seconds.
    private static let longestLifetime: Int64 = 3600

    let keys: KeyRing

    /// The caller; nil when anything at all is wrong with the header `Authorization`.
    func caller(authorization: String?, at now: Date) -> Caller? {
        guard let parts = Self.parts(of: authorization),
            let header = Self.decode(Header.self, from: parts[0]), header.alg == "ES256", header.typ == "JWT",
            let claims = Self.decode(Claims.self, from: parts[1]),
            let (account, key) = keys.find(keyID: header.kid), claims.iss == key.issuerID,
            claims.aud == "appstoreconnect-v1", !claims.bid.isEmpty, isTimely(claims, at: now),
            let bytes = Data(base64URL: parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            key.publicKey.isValidSignature(signature, for: Data((parts[0] + "." + parts[1]).utf8))
        else { return nil }
        return Caller(account: account, bundleID: claims.bid)
    }

    /// The app that a token names, whether the token is good or not.
    static func claimedBundleID(authorization: String?) -> String? {
        parts(of: authorization).flatMap { decode(Claims.self, from: $0[1]) }?.bid
    }

    private func isTimely(_ claims: Claims, at now: Date) -> Bool {
        let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
        let begin = claims.iat ?? seconds
        return (0...seconds).contains(begin) && claims.exp > seconds && claims.exp - begin <= Self.longestLifetime
    }

    private static func parts(of authorization: String?) -> [String]? {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? parts.map(String.init) : nil
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, from part: String) -> Part? {
        Data(base64URL: part).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}

extension Data {
    /// The bytes that a text in base64url without padding stands for; nil when it is none.
    fileprivate init?(base64URL text: String) {
        guard !text.contains("=") else { return nil }
        var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        self.init(base64Encoded: standard)
    }
}
