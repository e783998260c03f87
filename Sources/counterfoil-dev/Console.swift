// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where people read along: results on standard output, everything else on standard error. Nothing is buffered.
enum Console {
    /// Whether a person sees standard error on a terminal, which can be drawn over.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// A part of the result.
    static func print(_ text: String) {
        send(text + "\n", to: STDOUT_FILENO)
    }

    /// What is going on.
    static func note(_ line: String) {
        send(line + "\n", to: STDERR_FILENO)
    }

    /// Replaces the line that was drawn before; an empty one makes room for others.
    static func draw(_ line: String) {
        send("\r\u{1B}[K" + line, to: STDERR_FILENO)
    }

    private static func send(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // Whoever read along has gone: there is nobody to tell.
            guard written > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(written, 0))
        }
    }
}
