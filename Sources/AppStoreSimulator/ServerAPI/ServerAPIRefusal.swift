// SPDX-License-Identifier: Apache-2.0

/// An error of the App Store Server API: Apple's number, whose first three digits are the HTTP status.
struct ServerAPIRefusal: Error, Equatable, Sendable {
    static let generalBadRequest = Self(4_000_000, "Bad request.")
    static let invalidOriginalTransactionID = Self(4_000_008, "Invalid request. The original transaction id is invalid.")
    static let invalidExtendByDays = Self(4_000_009, "Invalid request. The number of days is invalid.")
    static let invalidExtendReasonCode = Self(4_000_010, "Invalid request. The reason code is invalid.")
    static let invalidRequestIdentifier = Self(4_000_011, "Invalid request. The request identifier is invalid.")
    static let emptyStorefronts = Self(4_000_027, "Invalid request. The list of storefronts is empty.")
    static let invalidStatus = Self(4_000_031, "Invalid request. The status parameter is invalid.")
    static let invalidAppAccountTokenUUID = Self(4_000_183, "Invalid request. The app account token is no UUID.")
    static let familyTransactionNotSupported = Self(4_000_185, "Invalid request. Family transactions aren't supported.")
    static let transactionIDNotOriginal = Self(4_000_187, "Invalid request. The transaction id isn't an original one.")
    static let extensionIneligible = Self(4_030_004, "The subscription isn't eligible for an extension.")
    static let familyExtensionIneligible = Self(4_030_007, "Family subscriptions aren't eligible for an extension.")
    static let originalTransactionIDNotFound = Self(4_040_005, "Original transaction id not found.")
    static let statusRequestNotFound = Self(4_040_009, "The extension request was not found.")
    static let appTransactionNotFound = Self(4_040_019, "There is no app transaction.")
    static let invalidTransactionID = Self(4_000_006, "Invalid transaction id.")
    static let invalidRevision = Self(4_000_005, "Invalid request revision.")
    static let startTooFarInPast = Self(4_000_012, "Invalid request. The start date is earlier than allowed.")
    static let startAfterEnd = Self(4_000_013, "Invalid request. The end date precedes the start date.")
    static let invalidPaginationToken = Self(4_000_014, "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = Self(4_000_015, "Invalid request. The start date is invalid.")
    static let invalidEndDate = Self(4_000_016, "Invalid request. The end date is invalid.")
    static let invalidNotificationType = Self(4_000_018, "Invalid request. The notification type is invalid.")
    static let multipleFilters = Self(4_000_019, "Invalid request. Supply one of type and transaction id.")
    static let invalidTestToken = Self(4_000_020, "Invalid request. The test notification token is invalid.")
    static let invalidSort = Self(4_000_021, "Invalid request. The sort parameter is invalid.")
    static let invalidProductType = Self(4_000_022, "Invalid request. The product type parameter is invalid.")
    static let invalidOwnership = Self(4_000_026, "Invalid request. The in-app ownership type is invalid.")
    static let invalidRevoked = Self(4_000_030, "Invalid request. The revoked parameter is invalid.")
    static let appTransactionIDNotSupported = Self(4_000_048, "Invalid request. App transaction id not supported.")
    static let noNotificationURL = Self(4_040_007, "No App Store Server Notification URL found.")
    static let testNotFound = Self(4_040_008, "Test notification not found.")
    static let transactionIDNotFound = Self(4_040_010, "Transaction id not found.")
    static let rateLimitExceeded = Self(4_290_000, "Rate limit exceeded.")

    let code: Int
    let message: String

    init(_ code: Int, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Any code.
    init(code: Int) {
        self.init(code, "Simulated error.")
    }

    /// `{"errorCode": …, "errorMessage": …}` with the HTTP status that belongs to it.
    func answer(retryAfter: String? = nil) -> Answer {
        var answer = Answer(status: code) { json in
            json.field("errorCode", Int64(code))
            json.field("errorMessage", message)
        }
        answer.httpStatus = code / 10_000
        answer.retryAfter = retryAfter
        return answer
    }
}
