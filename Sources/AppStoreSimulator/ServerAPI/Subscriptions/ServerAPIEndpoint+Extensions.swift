// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Days that the shop gives to subscribers.
extension ServerAPIEndpoint {
    /// The body of a request, as strictly as Apple reads it.
    private struct Request: Decodable {
        var extendByDays: Int?
        var extendReasonCode: Int?
        var requestIdentifier: String?
        var productId: String?
        var storefrontCountryCodes: [String]?

        static func read(_ body: [UInt8]) throws(ServerAPIRefusal) -> Request {
            guard let request = try? JSONDecoder().decode(Request.self, from: Data(body)) else { throw .generalBadRequest }
            guard (1...90).contains(request.extendByDays ?? 0) else { throw .invalidExtendByDays }
            guard (0...3).contains(request.extendReasonCode ?? -1) else { throw .invalidExtendReasonCode }
            guard (1...128).contains(request.identifier.utf8.count) else { throw .invalidRequestIdentifier }
            return request
        }

        var identifier: String { requestIdentifier ?? "" }
        var event: SubscriptionEvent { .extend(by: Double(extendByDays ?? 0) * 86_400) }
    }

    func extendRenewalDate(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        guard Self.isNumber(call.subject) else { throw .invalidOriginalTransactionID }
        let request = try Request.read(call.body)
        guard let life = subscriptions.life(call.subject, in: context.scope, at: context.now) else {
            throw .originalTransactionIDNotFound
        }
        guard life.current.inAppOwnershipType == "PURCHASED" else { throw .familyExtensionIneligible }
        guard let extended = extend(call.subject, by: request.event, context) else { throw .extensionIneligible }
        _ = try? desk.send(extended.notification)
        let transaction = extended.notification.transaction
        return Answer(status: nil) { json in
            json.field("effectiveDate", transaction?.expiresDate?.milliseconds)
            json.field("originalTransactionId", call.subject)
            json.field("success", true)
            json.field("webOrderLineItemId", transaction?.webOrderLineItemId)
        }
    }

    /// Done before it is answered. Apple notifies of the whole, and of each subscription that it failed for.
    func extendAllRenewalDates(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let request = try Request.read(call.body)
        guard let productID = request.productId else { throw .generalBadRequest }
        if request.storefrontCountryCodes?.isEmpty == true { throw .emptyStorefronts }
        let countries = request.storefrontCountryCodes ?? []
        var counts = (succeeded: 0, failed: 0)
        for original in book.subscriptions(to: productID, in: context.scope) {
            guard let life = subscriptions.life(original, in: context.scope, at: context.now),
                life.current.productId == productID, life.status(at: context.now) == .active,
                countries.isEmpty || life.current.storefront.map(countries.contains) ?? false
            else { continue }
            if life.current.inAppOwnershipType == "PURCHASED", extend(original, by: request.event, context) != nil {
                counts.succeeded += 1
            } else {
                counts.failed += 1
                tell(.init("RENEWAL_EXTENSION", subtype: "FAILURE", about: life.current, date: context.now))
            }
        }
        reports.add(
            ReportBook.Extension(
                productID: productID, completed: context.now, succeeded: counts.succeeded, failed: counts.failed),
            under: request.identifier, in: context.scope)
        tell(
            .init(
                "RENEWAL_EXTENSION", subtype: "SUMMARY",
                about: .summary(
                    productID: productID, requestIdentifier: request.identifier, countries: countries,
                    succeeded: counts.succeeded, failed: counts.failed),
                bundleID: context.scope.bundleID, environment: context.scope.environment, date: context.now))
        return Answer(status: nil) { $0.field("requestIdentifier", request.identifier) }
    }

    func extensionStatus(_ call: ServerAPICall, _ context: Context) throws(ServerAPIRefusal) -> Answer {
        let identifier = call.subjects.last?.unescaped ?? ""
        guard let done = reports.extensions(under: identifier, in: context.scope),
            done.productID == call.subject.unescaped
        else { throw .statusRequestNotFound }
        return Answer(status: nil) { json in
            json.field("requestIdentifier", identifier)
            json.field("complete", true)
            json.field("completeDate", done.completed.milliseconds)
            json.field("succeededCount", Int64(done.succeeded))
            json.field("failedCount", Int64(done.failed))
        }
    }

    /// Nil where the subscription can't be extended now.
    private func extend(
        _ originalID: String, by event: SubscriptionEvent, _ context: Context
    ) -> SubscriptionBook.Change? {
        let change = try? subscriptions.apply(event, to: originalID, in: context.scope, at: context.now)
        if let change {
            book.remember(change.transactions)
            receipts.remember(change.transactions)
        }
        return change
    }

    /// An app without an address hears nothing.
    private func tell(_ notification: SimulatedNotification) {
        _ = try? desk.send(notification)
    }
}
