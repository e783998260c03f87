// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Writes values in PostgreSQL's binary form (network byte order) into memory that is large enough.
struct ParameterWriter {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var offset = 0

    init(_ base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    @inline(__always)
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        precondition(offset + size <= capacity, "the size of a parameter was computed too small")
        base.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Value.self)
        offset += size
    }

    mutating func double(_ value: Double) {
        integer(value.bitPattern)
    }

    mutating func text(_ value: String) {
        let isContiguous: Void? = value.utf8.withContiguousStorageIfAvailable { bytes in
            copy(UnsafeRawBufferPointer(bytes))
        }
        if isContiguous == nil {
            var copyOfValue = value
            copyOfValue.withUTF8 { bytes in
                copy(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    mutating func bytes(_ value: [UInt8]) {
        value.withUnsafeBytes { bytes in
            copy(bytes)
        }
    }

    mutating func uuid(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes in
            copy(bytes)
        }
    }

    /// One dimension, counted from 1; an empty array has none.
    @inline(__always)
    mutating func array<Element>(
        _ elements: [Element?],
        of type: PostgresType,
        _ write: (inout ParameterWriter, Element) -> Void
    ) {
        integer(Int32(elements.isEmpty ? 0 : 1))
        let nullsFlag = offset
        integer(Int32(0))
        integer(type.rawValue)
        guard !elements.isEmpty else { return }
        integer(Int32(truncatingIfNeeded: elements.count))
        integer(Int32(1))
        var hasNulls = false
        for element in elements {
            guard let element else {
                hasNulls = true
                integer(Int32(-1))
                continue
            }
            let lengthPosition = offset
            integer(Int32(0))
            write(&self, element)
            let length = Int32(truncatingIfNeeded: offset - lengthPosition - 4)
            base.storeBytes(of: length.bigEndian, toByteOffset: lengthPosition, as: Int32.self)
        }
        if hasNulls {
            base.storeBytes(of: Int32(1).bigEndian, toByteOffset: nullsFlag, as: Int32.self)
        }
    }

    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        precondition(offset + source.count <= capacity, "the size of a parameter was computed too small")
        if let start = source.baseAddress {
            base.advanced(by: offset).copyMemory(from: start, byteCount: source.count)
        }
        offset += source.count
    }
}
