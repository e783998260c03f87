// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A key of the App Store Server API, as an account would get it from App Store Connect. Made at run time.
package struct SimulatedAPIKey: Sendable {
    /// The account's id.
    package let issuerID: String
    /// Ten characters.
    package let keyID: String
    /// The private half as a `.p8` file's text: PEM around PKCS#8.
    package let privateKeyPEM: String

    let publicKey: P256.Signing.PublicKey

    init(issuerID: String) {
        let key = P256.Signing.PrivateKey()
        self.issuerID = issuerID
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        keyID = String((0..<10).map { _ in characters[Int.random(in: characters.indices)] })
        privateKeyPEM = key.pemRepresentation
        publicKey = key.publicKey
    }

    /// What a credential's file holds for whoever is to call with this key: JSON with `issuer_id`, `key_id` and
    /// `private_key`.
    package var credential: String {
        var json = JSONWriter()
        json.object { json in
            json.field("issuer_id", issuerID)
            json.field("key_id", keyID)
            json.field("private_key", privateKeyPEM)
        }
        // JSON writes line ends as two characters, so that it stays one line.
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
}
