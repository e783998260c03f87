// SPDX-License-Identifier: Apache-2.0

/// An app's shared secret for verifyReceipt. Printing it, in any way, shows that there is one and not which.
package struct SharedSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself, for the body of a request.
    let text: String

    /// Takes a file's contents; nil unless they are, white space around them aside, 1 to 256 printable characters.
    init?(contents: [UInt8]) {
        let trimmed = contents[...].trimmingWhitespace()
        guard (1...256).contains(trimmed.count), trimmed.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        text = String(decoding: trimmed, as: UTF8.self)
    }

    package var description: String { "(a shared secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
