// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// What the figures were measured on.
struct Machine: Codable, Sendable {
    let cores: Int
    let processor: String
    let memoryBytes: Int
    let kernel: String

    /// Processors that this process may use.
    static var cores: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// Processes that ran or wanted to, over the last minute.
    static var load: Double {
        Double(contents("/proc/loadavg").split(separator: " ").first ?? "") ?? .nan
    }

    static var current: Machine {
        let processor = contents("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        let memory = contents("/proc/meminfo").split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return Machine(
            cores: cores,
            processor: processor?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown",
            memoryBytes: (Int(memory?.filter(\.isNumber) ?? "") ?? 0) * 1024,
            kernel: String(contents("/proc/sys/kernel/osrelease").prefix { $0 != "\n" }))
    }

    /// For people.
    var lines: [String] { ["machine     \(summary)"] }

    var summary: String {
        let memory = Measurement.Figure(value: Double(memoryBytes) / 1e9, unit: "GB")
        return "\(cores) cores, \(processor), \(memory), Linux \(kernel)"
    }

    private static func contents(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
