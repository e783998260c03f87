// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
import Verification
@_spi(FixedExpiryValidationTime) import X509

/// Judges the three certificates that come with a signed transaction or an app receipt.
///
/// Safe to use from many tasks at once, without an actor: the only state is a bounded cache behind a lock.
struct CertificateChainVerifier: Sendable {
    private let anchors: TrustAnchors
    private let cache: ValidatedChainCache<CertificatesDigest>

    init(anchors: TrustAnchors, cacheCapacity: Int) {
        self.anchors = anchors
        self.cache = ValidatedChainCache(capacity: cacheCapacity)
    }

    /// The chain of three certificates in DER, leaf first, if each was valid at `date`.
    ///
    /// Without a date each must have been valid when the leaf's validity began: its issuer made it then. The last one must be a
    /// trusted root by its fingerprint; the path from the first to it must hold by RFC 5280 and carry Apple's markers; the leaf's
    /// key must be of a kind that App Store data is signed with.
    ///
    /// - Throws: `Reason/badCertificate` or `Reason/untrustedRoot`.
    func validate(_ certificates: [[UInt8]], at date: Date?) async throws(Reason) -> ValidatedChain {
        let key = CertificatesDigest(certificates)
        if let chain = cache.chain(for: key) {
            guard chain.isValid(at: date) else { throw .badCertificate }
            return chain
        }
        let chain = try await build(certificates, at: date)
        cache.insert(chain, for: key)
        return chain
    }

    private func build(_ certificates: [[UInt8]], at date: Date?) async throws(Reason) -> ValidatedChain {
        guard certificates.count == 3,
            let leaf = Self.certificate(certificates[0]), let intermediate = Self.certificate(certificates[1])
        else { throw .badCertificate }
        guard let anchor = anchors.anchor(forRoot: certificates[2]) else { throw .untrustedRoot }
        guard let root = try? Certificate(derEncoded: certificates[2]),
            let leafKey = LeafKey(leaf.publicKey)
        else { throw .badCertificate }
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy(fixedExpiryValidationTime: (date ?? leaf.notValidBefore).wholeSecond)
            AppStoreChainPolicy()
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
        guard case .validCertificate = result,
            let chain = ValidatedChain(leafKey: leafKey, anchor: anchor, certificates: [leaf, intermediate, root])
        else { throw .badCertificate }
        return chain
    }

    /// A certificate whose signature is a whole number of bytes.
    ///
    /// The count of unused bits before the signature is covered by none. Were it free, one chain could be remembered
    /// under dozens of names.
    private static func certificate(_ der: [UInt8]) -> Certificate? {
        var outer = ElementReader(der[...])
        guard var fields = (try? outer.content(Element.Tag.sequence)).map(ElementReader.init),
            (try? fields.content(Element.Tag.sequence)) != nil, (try? fields.content(Element.Tag.sequence)) != nil,
            (try? fields.content(Element.Tag.bitString))?.first == 0
        else { return nil }
        return try? Certificate(derEncoded: der)
    }
}

/// The key under which a chain is remembered: SHA-256 over its certificates, each preceded by its length.
private struct CertificatesDigest: Hashable, Sendable {
    private let digest: SHA256Digest

    init(_ certificates: [[UInt8]]) {
        var hash = SHA256()
        for der in certificates {
            withUnsafeBytes(of: UInt64(der.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: der)
        }
        digest = hash.finalize()
    }
}
