// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials

/// A token for the App Store Server API, right in every respect unless changed.
struct TokenDraft {
    var algorithm = "ES256"
    var type = "JWT"
    var keyID: String
    var issuer: String
    var issuedAt: Int64
    /// False leaves `iat` out.
    var namesItsBeginning = true
    var expiresAt: Int64
    var audience = "appstoreconnect-v1"
    var bundleID = "com.example.app"
    var privateKeyPEM: String

    init(_ key: SimulatedAPIKey, at now: Date = Date()) {
        keyID = key.keyID
        issuer = key.issuerID
        issuedAt = Int64(now.timeIntervalSince1970)
        expiresAt = issuedAt + 1200
        privateKeyPEM = key.privateKeyPEM
    }

    /// The token that the account of a simulator's apps would use now.
    static func right(for simulator: AppStoreSimulator, bundleID: String = "com.example.app") throws -> String {
        var draft = TokenDraft(simulator.apiKey())
        draft.bundleID = bundleID
        return try draft.signed()
    }

    func signed() throws -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"\#(keyID)","typ":"\#(type)"}"#
        let begin = namesItsBeginning ? #""iat":\#(issuedAt),"# : ""
        let claims =
            #"{"iss":"\#(issuer)",\#(begin)"exp":\#(expiresAt),"aud":"\#(audience)","bid":"\#(bundleID)"}"#
        let text = Self.base64URL(Data(header.utf8)) + "." + Self.base64URL(Data(claims.utf8))
        let key = try P256.Signing.PrivateKey(pemRepresentation: privateKeyPEM)
        return text + "." + Self.base64URL(try key.signature(for: Data(text.utf8)).rawRepresentation)
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
