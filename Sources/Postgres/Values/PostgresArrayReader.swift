// SPDX-License-Identifier: Apache-2.0

/// Reads PostgreSQL's binary form of an array (`array_send` in the server's `arrayfuncs.c`): number of dimensions, a
/// flag for nulls, the elements' type, length and lower bound of each dimension, then each element with its length.
struct PostgresArrayReader {
    private let bytes: UnsafeRawBufferPointer
    let elementTypeID: UInt32
    let count: Int

    /// Nil for what is not an array of at most one dimension.
    init?(_ value: PostgresValue) {
        guard value.type?.element != nil || value.typeID >= PostgresType.firstUserDefined else { return nil }
        bytes = value.bytes
        guard bytes.count >= 12 else { return nil }
        let dimensions = Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))
        elementTypeID = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        switch dimensions {
        case 0: count = 0
        case 1 where bytes.count >= 20:
            let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: Int32.self)))
            // Every element has at least its length: a count beyond that is not an array at all.
            guard length >= 0, length <= (bytes.count - 20) / 4 else { return nil }
            count = length
        default: return nil
        }
    }

    /// All elements, nil where the array holds a null.
    ///
    /// - Returns: nil if `read` returns nil for an element, or the bytes are not what they should be.
    func elements<Element>(_ read: (PostgresValue) -> Element?) -> [Element?]? {
        var result: [Element?] = []
        result.reserveCapacity(count)
        let type = PostgresType(rawValue: elementTypeID)
        var offset = 20
        for _ in 0..<count {
            guard offset + 4 <= bytes.count else { return nil }
            let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            offset += 4
            guard length >= 0 else {
                result.append(nil)
                continue
            }
            guard offset + length <= bytes.count else { return nil }
            let element = PostgresValue(
                bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]),
                type: type,
                typeID: elementTypeID
            )
            guard let value = read(element) else { return nil }
            result.append(value)
            offset += length
        }
        return result
    }
}
