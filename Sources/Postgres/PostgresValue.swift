// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The binary form of one value, and its type. Not to be kept longer than the result that it points into.
struct PostgresValue {
    let bytes: UnsafeRawBufferPointer
    let typeID: UInt32

    var type: PostgresType? { PostgresType(rawValue: typeID) }

    /// The first bytes as a number in network byte order; the caller has checked that there are enough.
    @inline(__always)
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(as type: Value.Type) -> Value {
        Value(bigEndian: bytes.loadUnaligned(as: type))
    }

    var double: Double { Double(bitPattern: integer(as: UInt64.self)) }

    var float: Float { Float(bitPattern: integer(as: UInt32.self)) }

    var uuid: UUID { UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }

    /// The value as text, if its binary form is text in valid UTF-8.
    var text: String? {
        if type == .jsonb {
            // A version number of one byte, always 1, precedes the text.
            return bytes.first == 1 ? String(validating: bytes.dropFirst(), as: UTF8.self) : nil
        }
        guard type?.isTextual ?? (typeID >= PostgresType.firstUserDefined) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
