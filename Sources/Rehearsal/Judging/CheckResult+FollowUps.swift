// SPDX-License-Identifier: Apache-2.0

extension CheckResult {
    /// Apple was told that a transaction is finished if, and only if, it was granted in an app that wants that.
    package static func followUps(_ observation: Observation) -> CheckResult {
        let apps = Set(ShopApp.allCases.filter(\.finishesTransactions).map(\.bundleID))
        let granted = Set(observation.grants.keys.filter { apps.contains($0.bundleID) }.map(\.id))
        let rows =
            granted.subtracting(observation.finished).sorted().map { "transaction_id=\($0) granted, and not finished" }
            + observation.finished.subtracting(granted).sorted().map { "transaction_id=\($0) finished, and not granted" }
        return CheckResult(name: "granted_transactions_are_finished_and_no_others", rows: rows)
    }
}
