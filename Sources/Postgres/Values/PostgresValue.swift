// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The binary form of one value, and its type. Not to be kept longer than the result that it points into.
struct PostgresValue {
    let bytes: UnsafeRawBufferPointer
    /// Nil for a type that this client doesn't know.
    let type: PostgresType?
    let typeID: UInt32

    /// The first bytes as a number in network byte order; the caller has checked that there are enough.
    @inline(__always)
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(as type: Value.Type) -> Value {
        Value(bigEndian: bytes.loadUnaligned(as: type))
    }

    var double: Double { Double(bitPattern: integer(as: UInt64.self)) }

    var float: Float { Float(bitPattern: integer(as: UInt32.self)) }

    var uuid: UUID { UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }

    /// The value as text, if its binary form is text.
    var text: String? {
        guard let type else {
            // What users made may have any form; that of enums and `citext` is text.
            return typeID >= PostgresType.firstUserDefined ? String(validating: bytes, as: UTF8.self) : nil
        }
        let content: UnsafeRawBufferPointer
        if type == .jsonb {
            // A version number of one byte, always 1, precedes the text.
            guard bytes.first == 1 else { return nil }
            content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        } else {
            guard type.isTextual else { return nil }
            content = bytes
        }
        // The server sends valid UTF-8, since that is the client encoding that every connection asks for.
        return content.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    }
}
