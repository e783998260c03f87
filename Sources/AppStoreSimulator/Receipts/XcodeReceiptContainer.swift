// SPDX-License-Identifier: Apache-2.0

/// A receipt's container as Xcode's local testing writes it: BER with indefinite lengths, and the content in an octet
/// string of pieces. Its base64 begins `MIA`, and no real store ever took one.
struct XcodeReceiptContainer {
    /// Tag, length and content; the length is definite.
    let contentType: [UInt8]
    let digestAlgorithms: [UInt8]
    let content: [UInt8]
    let certificate: [UInt8]
    let signerInfo: [UInt8]

    /// Takes apart a container in definite lengths, with one certificate and one signer.
    init(_ container: ReceiptContainer) throws(ReceiptContentsError) {
        let bytes: [UInt8]
        do {
            bytes = try container.encoded()
        } catch {
            throw .malformed("container can't be encoded")
        }
        var outer = DERReader(bytes[...])
        var contentInfo = DERReader(try outer.expect(DERReader.Tag.sequence))
        contentType = Self.definite(
            DERReader.Tag.objectIdentifier, Array(try contentInfo.expect(DERReader.Tag.objectIdentifier)))
        var explicit = DERReader(try contentInfo.expect(DERReader.Tag.explicitZero))
        var signedData = DERReader(try explicit.expect(DERReader.Tag.sequence))
        _ = try signedData.expect(DERReader.Tag.integer)
        digestAlgorithms = Self.definite(DERReader.Tag.set, Array(try signedData.expect(DERReader.Tag.set)))
        _ = try signedData.expect(DERReader.Tag.sequence)
        certificate = Array(try signedData.expect(DERReader.Tag.explicitZero))
        signerInfo = Array(try signedData.expect(DERReader.Tag.set))
        content = container.content ?? []
    }

    func encoded() -> [UInt8] {
        let dataType: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let pieces = Self.indefinite(0x24, Self.definite(DERReader.Tag.octetString, content))
        let encapsulated = Self.indefinite(
            DERReader.Tag.sequence, dataType + Self.indefinite(DERReader.Tag.explicitZero, pieces))
        let signedData = Self.indefinite(
            DERReader.Tag.sequence,
            [0x02, 0x01, 0x01] + digestAlgorithms + encapsulated
                + Self.indefinite(DERReader.Tag.explicitZero, certificate)
                + Self.definite(DERReader.Tag.set, signerInfo))
        return Self.indefinite(
            DERReader.Tag.sequence, contentType + Self.indefinite(DERReader.Tag.explicitZero, signedData))
    }

    /// An element that ends with two zero bytes (X.690, section 8.1.3.6).
    private static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    private static func definite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        let bytes = (0..<4).reversed().map { UInt8(count >> (8 * $0) & 0xFF) }
        return [tag, 0x84] + bytes + content
    }
}
