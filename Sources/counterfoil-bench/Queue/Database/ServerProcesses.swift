// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The processes of a server, seen from the outside.
struct ServerProcesses: Sendable {
    let postmaster: Int32

    /// - Parameter dataFolder: of a running server; its `postmaster.pid` begins with the process id.
    init?(dataFolder: String) {
        guard let text = try? String(contentsOfFile: dataFolder + "/postmaster.pid", encoding: .utf8),
            let first = text.split(separator: "\n").first, let id = Int32(first)
        else { return nil }
        postmaster = id
    }

    /// Processor time that all of them have used so far, in seconds, in steps of a hundredth: the postmaster, the children
    /// that it has waited for, and those that live.
    var cpuSeconds: Double {
        // A child that the postmaster waits for meanwhile would be missed, or be counted twice.
        var waitedFor = waitedForTicks
        while true {
            let ticks = self.ticks
            let now = waitedForTicks
            if now == waitedFor {
                return Double(ticks) / Double(sysconf(CInt(_SC_CLK_TCK)))
            }
            waitedFor = now
        }
    }

    private var waitedForTicks: Int? { Self.facts(of: postmaster)?.waitedFor }

    private var ticks: Int {
        var ticks = 0
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for name in names {
            guard let id = Int32(name), let facts = Self.facts(of: id) else { continue }
            if id == postmaster {
                ticks += facts.own + facts.waitedFor
            } else if facts.parent == postmaster {
                ticks += facts.own
            }
        }
        return ticks
    }

    /// From `/proc/[id]/stat`, see proc(5): the second field is a name in parentheses, which may hold anything.
    private static func facts(of id: Int32) -> (parent: Int32, own: Int, waitedFor: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map(String.init)
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap { Int($0) }
        guard times.count == 4 else { return nil }
        return (parent, times[0] + times[1], times[2] + times[3])
    }
}
