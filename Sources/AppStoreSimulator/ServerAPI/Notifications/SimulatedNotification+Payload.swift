// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension SimulatedNotification {
    /// What stands in a notification in the place of `data`.
    package enum Alternative: Sendable, Equatable {
        /// What became of an extension for all subscribers of a product.
        case summary(productID: String, requestIdentifier: String, countries: [String], succeeded: Int, failed: Int)
        /// A purchase outside of the store that has to be reported to Apple.
        case externalPurchaseToken(id: String, created: Date)
        /// A download for which consent was withdrawn.
        case appData(SimulatedAppTransaction)
        /// Seats of a purchase for several that Apple has taken from those who held them.
        case unclaimInfo(originalTransactionID: String, seats: [UUID])
    }

    /// The payload, signed as Apple would have at the time.
    package func signedPayload(by authority: SimulatedCertificateAuthority, appleID: Int64) throws -> String {
        let content = try content(by: authority)
        var json = JSONWriter()
        json.object { json in
            json.field("notificationType", notificationType)
            json.field("subtype", subtype)
            json.field("notificationUUID", notificationUUID.uuidString.lowercased())
            if let alternative {
                add(alternative, content, appleID: appleID, to: &json)
            } else {
                json.key("data")
                json.object { addData(content, appleID: appleID, to: &$0) }
            }
            json.field("version", "2.0")
            json.field("signedDate", date.milliseconds)
        }
        return try authority.sign(payload: json.bytes, at: date)
    }

    /// What is signed by itself inside.
    private struct Content {
        var transaction: String?
        var renewalInfo: String?
        var appTransaction: String?
    }

    private func content(by authority: SimulatedCertificateAuthority) throws -> Content {
        let signedDate = date.addingTimeInterval(innerDelay)
        var content = Content()
        if var transaction {
            transaction.signedDate = signedDate
            content.transaction = try transaction.signedTransaction(by: authority)
        }
        if var renewalInfo {
            renewalInfo.signedDate = signedDate
            content.renewalInfo = try renewalInfo.signed(by: authority)
        }
        if case .appData(let appTransaction) = alternative {
            content.appTransaction = try appTransaction.signed(by: authority)
        }
        return content
    }

    /// The sandbox's test names the app by its bundle alone; no test names the app's version.
    private func addData(_ content: Content, appleID: Int64, to json: inout JSONWriter) {
        let isTest = transaction == nil
        json.field("appAppleId", environment == .sandbox && isTest ? nil : appleID)
        json.field("bundleId", bundleID)
        json.field("bundleVersion", isTest ? nil : "42")
        json.field("environment", environment.rawValue)
        json.field("signedTransactionInfo", content.transaction)
        json.field("signedRenewalInfo", content.renewalInfo)
        json.field("status", status.map { Int64($0.rawValue) })
        json.field("consumptionRequestReason", consumptionRequestReason)
    }

    private func add(_ alternative: Alternative, _ content: Content, appleID: Int64, to json: inout JSONWriter) {
        switch alternative {
        case .summary(let productID, let requestIdentifier, let countries, let succeeded, let failed):
            json.key("summary")
            json.object { json in
                json.field("environment", environment.rawValue)
                json.field("appAppleId", environment == .production ? appleID : nil)
                json.field("bundleId", bundleID)
                json.field("productId", productID)
                json.field("requestIdentifier", requestIdentifier)
                if !countries.isEmpty {
                    json.key("storefrontCountryCodes")
                    json.strings(countries)
                }
                json.field("succeededCount", Int64(succeeded))
                json.field("failedCount", Int64(failed))
            }
        case .externalPurchaseToken(let id, let created):
            json.key("externalPurchaseToken")
            json.object { json in
                json.field("externalPurchaseId", id)
                json.field("tokenCreationDate", created.milliseconds)
                json.field("appAppleId", appleID)
                json.field("bundleId", bundleID)
            }
        case .appData:
            json.key("appData")
            json.object { json in
                json.field("appAppleId", environment == .production ? appleID : nil)
                json.field("bundleId", bundleID)
                json.field("environment", environment.rawValue)
                json.field("signedAppTransactionInfo", content.appTransaction)
            }
        case .unclaimInfo(let originalTransactionID, let seats):
            json.key("unclaimInfo")
            json.object { json in
                json.field("environment", environment.rawValue)
                json.field("appAppleId", appleID)
                json.field("bundleId", bundleID)
                json.field("originalTransactionId", originalTransactionID)
                json.key("unclaimSeatIds")
                json.strings(seats.map { $0.uuidString.lowercased() })
            }
        }
    }
}
