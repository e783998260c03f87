// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Writes at once, past any buffer.
enum StandardOutput {
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            // Whoever read our output has gone, or it can't take more: there is nobody to tell.
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(written, 0))
        }
    }

    static func print(_ line: String) {
        write(line + "\n")
    }
}
