// SPDX-License-Identifier: Apache-2.0

extension AppStoreSimulator {
    /// Adds an app to the simulated store, or replaces it.
    ///
    /// - Parameters:
    ///   - sharedSecret: what a call about a receipt with subscriptions must show as `password`; nil asks for none.
    ///     Apps that were never registered need none either.
    ///   - appleID: Apple's number of the app, shown in production only.
    ///   - insistsOnSharedSecret: asks for the secret whatever the receipt holds.
    ///   - account: whose app it is: only that account's API key shows its transactions.
    ///   - notificationURL: where its notifications would go; without one, tests of them are refused.
    ///   - isReleased: false makes the API's production refuse everything about the app with 401.
    package func registerApp(
        _ bundleID: String,
        sharedSecret: String? = nil,
        appleID: Int64 = 1_234_567_890,
        insistsOnSharedSecret: Bool = false,
        account: String = mainAccount,
        notificationURL: String? = nil,
        isReleased: Bool = true
    ) {
        book.register(
            ReceiptBook.App(
                appleID: appleID, sharedSecret: sharedSecret, insistsOnSharedSecret: insistsOnSharedSecret),
            bundleID: bundleID
        )
        serverAPIBook.register(
            ServerAPIBook.App(
                account: account, appleID: appleID, isReleased: isReleased, notificationURL: notificationURL),
            bundleID: bundleID
        )
    }

    /// Tells the simulator of transactions, so that it can say more of them than a receipt's bytes hold: account
    /// tokens, offers, and renewals that a receipt is too old to know. The App Store Server API knows of no others.
    ///
    /// Transactions with the same `appTransactionId` are one customer's.
    package func remember(_ transactions: [SimulatedTransaction]) {
        book.remember(transactions)
        serverAPIBook.remember(transactions)
    }

    /// Replaces what is to be said of a receipt, and counts its calls anew.
    package func setProgram(_ program: ReceiptProgram, for receipt: ReceiptID) {
        book.setProgram(program, for: receipt)
    }

    /// Replaces what goes wrong at an endpoint, in one environment or, when nil, in both. Probabilities are taken in
    /// order until their sum is 1. Calls that are being answered already are not touched.
    package func setFaults(
        _ plan: FaultPlan, for endpoint: Endpoint, in environment: SimulatedEnvironment? = nil
    ) {
        for target in SimulatedEnvironment.allCases where environment == nil || environment == target {
            faults.setPlan(plan, for: CallTarget(endpoint, target))
        }
    }

    /// What has been asked so far.
    package var statistics: SimulatorStatistics {
        counters.statistics
    }

    /// What has been asked, as soon as it meets `condition`: the way to wait for a call without sleeping.
    ///
    /// `condition` is asked after each change, under a lock: it must only look at what it is given.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func statistics(
        when condition: @escaping @Sendable (SimulatorStatistics) -> Bool
    ) async throws -> SimulatorStatistics {
        try await counters.statistics(when: condition)
    }
}
