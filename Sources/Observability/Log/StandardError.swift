// SPDX-License-Identifier: Apache-2.0

import Glibc

/// This process's standard error; each line is one write, so that lines of several threads don't mix.
package struct StandardError: LogSink {
    package let keepsTime: Bool

    /// - Parameter journalStream: systemd's `JOURNAL_STREAM`, device and inode of the journal's socket: standard error is
    ///   the journal only when it is that very file (systemd.exec(5)), not merely because the variable was inherited.
    package init(journalStream: String?) {
        keepsTime = journalStream.map(Self.isStandardError) ?? false
    }

    package func write(_ line: String) {
        var bytes = Array(line.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { platformWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno != EINTR {
                // Nobody reads: there is no one left to tell.
                return
            }
        }
    }

    private static func isStandardError(_ stream: String) -> Bool {
        let parts = stream.split(separator: ":").map { UInt64($0) }
        var status = stat()
        guard parts.count == 2, let device = parts[0], let inode = parts[1], fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}

/// The system's `write`, whose name the method above hides.
private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Where lines of the log go.
package protocol LogSink: Sendable {
    /// Whether whoever reads the lines notes the time and wants a priority: the journal does.
    var keepsTime: Bool { get }

    /// Takes one line, its end included.
    func write(_ line: String)
}
