// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import FoundationEssentials
import Glibc

/// What the kernel says of this process, under the names that Prometheus's own libraries use.
package struct ProcessStatistics: Sendable {
    private static let residentMemory = PrometheusFamily(
        name: "process_resident_memory_bytes", kind: .gauge, help: "Resident memory size in bytes.")
    private static let virtualMemory = PrometheusFamily(
        name: "process_virtual_memory_bytes", kind: .gauge, help: "Virtual memory size in bytes.")
    private static let cpu = PrometheusFamily(
        name: "process_cpu_seconds_total", kind: .counter, help: "Total user and system CPU time spent in seconds.")
    private static let openFiles = PrometheusFamily(
        name: "process_open_fds", kind: .gauge, help: "Number of open file descriptors.")
    private static let startTime = PrometheusFamily(
        name: "process_start_time_seconds", kind: .gauge, help: "Start time of the process since 1970 in seconds.")

    package static let families = [residentMemory, virtualMemory, cpu, openFiles, startTime]

    /// Reads `/proc` (proc(5)) and renders what it says; what it doesn't say is left out.
    package static func text() -> String {
        var text = ""
        func tell(_ family: PrometheusFamily, _ value: Double?) {
            guard let value else { return }
            text += PrometheusText.header(family) + "\(family.name) \(PrometheusText.number(value))\n"
        }
        let stat = fields(of: "/proc/self/stat")
        let pages = fields(of: "/proc/self/statm")
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        // Numbered from the process's name on, which stands in parentheses and may hold blanks.
        let cpuTicks = sum(stat, 11, 12)
        tell(cpu, cpuTicks.map { $0 / ticks })
        tell(
            openFiles, (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) })
        tell(residentMemory, number(pages, 1).map { $0 * pageSize })
        tell(startTime, number(stat, 19).map(startTime))
        tell(virtualMemory, number(pages, 0).map { $0 * pageSize })
        return text
    }

    /// When the process started, which the kernel tells in ticks since the machine did.
    private static func startTime(_ ticks: Double) -> Double {
        var sinceBoot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        let uptime = Double(sinceBoot.tv_sec) + Double(sinceBoot.tv_nsec) / 1e9
        return Date().timeIntervalSince1970 - uptime + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func sum(_ fields: [Substring], _ first: Int, _ second: Int) -> Double? {
        guard let one = number(fields, first), let other = number(fields, second) else { return nil }
        return one + other
    }

    private static func number(_ fields: [Substring], _ index: Int) -> Double? {
        fields.indices.contains(index) ? Double(fields[index]) : nil
    }

    private static func fields(of path: String) -> [Substring] {
        guard let text = contents(of: path) else { return [] }
        let start = text.lastIndex(of: ")").map { text.index(after: $0) } ?? text.startIndex
        return text[start...].split(whereSeparator: \.isWhitespace)
    }

    private static func contents(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
