// SPDX-License-Identifier: Apache-2.0

/// How long orders took that a fault didn't hold, while it held others: from the insert of the proof to the grant.
struct OtherOrders: Sendable {
    /// So many at least, or nothing was measured.
    private static let fewest = 100
    /// When 99 of 100 take longer, the scenario has failed, on however busy a machine: they wait for what the fault holds.
    private static let limit = Duration.seconds(5)

    let seconds: Percentiles

    func meets(_ target: Duration) -> Bool { seconds[99] <= target / .seconds(1) }

    /// The faults of these times; empty if there are none.
    var complaints: [String] {
        guard seconds.count >= Self.fewest else { return ["only \(seconds.count) other orders came while some were held"] }
        guard !meets(Self.limit) else { return [] }
        return ["1 of 100 other orders took \(Self.rounded(seconds[99])), and may take \(Self.limit)"]
    }

    var line: String { "other orders meanwhile: \(seconds.summary(Self.rounded))" }

    private static func rounded(_ seconds: Double) -> String {
        seconds.isFinite ? "\((seconds * 1000).rounded() / 1000) s" : "–"
    }
}
