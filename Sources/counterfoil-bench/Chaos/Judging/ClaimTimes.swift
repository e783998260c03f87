// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// How long claims took in the server, before, during and after a fault, as its log says: without the network, the worker
/// and the commit. Of a sample of all claims, whether they brought jobs or none.
struct ClaimTimes: Sendable {
    enum Window: String, CaseIterable, Sendable {
        case before
        case during
        case after
    }

    /// So many at least, or nothing was measured.
    private static let fewest = 100

    /// In milliseconds.
    private let times: [Window: Percentiles]

    /// - Parameters:
    ///   - log: the server's, whose lines begin with the time in UTC: `log_line_prefix` is `%m [%p] `.
    ///   - fault: from its beginning to its end.
    init(log: String, fault: ClosedRange<Date>) {
        var found: [Window: [Double]] = [:]
        for line in log.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let (time, milliseconds) = Self.claim(Substring(line)) else { continue }
            let window: Window = time < fault.lowerBound ? .before : time <= fault.upperBound ? .during : .after
            found[window, default: []].append(milliseconds)
        }
        times = found.mapValues { Percentiles($0) }
    }

    subscript(window: Window) -> Percentiles { times[window] ?? Percentiles([]) }

    /// A line a window in which anything was claimed.
    var lines: [String] {
        Window.allCases.filter { self[$0].count > 0 }.map { window in
            "claims \(window.rawValue): \(self[window].summary(Self.milliseconds))"
        }
    }

    /// The faults of these times; empty if there are none.
    func complaints(_ target: ClaimTarget) -> [String] {
        let times = self[target.window]
        guard times.count >= Self.fewest else {
            return ["only \(times.count) claims were measured \(target.window.rawValue) the fault"]
        }
        let limit = target.limit / .milliseconds(1)
        guard times[99] > limit else { return [] }
        return ["1 of 100 claims took \(Self.milliseconds(times[99])), and may take \(Self.milliseconds(limit))"]
    }

    /// `2026-11-21 22:00:00.123 UTC [42] LOG:  duration: 0.345 ms  execute claim_jobs: …`
    private static func claim(_ line: Substring) -> (time: Date, milliseconds: Double)? {
        guard line.contains("execute claim_jobs"), let start = line.firstRange(of: "duration: ")?.upperBound,
            let milliseconds = Double(line[start...].prefix { $0 != " " }),
            let time = try? Date(line.prefix(23).replacing(" ", with: "T") + "Z", strategy: Self.format)
        else { return nil }
        return (time, milliseconds)
    }

    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func milliseconds(_ value: Double) -> String {
        "\(Double(Int((value * 100).rounded())) / 100) ms"
    }
}
