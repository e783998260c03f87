// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What `/proc` tells of processes.
enum ProcessTable {
    /// The command line as everybody can read it, its arguments separated by blanks; nil when the process is gone.
    static func commandLine(of processID: Int32) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/cmdline") else { return nil }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// Processes that a process has started and that still run, with their command lines.
    static func children(of processID: Int32) -> [(processID: Int32, commandLine: String)] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.compactMap { candidate in
            guard parent(of: candidate) == processID, let line = commandLine(of: candidate) else { return nil }
            return (candidate, line)
        }
    }

    /// The fourth field of `stat`, behind the name in parentheses (proc(5)).
    private static func parent(of processID: Int32) -> Int32? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/stat") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
