// SPDX-License-Identifier: Apache-2.0

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

    /// HTTP 200 without a body.
    private static let done = Answer(httpStatus: 200, text: "")
}
