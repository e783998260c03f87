// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Writes what the readers read: base64 in the URL alphabet, without padding.
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
