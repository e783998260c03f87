// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import X509

extension SimulatedCertificateAuthority {
    /// The JWS that is wrong in the way of `variant`.
    func forge(_ variant: ForgedVariant, payload: [UInt8], at date: Date) throws -> String {
        let identity = try signingIdentity(for: variant, at: date)
        let header = try header(for: variant, certificates: identity.certificates)
        let body = variant == .payloadNotJSON ? Array("not JSON".utf8).base64URL : payload.base64URL
        let signed = header + "." + body

        switch variant {
        case .payloadSwapped:
            let other = header + "." + Array("{}".utf8).base64URL
            return try signed + "." + identity.signature(over: Array(other.utf8)).base64URL
        case .emptyPayload:
            return try header + ".." + identity.signature(over: Array((header + ".").utf8)).base64URL
        case .algNone, .emptySignature:
            return signed + "."
        case .twoParts:
            return signed
        case .fourParts:
            return try signed + "." + identity.signature(over: Array(signed.utf8)).base64URL + "." + body
        default:
            return try signed + "." + signature(for: variant, by: identity, over: Array(signed.utf8)).base64URL
        }
    }

    /// The key that signs, and the certificates that the header shows.
    private func signingIdentity(for variant: ForgedVariant, at date: Date) throws -> SigningIdentity {
        switch variant {
        case .selfSigned, .xcodeSigned:
            let key = P256.Signing.PrivateKey()
            let leaf = try chainForger(at: date).selfSigned(by: Certificate.PrivateKey(key))
            return SigningIdentity(key: .p256(key), certificates: [leaf])
        case .foreignRoot:
            return try SimulatedCertificateAuthority(
                now: authorityValidity.lowerBound.addingTimeInterval(2 * Self.year)
            )
            .leaf(at: date).identity
        case .leafKeyOnP384:
            let key = P384.Signing.PrivateKey()
            let forger = chainForger(at: date)
            let leaf = try forger.leafRecipe(key: Certificate.PublicKey(key.publicKey)).makeCertificate()
            return SigningIdentity(key: .p384(key), certificates: [leaf] + forger.honest.dropFirst())
        default:
            let forger = chainForger(at: date)
            return SigningIdentity(
                key: leaf(at: date).identity.key, certificates: try certificates(for: variant, by: forger))
        }
    }

    /// The certificates of the variants that keep the honest leaf's key.
    private func certificates(for variant: ForgedVariant, by forger: ChainForger) throws -> [Certificate] {
        let chain = forger.honest
        return switch variant {
        case .twoCertificates: Array(chain.prefix(2))
        case .fourCertificates: chain + [chain[2]]
        case .reversedCertificates: chain.reversed()
        default: try forger.chain(variant) ?? chain
        }
    }

    private func chainForger(at date: Date) -> ChainForger {
        ChainForger(
            authority: self, honest: leaf(at: date).identity.certificates,
            intermediateKey: Certificate.PrivateKey(intermediateKey), madeAt: date)
    }

    private func header(for variant: ForgedVariant, certificates: [Certificate]) throws -> String {
        var header = try ProtectedHeader(certificates: certificates)
        switch variant {
        case .emptyHeader: return ""
        case .headerNotJSON: return Array("not JSON".utf8).base64URL
        case .algNone: header.algorithm = "none"
        case .algHS256: header.algorithm = "HS256"
        case .algRS256: header.algorithm = "RS256"
        case .algMissing: header.algorithm = nil
        case .x5cMissing: header.certificates = nil
        case .x5cEmpty: header.certificates = []
        case .x5cBase64URL: header.certificates = try certificates.map { try $0.derBytes.base64URL }
        case .x5cNotBase64: header.certificates = ["*", "**", "***"]
        case .x5cNotCertificates:
            header.certificates = certificates.map { _ in Data("no certificate".utf8).base64EncodedString() }
        default: break
        }
        return header.encoded
    }

    private func signature(for variant: ForgedVariant, by identity: SigningIdentity, over bytes: [UInt8]) throws
        -> [UInt8]
    {
        switch variant {
        case .algHS256:
            let key = SymmetricKey(data: identity.publicPoint)
            return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .signatureByOtherKey:
            return try Array(P256.Signing.PrivateKey().signature(for: bytes).rawRepresentation)
        case .signatureTruncated:
            return try identity.signature(over: bytes).dropLast()
        case .signatureDER:
            return try identity.signatureInDER(over: bytes)
        default:
            return try identity.signature(over: bytes)
        }
    }
}
