// SPDX-License-Identifier: Apache-2.0

/// Why the play couldn't go on: something of ours that it stands on failed, not what is being judged.
struct DevError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
