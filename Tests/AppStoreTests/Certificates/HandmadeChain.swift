// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import Verification
import X509

@testable import AppStore

/// A chain of Apple's shape whose certificates say what a test wants them to, for what the simulator doesn't forge.
struct HandmadeChain {
    /// What a test changes of the chain.
    struct Changes {
        var leafUsage: KeyUsage? = KeyUsage(digitalSignature: true)
        var intermediateUsage: KeyUsage? = KeyUsage(keyCertSign: true, cRLSign: true)
        var leafExtensions: [Certificate.Extension] = []
        var intermediateExtensions: [Certificate.Extension] = []
        var isMarked = true
        var rootValidity = Date().addingTimeInterval(-86_400)...Date().addingTimeInterval(86_400)
        /// Changes what is signed of the leaf, before it is signed.
        var leafEdit: (([UInt8]) -> [UInt8])?
    }

    let rootKey = P384.Signing.PrivateKey()
    private let intermediateKey = P384.Signing.PrivateKey()
    private let leafKey = P256.Signing.PrivateKey()
    /// Leaf, intermediate and root. Only the last one is trusted, whatever takes its place.
    var certificates: [[UInt8]]
    private let root: [UInt8]

    init(leafUsage: KeyUsage?, intermediateUsage: KeyUsage?) throws {
        try self.init {
            $0.leafUsage = leafUsage
            $0.intermediateUsage = intermediateUsage
        }
    }

    init(_ change: (inout Changes) -> Void = { _ in }) throws {
        var changes = Changes()
        change(&changes)
        let made = changes
        let (root, intermediate) = (Certificate.PrivateKey(rootKey), Certificate.PrivateKey(intermediateKey))
        let authority = Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        var leaf = try Self.certificate("Leaf", Certificate.PublicKey(leafKey.publicKey), "Intermediate", intermediate) {
            if made.isMarked { Certificate.Extension(oid: .appleReceiptSigning, critical: false, value: [5, 0]) }
            if let usage = made.leafUsage { Critical(usage) }
            for each in made.leafExtensions { each }
        }
        if let edit = made.leafEdit {
            leaf = try Self.signed(edit(Self.part(0, of: leaf)), Self.part(1, of: leaf), by: intermediateKey)
        }
        certificates = try [
            leaf,
            Self.certificate("Intermediate", intermediate.publicKey, "Root", root) {
                authority
                Certificate.Extension(oid: .appleDeveloperRelations, critical: false, value: [5, 0])
                if let usage = made.intermediateUsage { Critical(usage) }
                for each in made.intermediateExtensions { each }
            },
            Self.certificate("Root", root.publicKey, "Root", root, validity: made.rootValidity) { authority },
        ]
        self.root = certificates[2]
    }

    /// A root certificate of a name and a key, as it might come along in the root's place.
    static func root(named name: String = "Root", _ key: P384.Signing.PrivateKey) throws -> [UInt8] {
        let key = Certificate.PrivateKey(key)
        return try certificate(name, key.publicKey, name, key) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        }
    }

    /// An element inside of a SEQUENCE, whole.
    private static func part(_ number: Int, of sequence: [UInt8]) throws -> [UInt8] {
        var outer = ElementReader(sequence[...])
        var fields = ElementReader(try outer.content(Element.Tag.sequence))
        for _ in 0..<number { _ = try fields.next() }
        return Array(try fields.next()?.encoded ?? [])
    }

    private static func signed(_ content: [UInt8], _ algorithm: [UInt8], by key: P384.Signing.PrivateKey) throws -> [UInt8] {
        let signature = Array(try key.signature(for: SHA384.hash(data: content)).derRepresentation)
        return ReceiptBytes.element(0x30, content + algorithm + ReceiptBytes.element(0x03, [0] + signature))
    }

    /// A verifier that trusts the chain's root for the simulated app.
    func verifier() throws -> SignedTransactionVerifier {
        SignedTransactionVerifier(
            anchors: TrustAnchors(further: [
                try ExtraRoot(certificate: root, bundleIDs: [SigningFixture.bundleID])
            ])
        )
    }

    /// The payload, signed by the leaf; `more` is put into the header, and ends with a comma.
    func sign(_ payload: String, header more: String = "") throws -> String {
        let x5c = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
        let header = #"{\#(more)"alg":"ES256","x5c":[\#(x5c)]}"#
        return try sign(header: Data(header.utf8), payload: Data(payload.utf8), by: leafKey)
    }

    /// The payload in any encoding, signed by the leaf, or by another key below its certificate.
    func sign(bytes payload: Data, by key: P256.Signing.PrivateKey? = nil) throws -> String {
        let x5c = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
        return try sign(header: Data(#"{"alg":"ES256","x5c":[\#(x5c)]}"#.utf8), payload: payload, by: key ?? leafKey)
    }

    private func sign(header: Data, payload: Data, by key: P256.Signing.PrivateKey) throws -> String {
        let input = [header, payload].map(Self.base64URL).joined(separator: ".")
        return input + "." + Self.base64URL(try key.signature(for: Data(input.utf8)).rawRepresentation)
    }

    private static func certificate(
        _ subject: String, _ key: Certificate.PublicKey, _ issuer: String, _ issuerKey: Certificate.PrivateKey,
        validity: ClosedRange<Date> = Date().addingTimeInterval(-86_400)...Date().addingTimeInterval(86_400),
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> [UInt8] {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(subject) },
            signatureAlgorithm: .ecdsaWithSHA384, extensions: Certificate.Extensions(builder: extensions),
            issuerPrivateKey: issuerKey
        ).derBytes
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
