// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The endpoints about one transaction, or one order.
extension ServerAPIEndpoint {
    func transactionInfo(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let record = try record(of: call.subject, context)
        if let code = record.program.errorCode { throw ServerAPIRefusal(code: code) }
        let signed = try sign(record, context)
        return Answer(status: nil) { $0.field("signedTransactionInfo", signed) }
    }

    func orderLookUp(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        // Apple has it in production only.
        guard context.scope.environment == .production else { return .notFound }
        guard let records = book.countCall(aboutOrder: call.subject, in: context.scope, at: context.now) else {
            return Answer(status: 1) { $0.field("status", 1) }
        }
        let signed = try sign(records, context)
        return Answer(status: 0) { json in
            json.field("status", 0)
            json.key("signedTransactions")
            json.strings(signed)
        }
    }

    /// May be repeated: the second time changes nothing.
    func finish(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        book.finish(try record(of: call.subject, context).transaction.transactionId)
        return Self.done
    }

    func appTransactionInfo(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let bought = try records(ofCustomer: call.subject, context).map(\.transaction)
        guard let customer = bought.first?.appTransactionId, let begin = bought.map(\.originalPurchaseDate).min() else {
            throw .appTransactionNotFound
        }
        let appTransaction = SimulatedAppTransaction(
            bundleId: context.scope.bundleID, environment: context.scope.environment, appAppleId: context.app.appleID,
            appTransactionId: customer, originalPurchaseDate: begin, receiptCreationDate: context.now)
        guard let signed = try? appTransaction.signed(by: authority) else { throw ServerAPIRefusal(code: 5_000_000) }
        return Answer(status: nil) { $0.field("signedAppTransactionInfo", signed) }
    }

    /// Of all transactions of the original id, and of those that follow.
    func setAppAccountToken(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        struct Body: Decodable {
            var appAccountToken: String
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(call.body)) else { throw .generalBadRequest }
        guard let token = UUID(uuidString: body.appAccountToken) else { throw .invalidAppAccountTokenUUID }
        let transaction = try record(of: call.subject, context).transaction
        guard transaction.originalTransactionId == transaction.transactionId else { throw .transactionIDNotOriginal }
        guard transaction.inAppOwnershipType == "PURCHASED" else { throw .familyTransactionNotSupported }
        let changed = book.transactions(originalID: transaction.transactionId, in: context.scope).map { one in
            var one = one
            one.appAccountToken = token
            return one
        }
        book.remember(changed)
        receipts.remember(changed)
        return Self.done
    }

    func takeConsumption(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        reports.add(try ConsumptionReport(call.body, about: try record(of: call.subject, context).transaction))
        return Self.accepted
    }

    func takeConsumptionV1(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        reports.add(try ConsumptionReport(version1: call.body, about: try record(of: call.subject, context).transaction))
        return Self.accepted
    }

    /// HTTP 202 without a body.
    private static let accepted = Answer(httpStatus: 202, text: "")

    /// HTTP 200 without a body.
    private static let done = Answer(httpStatus: 200, text: "")
}
