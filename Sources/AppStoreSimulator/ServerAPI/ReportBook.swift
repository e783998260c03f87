// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// What shops have told the simulated store, and what became of it.
final class ReportBook: Sendable {
    /// An extension for all subscribers of a product.
    struct Extension: Sendable, Equatable {
        var productID: String
        var completed: Date
        var succeeded: Int
        var failed: Int
    }

    private struct Key: Hashable {
        let identifier: String
        let bundleID: String
        let environment: SimulatedEnvironment
    }

    private struct State {
        var consumptions: [ConsumptionReport] = []
        var extensions: [Key: Extension] = [:]
    }

    private let state = Mutex(State())

    /// In the order of the calls.
    var consumptions: [ConsumptionReport] {
        state.withLock { $0.consumptions }
    }

    func add(_ report: ConsumptionReport) {
        state.withLock { $0.consumptions.append(report) }
    }

    /// Keeps what became of a request.
    func add(_ done: Extension, under identifier: String, in scope: ServerAPIBook.Scope) {
        let key = Key(identifier: identifier, bundleID: scope.bundleID, environment: scope.environment)
        state.withLock { $0.extensions[key] = done }
    }

    /// What became of a request.
    func extensions(under identifier: String, in scope: ServerAPIBook.Scope) -> Extension? {
        let key = Key(identifier: identifier, bundleID: scope.bundleID, environment: scope.environment)
        return state.withLock { $0.extensions[key] }
    }
}
