// SPDX-License-Identifier: Apache-2.0

import Verification

/// A certificate that came with a receipt, known by its names and not yet looked into any further.
struct EmbeddedCertificate {
    /// The whole certificate.
    let der: ArraySlice<UInt8>

    private let serialNumber: ArraySlice<UInt8>
    private let issuer: ArraySlice<UInt8>
    private let subject: ArraySlice<UInt8>

    /// - Throws: `Reason/badCertificate` when it doesn't begin as an X.509 certificate does (RFC 5280, section 4.1).
    init(_ element: Element) throws(Reason) {
        do {
            try self.init(certificate: element)
        } catch {
            throw .badCertificate
        }
    }

    private init(certificate element: Element) throws(Reason) {
        var outer = ElementReader(element.encoded)
        var certificate = ElementReader(try outer.content(Element.Tag.sequence))
        var fields = ElementReader(try certificate.content(Element.Tag.sequence))
        _ = try fields.element(ifTagged: Element.Tag.context0)
        serialNumber = try fields.content(Element.Tag.integer)
        _ = try fields.content(Element.Tag.sequence)
        issuer = try fields.element(Element.Tag.sequence).encoded
        _ = try fields.content(Element.Tag.sequence)
        subject = try fields.element(Element.Tag.sequence).encoded
        der = element.encoded
    }

    /// The ways from the signer's certificate over an intermediate to a root, by their names alone: DER of leaf, intermediate
    /// and root. Whether they belong together is for others to judge.
    ///
    /// Other certificates are passed over. A root that came with the receipt has to be a trusted one; where none did, a trusted
    /// root of that name takes its place.
    ///
    /// - Throws: `Reason/badCertificate` when the signer's isn't among them, two of them could be it, or there is none of its
    ///   issuer; `Reason/untrustedRoot` when no root of any intermediate is there or known.
    static func paths(
        of signer: SignerInfo, among certificates: [EmbeddedCertificate], to anchors: TrustAnchors
    ) throws(Reason) -> [[[UInt8]]] {
        var distinct: [EmbeddedCertificate] = []
        for certificate in certificates where !distinct.contains(where: { $0.isSame(as: certificate) }) {
            distinct.append(certificate)
        }
        let leaves = distinct.filter { $0.isNamed(by: signer) }
        guard leaves.count == 1 else { throw .badCertificate }
        let leaf = leaves[0]
        let authorities = distinct.filter { !$0.isSame(as: leaf) }
        let intermediates = authorities.filter { $0.subject.elementsEqual(leaf.issuer) }
        guard !intermediates.isEmpty else { throw .badCertificate }
        var paths: [[[UInt8]]] = []
        for intermediate in intermediates {
            let embedded = authorities.filter { $0.isRoot(of: intermediate) }.map { Array($0.der) }
            // One that isn't trusted is judged as such.
            let trusted = embedded.filter { anchors.anchor(forRoot: $0) != nil }
            let roots = embedded.isEmpty ? anchors.roots(named: intermediate.issuer) : trusted.isEmpty ? embedded : trusted
            paths += roots.map { [Array(leaf.der), Array(intermediate.der), $0] }
        }
        guard !paths.isEmpty else { throw .untrustedRoot }
        return paths
    }

    /// The subject of a certificate in DER, as an element; nil when it is no certificate.
    static func name(of der: [UInt8]) -> ArraySlice<UInt8>? {
        var reader = ElementReader(der[...])
        guard let element = try? reader.next() else { return nil }
        return (try? EmbeddedCertificate(element))?.subject
    }

    private func isNamed(by signer: SignerInfo) -> Bool {
        serialNumber.elementsEqual(signer.serialNumber) && issuer.elementsEqual(signer.issuer)
    }

    private func isRoot(of other: EmbeddedCertificate) -> Bool {
        subject.elementsEqual(issuer) && subject.elementsEqual(other.issuer)
    }

    private func isSame(as other: EmbeddedCertificate) -> Bool {
        der.elementsEqual(other.der)
    }
}
