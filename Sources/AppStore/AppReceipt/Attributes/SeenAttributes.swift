// SPDX-License-Identifier: Apache-2.0

/// The attributes of one set that a verdict needs, as far as they were read: one that comes again with another value contradicts
/// itself.
struct SeenAttributes {
    private var seen: [(type: Int64, value: ArraySlice<UInt8>)] = []

    /// Whether the attribute stood there before with another value. Nobody knows then which of the two Apple means.
    mutating func contradict(_ attribute: ReceiptAttributeReader.Attribute) -> Bool {
        guard ReceiptAttributeType.isRead(attribute.type) else { return false }
        if let other = seen.first(where: { $0.type == attribute.type }) { return !other.value.elementsEqual(attribute.value) }
        seen.append((attribute.type, attribute.value))
        return false
    }
}
