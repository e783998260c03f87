// SPDX-License-Identifier: Apache-2.0

/// The form and the length of an app receipt, by its first bytes. The symbols are those of standard base64, without padding.
enum EncodedReceipt {
    /// The bytes that the outermost DER element of an app receipt announces, with its head; nil for anything else.
    ///
    /// - Parameter head: the first bytes, at least 5 where the receipt has them.
    static func announcedBytes(_ head: some Collection<UInt8>) -> Int? {
        let head = Array(head.prefix(5))
        guard head.count == 5, head[0] == 0x30 else { return nil }
        switch head[1] {
        case 0x82: return 4 + (Int(head[2]) << 8 | Int(head[3]))
        case 0x83: return 5 + (Int(head[2]) << 16 | Int(head[3]) << 8 | Int(head[4]))
        default: return nil
        }
    }

    /// Whether an app receipt has exactly the bytes that it announces.
    static func isWhole(_ symbols: [UInt8]) -> Bool {
        Base64.decode(unpadded: symbols.prefix(8), as: .standard).flatMap(announcedBytes) == symbols.count * 3 / 4
    }

    /// Whether bytes that aren't encoded begin as an app receipt does. Base64 of fewer than three is too short to be read as such.
    static func isUnencoded(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= 3 else { return false }
        return bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x83])
    }
}
