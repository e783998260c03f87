// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The endpoints about one transaction, or one order.
extension ServerAPIEndpoint {
    private struct AccountTokenRequest: Decodable {
        var appAccountToken: String
    }

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

    func setAppAccountToken(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        guard let request = try? JSONDecoder().decode(AccountTokenRequest.self, from: Data(call.body)) else {
            throw .generalBadRequest
        }
        guard let token = UUID(uuidString: request.appAccountToken) else { throw .invalidAccountToken }
        let transaction = try record(of: call.subject, context).transaction
        guard transaction.inAppOwnershipType != "FAMILY_SHARED" else { throw .familyTransaction }
        let originalID = transaction.originalTransactionId
        guard call.subject == originalID else { throw .notOriginal }
        book.setAppAccountToken(token, originalID: originalID, in: context.scope)
        receipts.setAppAccountToken(token, originalID: originalID, in: context.scope)
        return Self.done
    }

    /// HTTP 200 without a body.
    private static let done = Answer(httpStatus: 200, text: "")
}

extension ReceiptBook {
    /// Writes an account token into all remembered transactions of an original one.
    fileprivate func setAppAccountToken(_ token: UUID, originalID: String, in scope: ServerAPIBook.Scope) {
        remember(
            transactions(originalID: originalID, bundleID: scope.bundleID, environment: scope.environment).map {
                var transaction = $0
                transaction.appAccountToken = token
                return transaction
            })
    }
}
