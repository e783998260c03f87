// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// What the App Store Server API is shown at each call: a JWT that an account's key signed, good for some minutes.
///
/// Printing it, in any way, shows that there is one and not which.
struct BearerToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As RFC 7518 and Apple's page `generating-json-web-tokens-for-api-requests` ask for it.
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
        let typ = "JWT"
    }

    private struct Claims: Encodable {
        let iss: String
        /// Whole seconds; milliseconds are a known cause of refusals.
        let iat: Int64
        let exp: Int64
        let aud = "appstoreconnect-v1"
        let bid: String
    }

    /// How much earlier than now a token says that it was issued. Apple refuses one of the future, and our clock may be ahead of
    /// Apple's; one made anew would be of the future again. Less where its life would be longer than Apple allows. Default 60 s.
    static let backdating: Duration = .seconds(60)

    /// The token itself, for a header of a request.
    let text: String

    /// A token for one app.
    ///
    /// - Parameters:
    ///   - lifetime: at most ``BearerTokens/longestLifetime``.
    /// - Returns: nil when the cryptographic library fails, which it has no reason to.
    init?(for bundleID: BundleID, signedBy key: ServerAPIKey, at moment: Date, lifetime: Duration) {
        let now = Int64(moment.timeIntervalSince1970.rounded(.down))
        let age = min(Self.backdating, BearerTokens.longestLifetime - lifetime)
        let claims = Claims(
            iss: key.issuerID, iat: now - age.components.seconds, exp: now + lifetime.components.seconds,
            bid: bundleID.rawValue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let header = try? encoder.encode(Header(kid: key.keyID)), let payload = try? encoder.encode(claims)
        else { return nil }
        let signed = Base64.encode(header, as: .url) + "." + Base64.encode(payload, as: .url)
        guard let signature = key.signingKey.signature(over: Array(signed.utf8)) else { return nil }
        text = signed + "." + Base64.encode(signature, as: .url)
    }

    var description: String { "(a bearer token)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
