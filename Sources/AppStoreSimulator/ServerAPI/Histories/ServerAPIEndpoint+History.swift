// SPDX-License-Identifier: Apache-2.0

/// The histories of customers, in pages.
extension ServerAPIEndpoint {
    /// Sorted by the last change; a transaction that changes between two pages moves to the end and comes again.
    ///
    /// - Parameter showsFinishedConsumables: the first version doesn't.
    func transactionHistory(
        _ call: ServerAPICall, _ context: Context, showsFinishedConsumables: Bool = true
    ) throws(ServerAPIRefusal) -> Answer {
        let filter = try HistoryFilter(call)
        let entries = try records(ofCustomer: call.subject, context)
            .filter { filter.lets($0.transaction) }
            .filter { showsFinishedConsumables || !$0.isFinished || $0.transaction.type != .consumable }
            .map { HistoryEntry(record: $0, place: [Int64(filter.isDescending ? -$0.change : $0.change)]) }
        let page = try slice(of: entries, for: call, request: filter.request, context)
        let signed = try sign(page.records, context)
        return Answer(status: nil) { json in
            json.field("revision", page.position)
            json.field("bundleId", context.scope.bundleID)
            json.field("appAppleId", context.scope.environment == .production ? context.app.appleID : nil)
            json.field("environment", context.scope.environment.rawValue)
            json.field("hasMore", page.hasMore)
            json.key("signedTransactions")
            json.strings(signed)
        }
    }

    /// Sorted by the moment of the refund.
    func refundHistory(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let entries = try records(ofCustomer: call.subject, context).compactMap { record in
            record.transaction.revocationDate.map {
                HistoryEntry(record: record, place: [$0.milliseconds, Int64(record.change)])
            }
        }
        let page = try slice(of: entries, for: call, request: [], context)
        let signed = try sign(page.records, context)
        return Answer(status: nil) { json in
            json.field("hasMore", page.hasMore)
            json.field("revision", page.position)
            json.key("signedTransactions")
            json.strings(signed)
        }
    }

    func sign(_ records: [TransactionRecord], _ context: Context) throws(ServerAPIRefusal) -> [String] {
        var signed: [String] = []
        for record in records { signed.append(try sign(record, context)) }
        return signed
    }

    func records(ofCustomer id: String, _ context: Context) throws(ServerAPIRefusal) -> [TransactionRecord] {
        try check(id)
        guard let records = book.countCall(aboutCustomerOf: id, in: context.scope, at: context.now) else {
            throw .transactionIDNotFound
        }
        return records
    }

    private func slice(
        of entries: [HistoryEntry<TransactionRecord>], for call: ServerAPICall, request: [String], _ context: Context
    ) throws(ServerAPIRefusal) -> HistorySlice<TransactionRecord> {
        try HistorySlice(
            of: entries, behind: call.value(of: "revision"),
            request: [call.endpoint.rawValue, context.scope.bundleID, call.subject] + request,
            generation: book.positionGeneration, else: .invalidRevision)
    }
}
