// SPDX-License-Identifier: Apache-2.0

/// The subscriptions of a customer.
extension ServerAPIEndpoint {
    /// By groups, and of each subscription the newest transaction.
    func subscriptionStatuses(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        var wanted: Set<SubscriptionStatus> = []
        for text in call.values(of: "status") {
            guard let status = Int(text).flatMap(SubscriptionStatus.init) else { throw .invalidStatus }
            wanted.insert(status)
        }
        var groups: [(name: String, subscriptions: [Entry])] = []
        for life in try lives(ofCustomer: call.subject, context) {
            let status = life.status(at: context.now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            let entry = try entry(for: life, status, context)
            let name = life.current.subscriptionGroupIdentifier ?? ""
            if let place = groups.firstIndex(where: { $0.name == name }) {
                groups[place].subscriptions.append(entry)
            } else {
                groups.append((name, [entry]))
            }
        }
        return Answer(status: nil) { json in
            json.field("environment", context.scope.environment.rawValue)
            json.field("bundleId", context.scope.bundleID)
            json.field("appAppleId", context.scope.environment == .production ? context.app.appleID : nil)
            json.key("data")
            json.objects(groups) { json, group in
                json.field("subscriptionGroupIdentifier", group.name)
                json.key("lastTransactions")
                json.objects(group.subscriptions) { json, entry in
                    json.field("originalTransactionId", entry.originalID)
                    json.field("status", Int64(entry.status.rawValue))
                    json.field("signedTransactionInfo", entry.signedTransaction)
                    json.field("signedRenewalInfo", entry.signedRenewalInfo)
                }
            }
        }
    }

    private struct Entry: Sendable {
        var originalID: String
        var status: SubscriptionStatus
        var signedTransaction: String
        var signedRenewalInfo: String
    }

    private func lives(
        ofCustomer id: String, _ context: Context
    ) throws(ServerAPIRefusal) -> [SimulatedSubscription] {
        var seen: Set<String> = []
        let originals = try records(ofCustomer: id, context).map(\.transaction)
            .filter { $0.type == .autoRenewable }
            .map(\.originalTransactionId)
            .filter { seen.insert($0).inserted }
        return originals.compactMap { subscriptions.life($0, in: context.scope, at: context.now) }
    }

    private func entry(
        for life: SimulatedSubscription, _ status: SubscriptionStatus, _ context: Context
    ) throws(ServerAPIRefusal) -> Entry {
        var transaction = life.current
        transaction.signedDate = context.now
        do {
            return Entry(
                originalID: life.originalTransactionID, status: status,
                signedTransaction: try transaction.signedTransaction(by: authority),
                signedRenewalInfo: try life.renewalInfo(at: context.now).signed(by: authority))
        } catch {
            throw ServerAPIRefusal(code: 5_000_000)
        }
    }
}
