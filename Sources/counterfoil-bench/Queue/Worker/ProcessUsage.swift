// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import NIOCore

/// What a process has used so far.
struct ProcessUsage: Sendable {
    let cpuSeconds: Double

    /// This process.
    static var ofSelf: ProcessUsage { ProcessUsage(RUSAGE_SELF) }

    /// The children that this process has waited for, and theirs.
    static var ofChildren: ProcessUsage { ProcessUsage(RUSAGE_CHILDREN) }

    private init(_ who: __rusage_who) {
        var usage = rusage()
        getrusage(CInt(who.rawValue), &usage)
        cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    }

    /// Bytes of a process that are in memory now, and the most that ever were; 0 when it is gone.
    static func residentBytes(of process: Int32) -> (now: Int, most: Int) {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        func bytes(_ label: String) -> Int {
            for line in text.split(separator: "\n") where line.hasPrefix(label) {
                return (Int(line.filter(\.isNumber)) ?? 0) * 1024
            }
            return 0
        }
        return (bytes("VmRSS:"), bytes("VmHWM:"))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}

/// Time that all processes of a machine agree on.
enum MonotonicTime {
    /// Nanoseconds since some moment before the machine's start.
    static var nanoseconds: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }
}
