// SPDX-License-Identifier: Apache-2.0

extension ServerAPIErrorCode {
    struct Row: Hashable, Sendable {
        let name: String
        let meaning: Meaning
    }

    /// All codes of the endpoints that we call, and those that belong to their siblings.
    static let rows = Dictionary(uniqueKeysWithValues: table.map { ($0.0, Row(name: $0.1, meaning: $0.2)) })

    /// Apple's page `appstoreserverapi/error-codes` and the pages below it; the meanings are ours.
    private static let table: [(Int, String, Meaning)] = badRequests + notAllowed + notFound + others

    private static let badRequests: [(Int, String, Meaning)] = [
        (4_000_000, "GeneralBadRequest", .unexpected),
        (4_000_002, "InvalidAppIdentifier", .configuration),
        (4_000_005, "InvalidRequestRevision", .restart),
        (4_000_006, "InvalidTransactionId", .refusal),
        (4_000_008, "InvalidOriginalTransactionId", .refusal),
        (4_000_009, "InvalidExtendByDays", .unexpected),
        (4_000_010, "InvalidExtendReasonCode", .unexpected),
        (4_000_011, "InvalidRequestIdentifier", .unexpected),
        (4_000_012, "StartDateTooFarInPast", .unexpected),
        (4_000_013, "StartDateAfterEndDate", .unexpected),
        (4_000_014, "InvalidPaginationToken", .restart),
        (4_000_015, "InvalidStartDate", .unexpected),
        (4_000_016, "InvalidEndDate", .unexpected),
        (4_000_017, "PaginationTokenExpired", .restart),
        (4_000_018, "InvalidNotificationType", .unexpected),
        (4_000_019, "MultipleFiltersSupplied", .unexpected),
        (4_000_020, "InvalidTestNotificationToken", .refusal),
        (4_000_021, "InvalidSort", .unexpected),
        (4_000_022, "InvalidProductType", .unexpected),
        (4_000_023, "InvalidProductId", .unexpected),
        (4_000_024, "InvalidSubscriptionGroupIdentifier", .unexpected),
        (4_000_025, "InvalidExcludeRevoked", .unexpected),
        (4_000_026, "InvalidInAppOwnershipType", .unexpected),
        (4_000_027, "InvalidEmptyStorefrontCountryCodeList", .unexpected),
        (4_000_028, "InvalidStorefrontCountryCode", .unexpected),
        (4_000_030, "InvalidRevoked", .unexpected),
        (4_000_031, "InvalidStatus", .unexpected),
        (4_000_032, "InvalidAccountTenure", .refusal),
        (4_000_033, "InvalidAppAccountToken", .refusal),
        (4_000_034, "InvalidConsumptionStatus", .refusal),
        (4_000_035, "InvalidCustomerConsented", .refusal),
        (4_000_036, "InvalidDeliveryStatus", .refusal),
        (4_000_037, "InvalidLifetimeDollarsPurchased", .refusal),
        (4_000_038, "InvalidLifetimeDollarsRefunded", .refusal),
        (4_000_039, "InvalidPlatform", .refusal),
        (4_000_040, "InvalidPlayTime", .refusal),
        (4_000_041, "InvalidSampleContentProvided", .refusal),
        (4_000_042, "InvalidUserStatus", .refusal),
        (4_000_043, "InvalidTransactionNotConsumable", .refusal),
        (4_000_044, "InvalidRefundPreference", .refusal),
        (4_000_047, "InvalidTransactionTypeNotSupported", .refusal),
        (4_000_048, "AppTransactionIdNotSupported", .refusal),
        (4_000_183, "InvalidAppAccountTokenUUID", .refusal),
        (4_000_185, "FamilyTransactionNotSupported", .refusal),
        (4_000_187, "TransactionIdIsNotOriginal", .refusal),
    ]

    private static let notAllowed: [(Int, String, Meaning)] = [
        (4_030_004, "SubscriptionExtensionIneligible", .unexpected),
        (4_030_005, "SubscriptionMaxExtension", .unexpected),
        (4_030_007, "FamilySharedSubscriptionExtensionIneligible", .unexpected),
    ]

    private static let notFound: [(Int, String, Meaning)] = [
        (4_040_001, "AccountNotFound", .notFound),
        (4_040_002, "AccountNotFoundRetryable", .retry),
        (4_040_003, "AppNotFound", .configuration),
        (4_040_004, "AppNotFoundRetryable", .retry),
        (4_040_005, "OriginalTransactionIdNotFound", .notFound),
        (4_040_006, "OriginalTransactionIdNotFoundRetryable", .retry),
        (4_040_007, "ServerNotificationURLNotFound", .configuration),
        (4_040_008, "TestNotificationNotFound", .notFound),
        (4_040_009, "StatusRequestNotFound", .unexpected),
        (4_040_010, "TransactionIdNotFound", .notFound),
        (4_040_019, "AppTransactionDoesNotExist", .refusal),
    ]

    private static let others: [(Int, String, Meaning)] = [
        (4_290_000, "RateLimitExceeded", .rateLimit),
        (5_000_000, "GeneralInternal", .retry),
        (5_000_001, "GeneralInternalRetryable", .retry),
    ]
}
