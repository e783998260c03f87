// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import Verification
import X509

/// A certificate that came with a proof, known by its names and not yet looked into any further.
struct EmbeddedCertificate {
    /// The whole certificate.
    let der: ArraySlice<UInt8>

    let issuer: CertificateName
    let subject: CertificateName

    private let serialNumber: ArraySlice<UInt8>

    /// Nil for what doesn't begin as an X.509 certificate does (RFC 5280, section 4.1).
    init?(_ element: Element) {
        do {
            var outer = ElementReader(element.encoded)
            var certificate = ElementReader(try outer.content(Element.Tag.sequence))
            var fields = ElementReader(try certificate.content(Element.Tag.sequence))
            _ = try fields.element(ifTagged: Element.Tag.context0)
            serialNumber = try fields.content(Element.Tag.integer)
            _ = try fields.content(Element.Tag.sequence)
            let issuer = CertificateName(try fields.element(Element.Tag.sequence).encoded)
            _ = try fields.content(Element.Tag.sequence)
            let subject = CertificateName(try fields.element(Element.Tag.sequence).encoded)
            guard let issuer, let subject else { return nil }
            self.issuer = issuer
            self.subject = subject
        } catch {
            return nil
        }
        der = element.encoded
    }

    /// - Parameter der: a certificate. Bytes behind it are passed over.
    init?(der: [UInt8]) {
        var reader = ElementReader(der[...])
        guard let element = try? reader.next() else { return nil }
        self.init(element)
    }

    /// The ways from the signer's certificate to an intermediate, by their names alone. Whether they belong together, and what root
    /// vouches for them, is for others to judge.
    ///
    /// Other certificates are passed over.
    ///
    /// - Throws: `Reason/badCertificate` when the signer's isn't among them, two of them could be it, or there is none of its
    ///   issuer.
    static func candidates(
        of signer: SignerInfo, among certificates: [EmbeddedCertificate]
    ) throws(Reason) -> [CertificateChainVerifier.Candidate] {
        var distinct: [EmbeddedCertificate] = []
        for certificate in certificates where !distinct.contains(where: { $0.isSame(as: certificate) }) {
            distinct.append(certificate)
        }
        let leaves = distinct.filter { $0.isNamed(by: signer) }
        guard leaves.count == 1 else { throw .badCertificate }
        let leaf = leaves[0]
        let authorities = distinct.filter { !$0.isSame(as: leaf) }
        let intermediates = authorities.filter { $0.subject == leaf.issuer }
        guard !intermediates.isEmpty else { throw .badCertificate }
        return intermediates.map { intermediate in
            CertificateChainVerifier.Candidate(
                leaf: Array(leaf.der), intermediate: Array(intermediate.der),
                roots: authorities.filter { $0.isRoot(of: intermediate) }.map { Array($0.der) })
        }
    }

    private func isNamed(by signer: SignerInfo) -> Bool {
        switch signer.identifier {
        case .issuer(let issuer, let serialNumber):
            return self.serialNumber.elementsEqual(serialNumber) && self.issuer == issuer
        case .key(let identifier):
            guard let certificate = try? Certificate(derEncoded: Array(der)),
                let key = try? certificate.extensions.subjectKeyIdentifier
            else { return false }
            return key.keyIdentifier.elementsEqual(identifier)
        }
    }

    private func isRoot(of other: EmbeddedCertificate) -> Bool {
        subject == issuer && subject == other.issuer
    }

    private func isSame(as other: EmbeddedCertificate) -> Bool {
        der.elementsEqual(other.der)
    }
}
