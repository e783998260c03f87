// SPDX-License-Identifier: Apache-2.0

/// What has been asked of the simulator since it was made; the control interface's own calls don't count.
package struct SimulatorStatistics: Sendable, Equatable {
    /// Calls of one target that ended in one way.
    package struct Key: Hashable, Sendable {
        package var target: CallTarget
        package var outcome: CallOutcome
    }

    /// Calls of one target, of all apps or about one.
    package struct RateKey: Hashable, Sendable {
        package var target: CallTarget
        /// As the call's token names it, good or not; nil for all calls.
        package var bundleID: String?
    }

    /// At most this many targets and apps are told apart where rates are measured.
    static let maximumMeters = 10_000

    /// At most this many receipts and transactions are told apart; calls about further ones count in the totals only.
    static let maximumSubjects = 1_000_000

    /// Calls that have arrived.
    package internal(set) var received: [CallTarget: Int] = [:]
    /// Calls whose outcome is decided. A call is counted before the first byte of its answer goes out, so whoever has
    /// read an answer finds it counted.
    package internal(set) var ended: [Key: Int] = [:]
    /// Calls that are being worked on now, answers that are being sent included.
    package internal(set) var inFlight = 0
    package internal(set) var inFlightMaximum = 0
    /// Calls that showed a receipt, whatever came of them.
    package internal(set) var receipts: [ReceiptID: Int] = [:]
    /// Calls that asked about a transaction or showed a receipt that holds it.
    package internal(set) var transactions: [String: Int] = [:]

    /// How many calls came at once, at most.
    package internal(set) var rates: [RateKey: CallRate] = [:]

    /// The most calls at once to an endpoint of an environment, about one app or, when nil, about all.
    package func rate(of endpoint: Endpoint, in environment: SimulatedEnvironment, bundleID: String? = nil) -> CallRate
    {
        rates[RateKey(target: CallTarget(endpoint, environment), bundleID: bundleID)] ?? CallRate()
    }

    /// Calls that have arrived at an endpoint, in one environment or in both.
    package func calls(to endpoint: Endpoint, in environment: SimulatedEnvironment? = nil) -> Int {
        received.reduce(0) { sum, entry in
            entry.key.endpoint == endpoint && (environment ?? entry.key.environment) == entry.key.environment
                ? sum + entry.value : sum
        }
    }

    /// Calls to an endpoint of an environment that ended in this way.
    package func calls(to endpoint: Endpoint, in environment: SimulatedEnvironment, as outcome: CallOutcome) -> Int {
        ended[Key(target: CallTarget(endpoint, environment), outcome: outcome)] ?? 0
    }

    /// Calls to an endpoint of an environment that were answered with this status in an HTTP 200.
    package func calls(to endpoint: Endpoint, in environment: SimulatedEnvironment, status: Int) -> Int {
        calls(to: endpoint, in: environment, as: .answered(http: 200, status: status))
    }

    /// Calls that showed this receipt.
    package func calls(about receipt: ReceiptID) -> Int {
        receipts[receipt] ?? 0
    }

    /// Calls that asked about this transaction or showed a receipt that holds it.
    package func calls(aboutTransaction id: String) -> Int {
        transactions[id] ?? 0
    }
}
