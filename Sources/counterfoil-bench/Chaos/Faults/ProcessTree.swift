// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The children of a process, as Linux shows them.
enum ProcessTree {
    struct Child {
        let id: Int32
        /// The arguments, a blank after each.
        let commandLine: String
    }

    /// Empty when the process is gone.
    static func children(of process: Int32) -> [Child] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.flatMap { thread in
            contents("/proc/\(process)/task/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
        }
        .map { child in
            Child(id: child, commandLine: contents("/proc/\(child)/cmdline").replacing("\0", with: " "))
        }
    }

    private static func contents(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
