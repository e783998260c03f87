// SPDX-License-Identifier: Apache-2.0

/// What `explain (analyze, buffers)` says of a statement as a whole.
struct PlanFigures: Sendable, Hashable {
    /// On the server, in milliseconds.
    let executionTime: Double
    /// Of 8 KiB, looked at in the server's memory or read into it.
    let pages: Int

    /// - Parameter lines: of the plan, as text.
    /// - Returns: nil when a figure is not there.
    init?(_ lines: some BidirectionalCollection<String>) {
        guard let time = lines.last(where: { $0.hasPrefix("Execution Time: ") })?.split(separator: " ").dropLast().last,
            let milliseconds = Double(time)
        else { return nil }
        executionTime = milliseconds
        // The first is the outermost node's, which counts those below it.
        let buffers = lines.first { $0.contains("Buffers: ") } ?? ""
        let shared = buffers.split(separator: ",").first { $0.contains("shared") } ?? ""
        pages = shared.split(separator: " ").reduce(0) { sum, word in
            let parts = word.split(separator: "=")
            return sum + (parts.count == 2 && (parts[0] == "hit" || parts[0] == "read") ? Int(parts[1]) ?? 0 : 0)
        }
    }
}
