// SPDX-License-Identifier: Apache-2.0

/// What the simulator knows a receipt by, whatever the order or the spelling of its bytes.
///
/// It is the opaque value (attribute 4) in hexadecimal.
package struct ReceiptID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    init(opaqueValue: some Sequence<UInt8>) {
        rawValue = opaqueValue.hexadecimal
    }

    package var description: String { rawValue }
}
