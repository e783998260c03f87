// SPDX-License-Identifier: Apache-2.0

extension AppStoreSimulator {
    /// The account that apps are of when nobody says otherwise.
    package static let mainAccount = "main"

    /// The key by which an account may call the App Store Server API, about all of its apps and in both environments;
    /// made when it is first asked for.
    package func apiKey(ofAccount account: String = mainAccount) -> SimulatedAPIKey {
        keys.key(ofAccount: account)
    }

    /// Takes an account's key out of use and gives it another.
    @discardableResult
    package func replaceAPIKey(ofAccount account: String = mainAccount) -> SimulatedAPIKey {
        keys.replaceKey(ofAccount: account)
    }

    /// Replaces what becomes of a transaction, and counts its calls anew.
    ///
    /// - Returns: whether there is such a transaction; it has to be remembered first.
    @discardableResult
    package func setProgram(_ program: TransactionProgram, forTransaction id: String) -> Bool {
        serverAPIBook.setProgram(program, forTransaction: id)
    }

    /// Writes down which transactions an order was for, by the number on Apple's mail to the customer.
    package func setOrder(_ orderID: String, transactions ids: [String]) {
        serverAPIBook.setOrder(orderID, transactions: ids)
    }

    /// Ids of the transactions that were finished through the API.
    package var finishedTransactions: Set<String> {
        serverAPIBook.finishedTransactions
    }

    /// Makes the positions in histories that were handed out so far be refused, as those that are too old are.
    package func forgetHistoryPositions() {
        serverAPIBook.forgetPositions()
    }

    /// Adds a notification to the history, signed now as it was at its date. Nothing is sent.
    ///
    /// - Returns: the signed payload.
    @discardableResult
    package func addNotification(_ notification: SimulatedNotification) throws -> String {
        try desk.add(notification)
    }

    func hasNotificationAddress(_ bundleID: String) -> Bool {
        serverAPIBook.app(bundleID: bundleID).notificationURL != nil
    }

    /// Sends a notification to its app's address, if that is on the loopback, and adds it to the history. Of an app without an
    /// address there is no history.
    ///
    /// - Returns: the signed payload; nil if the app has no address.
    @discardableResult
    package func send(_ notification: SimulatedNotification) throws -> String? {
        try desk.send(notification)
    }

    /// Sets what comes of the test notifications that are asked for from now on.
    ///
    /// - Parameters:
    ///   - results: what comes of the tries, in Apple's words.
    ///   - calls: how often the status of a test isn't found before it is.
    package func setTestNotifications(results: [String] = ["SUCCESS"], foundAfter calls: Int = 0) {
        notifications.setTests(results: results, foundAfter: calls)
    }

    /// Sets how many calls a second an app may make to an endpoint, in one environment or, when nil, in both; further
    /// ones are answered with 429 and the moment of the next that will be taken. Nil takes the limit away.
    package func setRateLimit(
        _ callsPerSecond: Int?, for endpoint: Endpoint, in environment: SimulatedEnvironment? = nil
    ) {
        for target in SimulatedEnvironment.allCases where environment == nil || environment == target {
            limiter.setLimit(callsPerSecond, for: CallTarget(endpoint, target))
        }
    }
}
