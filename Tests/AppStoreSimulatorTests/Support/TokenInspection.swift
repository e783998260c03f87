// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Everything that is wrong with a signed transaction, found by checks that don't depend on one another.
struct TokenInspection {
    enum Finding: Hashable {
        case partCount, header, payload, environment
        case algorithm, certificatesMissing, certificateCount, certificateEncoding, certificateForm
        case chain, untrustedRoot, leafMarker, intermediateMarker, validity, keyCurve
        case signatureForm, signature
    }

    private struct Header: Decodable {
        var alg: String?
        var x5c: [String]?
    }

    private struct Payload: Decodable {
        var environment: String
        var signedDate: Double
    }

    private(set) var findings: Set<Finding> = []
    private let authority: SimulatedCertificateAuthority

    init(_ token: String, authority: SimulatedCertificateAuthority, signedAt date: Date) async throws {
        self.authority = authority
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        if parts.count != 3 { findings.insert(.partCount) }

        let header = Self.json(parts[0], as: Header.self)
        if header == nil { findings.insert(.header) }
        if let header, header.alg != "ES256" { findings.insert(.algorithm) }
        if let payload = Self.json(parts[1], as: Payload.self) {
            if payload.environment != "Production" { findings.insert(.environment) }
        } else {
            findings.insert(.payload)
        }

        let certificates = header.map { readCertificates($0.x5c) } ?? []
        await inspect(certificates, at: date)
        if parts.count > 2 {
            let key = (certificates.first ?? authority.chain[0]).publicKey
            inspect(signature: parts[2], over: parts[0] + "." + parts[1], by: key)
        }
    }

    private mutating func readCertificates(_ entries: [String]?) -> [Certificate] {
        guard let entries else {
            findings.insert(.certificatesMissing)
            return []
        }
        if entries.count != 3 { findings.insert(.certificateCount) }
        return entries.compactMap { entry in
            if Data(base64Encoded: entry) == nil { findings.insert(.certificateEncoding) }
            guard let bytes = Data(base64Encoded: entry) ?? Self.base64URL(entry), !bytes.isEmpty else { return nil }
            let certificate = try? Certificate(derEncoded: Array(bytes))
            if certificate == nil { findings.insert(.certificateForm) }
            return certificate
        }
    }

    private mutating func inspect(_ certificates: [Certificate], at date: Date) async {
        guard let leaf = certificates.first else { return }
        if certificates.count > 2, certificates[2] != authority.chain[2] { findings.insert(.untrustedRoot) }
        if leaf.extensions[oid: .appleReceiptSigning] == nil { findings.insert(.leafMarker) }
        if certificates.count > 1, certificates[1].extensions[oid: .appleDeveloperRelations] == nil {
            findings.insert(.intermediateMarker)
        }
        if certificates.contains(where: { !($0.notValidBefore...$0.notValidAfter).contains(date) }) {
            findings.insert(.validity)
        }

        // At a moment when all are valid, so that validity is a finding of its own.
        let common = certificates.map(\.notValidBefore).max().map { $0.addingTimeInterval(1) } ?? date
        var verifier = Verifier(rootCertificates: CertificateStore([authority.chain[2]])) {
            RFC5280Policy(fixedExpiryValidationTime: common)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst()))
        if case .validCertificate(let path) = result, path.count == 3,
            path.prefix(2).elementsEqual(certificates.prefix(2))
        {
        } else {
            findings.insert(.chain)
        }
    }

    private mutating func inspect(signature text: String, over signed: String, by key: Certificate.PublicKey) {
        let bytes = Self.base64URL(text) ?? Data()
        let message = Data(signed.utf8)
        if let key = P256.Signing.PublicKey(key) {
            if let signature = bytes.count == 64 ? try? P256.Signing.ECDSASignature(rawRepresentation: bytes) : nil {
                if !key.isValidSignature(signature, for: message) { findings.insert(.signature) }
            } else {
                findings.insert(.signatureForm)
                if let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes),
                    !key.isValidSignature(signature, for: message)
                {
                    findings.insert(.signature)
                }
            }
        } else {
            findings.insert(.keyCurve)
            let valid = P384.Signing.PublicKey(key).flatMap { key in
                (try? P384.Signing.ECDSASignature(rawRepresentation: bytes)).map {
                    key.isValidSignature($0, for: message)
                }
            }
            if valid != true { findings.insert(.signature) }
        }
    }

    static func json<Value: Decodable>(_ part: String, as type: Value.Type) -> Value? {
        base64URL(part).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    static func base64URL(_ text: String) -> Data? {
        var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        standard += String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard)
    }
}
