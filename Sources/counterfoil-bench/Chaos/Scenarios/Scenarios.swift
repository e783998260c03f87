// SPDX-License-Identifier: Apache-2.0

/// All scenarios, in the order in which they are run.
enum Scenarios {
    static let all = workers + database + network + apple + load

    static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// Those that every test run plays, with leases of 2 s.
    static let short = [
        "kill-random", "kill-at-points", "stop-continue", "terminate", "restart-postgres", "commit-lost", "half-open",
        "worker-cut-off",
    ]
}
