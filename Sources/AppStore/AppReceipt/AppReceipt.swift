// SPDX-License-Identifier: Apache-2.0

/// The app receipt's outer form, as far as it can be told without reading it: PKCS#7 signed data in definite lengths.
enum AppReceipt {
    /// pkcs7-signedData, 1.2.840.113549.1.7.2, with its tag and length.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// Whether bytes are one SEQUENCE that fills them exactly and names signed data as its content.
    ///
    /// Cheap, and says nothing about the signature. It tells a blob that was cut or mangled on its way to us, which
    /// stays bad, from one that Apple refuses for a reason of its own.
    static func hasShape(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30, (0x81...0x84).contains(bytes[1]) else { return false }
        let start = 2 + Int(bytes[1] & 0x7F)
        guard bytes.count > start else { return false }
        let length = bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == start + length && bytes[start...].starts(with: signedData)
    }
}
