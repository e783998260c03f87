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

    /// Leaf, intermediate and root among three certificates, by their names alone: the one that the signer names, the
    /// one left over, and the one that is its own issuer. Whether they belong together is for others to judge.
    ///
    /// - Throws: `Reason/badCertificate` when the signer's isn't among them, or two of them could be it.
    static func chain(of signer: SignerInfo, among certificates: [EmbeddedCertificate]) throws(Reason) -> [[UInt8]] {
        let signers = certificates.indices.filter { certificates[$0].isNamed(by: signer) }
        guard signers.count == 1 else { throw .badCertificate }
        var authorities = certificates
        let leaf = authorities.remove(at: signers[0])
        // Apple puts the root last. It doesn't have to.
        if let first = authorities.first, first.issuer.elementsEqual(first.subject) { authorities.reverse() }
        return ([leaf] + authorities).map { Array($0.der) }
    }

    private func isNamed(by signer: SignerInfo) -> Bool {
        serialNumber.elementsEqual(signer.serialNumber) && issuer.elementsEqual(signer.issuer)
    }
}
