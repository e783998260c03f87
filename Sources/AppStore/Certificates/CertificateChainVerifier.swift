// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
import Verification
import X509

/// Judges the certificates that come with a signed transaction or an app receipt.
///
/// Leaf and intermediate are judged by the trusted roots that bear the intermediate's issuer's name, and by their keys, whatever
/// root came along: the one that came is no reason to believe anything. Chains have exactly three certificates.
///
/// Safe to use from many tasks at once, without an actor: the only state is a bounded cache behind a lock.
struct CertificateChainVerifier: Sendable {
    /// Leaf and intermediate in DER, and what came along in the root's place.
    struct Candidate {
        let leaf: [UInt8]
        let intermediate: [UInt8]
        /// Certificates of the name of the intermediate's issuer. They only decide how a refusal is called.
        let roots: [[UInt8]]
    }

    private let anchors: TrustAnchors
    private let cache: ValidatedChainCache<CertificatesDigest>

    init(anchors: TrustAnchors, cacheCapacity: Int) {
        self.anchors = anchors
        self.cache = ValidatedChainCache(capacity: cacheCapacity)
    }

    /// The chain of three certificates in DER, leaf first: ``validate(_:at:)``. The third must claim to be a trusted root.
    ///
    /// - Throws: `Reason/badCertificate` or `Reason/untrustedRoot`.
    func validate(_ certificates: [[UInt8]], at date: Date?) throws(Reason) -> ValidatedChain {
        guard certificates.count == 3, EmbeddedCertificate(der: certificates[0]) != nil,
            let intermediate = EmbeddedCertificate(der: certificates[1])
        else { throw .badCertificate }
        guard let root = EmbeddedCertificate(der: certificates[2]), !anchors.roots(named: root.subject).isEmpty else {
            throw .untrustedRoot
        }
        guard intermediate.issuer == root.subject else { throw .badCertificate }
        return try validate(
            Candidate(leaf: certificates[0], intermediate: certificates[1], roots: [certificates[2]]), at: date)
    }

    /// The chain of leaf, intermediate and a trusted root, if the first two were valid at `date`.
    ///
    /// Without a date each must have been valid when the leaf's validity began: its issuer made it then. Names must follow each
    /// other (RFC 5280, section 7.1), each signature must hold up to a trusted root's key, and ``AppStoreChainPolicy`` must find
    /// the chain to be the App Store's; what it finds odd is the chain's to name. The leaf's key must be of a kind that App Store
    /// data may be signed with.
    ///
    /// - Throws: `Reason/badCertificate`; `Reason/untrustedRoot` where no trusted root bears the name, or another one came along.
    func validate(_ candidate: Candidate, at date: Date?) throws(Reason) -> ValidatedChain {
        let key = CertificatesDigest([candidate.leaf, candidate.intermediate])
        if let chain = cache.chain(for: key) {
            guard chain.isValid(at: date) else { throw .badCertificate }
            return chain
        }
        let chain = try build(candidate, at: date)
        // The bytes of an odd one may have been changed in many ways without harm to a signature: it is judged each time.
        if !chain.isOdd { cache.insert(chain, for: key) }
        return chain
    }

    private func build(_ candidate: Candidate, at date: Date?) throws(Reason) -> ValidatedChain {
        guard let (leaf, leafIsDER) = Self.certificate(candidate.leaf),
            let (intermediate, intermediateIsDER) = Self.certificate(candidate.intermediate),
            let leafNames = EmbeddedCertificate(der: candidate.leaf),
            let names = EmbeddedCertificate(der: candidate.intermediate), leafNames.issuer == names.subject,
            intermediate.publicKey.isValidSignature(leaf.signature, for: leaf)
        else { throw .badCertificate }
        let (root, anchor) = try root(of: intermediate, named: names.issuer, among: candidate.roots)
        let policy = AppStoreChainPolicy(leaf: leaf, intermediate: intermediate, root: root)
        let oddities = policy.oddities + (leafIsDER && intermediateIsDER ? [] : ["certificates are not in DER"])
        guard policy.isAppStores, let leafKey = LeafKey(leaf.publicKey),
            let chain = ValidatedChain(
                leafKey: leafKey, anchor: anchor, certificates: [leaf, intermediate, root], oddities: oddities),
            chain.isValid(at: date ?? leaf.notValidBefore)
        else { throw .badCertificate }
        return chain
    }

    /// The trusted root of a name whose key signed the intermediate.
    private func root(
        of intermediate: Certificate, named name: CertificateName, among roots: [[UInt8]]
    ) throws(Reason) -> (Certificate, TrustAnchors.Anchor) {
        let trusted = anchors.roots(named: name)
        guard !trusted.isEmpty else { throw .untrustedRoot }
        for der in trusted {
            guard let anchor = anchors.anchor(forRoot: der), let root = try? Certificate(derEncoded: der),
                root.publicKey.isValidSignature(intermediate.signature, for: intermediate)
            else { continue }
            return (root, anchor)
        }
        throw roots.isEmpty || roots.contains { anchors.anchor(forRoot: $0) != nil } ? .badCertificate : .untrustedRoot
    }

    /// A certificate whose signature is a whole number of bytes, and which names one algorithm for it in both places.
    ///
    /// The count of unused bits before the signature is covered by none, nor is the outer algorithm. Were they free, one chain
    /// could be remembered under dozens of names. That the algorithms are the same is RFC 5280's rule, too (section 4.1.1.2).
    ///
    /// - Parameter bytes: the outermost element need not be DER, as long as what is signed is.
    private static func certificate(_ bytes: [UInt8]) -> (Certificate, isDER: Bool)? {
        guard let der = try? normalized(bytes), let certificate = try? Certificate(derEncoded: der) else { return nil }
        return (certificate, der == bytes)
    }

    /// - Throws: `Reason/malformedProof`, also for what the rules above forbid.
    private static func normalized(_ bytes: [UInt8]) throws(Reason) -> [UInt8] {
        var outer = ElementReader(bytes[...])
        var fields = ElementReader(try outer.content(Element.Tag.sequence))
        let signed = try fields.element(Element.Tag.sequence)
        let algorithm = try fields.element(Element.Tag.sequence)
        let signature = try fields.element(Element.Tag.bitString)
        var inner = ElementReader(signed.content)
        _ = try inner.element(ifTagged: Element.Tag.context0)
        _ = try inner.content(Element.Tag.integer)
        guard fields.isAtEnd, signature.content.first == 0,
            try inner.content(Element.Tag.sequence).elementsEqual(algorithm.content)
        else { throw .malformedProof }
        return Element.encoded(Element.Tag.sequence, [signed.encoded, algorithm.encoded, signature.encoded])
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
