// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The query of Get Transaction History, read as strictly as Apple reads it.
struct HistoryFilter {
    private static let productTypes: [String: SimulatedProductType] = [
        "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewing, "CONSUMABLE": .consumable,
        "NON_CONSUMABLE": .nonConsumable,
    ]

    let isDescending: Bool

    /// Everything that must be the same at each page.
    let request: [String]

    private let startDate: Int64?
    private let endDate: Int64?
    private let productIDs: Set<String>
    private let productTypes: Set<SimulatedProductType>
    private let ownership: String?
    private let isRevoked: Bool?
    private let groups: Set<String>

    init(_ call: ServerAPICall) throws(ServerAPIRefusal) {
        switch call.value(of: "sort") {
        case nil, "ASCENDING": isDescending = false
        case "DESCENDING": isDescending = true
        default: throw .invalidSort
        }
        startDate = try Self.milliseconds(call.value(of: "startDate"), else: .invalidStartDate)
        endDate = try Self.milliseconds(call.value(of: "endDate"), else: .invalidEndDate)
        if let startDate, let endDate, startDate > endDate { throw .startAfterEnd }
        productIDs = Set(call.values(of: "productId"))
        var types: Set<SimulatedProductType> = []
        for name in call.values(of: "productType") {
            guard let type = Self.productTypes[name] else { throw .invalidProductType }
            types.insert(type)
        }
        productTypes = types
        ownership = call.value(of: "inAppOwnershipType")
        if let ownership, !["PURCHASED", "FAMILY_SHARED"].contains(ownership) { throw .invalidOwnership }
        // Apple's own Python library writes its language's words: True and False.
        switch call.value(of: "revoked")?.lowercased() {
        case nil: isRevoked = nil
        case "true": isRevoked = true
        case "false": isRevoked = false
        default: throw .invalidRevoked
        }
        groups = Set(call.values(of: "subscriptionGroupIdentifier"))
        request = call.query.filter { $0.name != "revision" }.map { "\($0.name)=\($0.value)" }.sorted()
    }

    func lets(_ transaction: SimulatedTransaction) -> Bool {
        let purchased = transaction.purchaseDate.milliseconds
        return startDate.map { purchased >= $0 } ?? true
            && endDate.map { purchased < $0 } ?? true
            && (productIDs.isEmpty || productIDs.contains(transaction.productId))
            && (productTypes.isEmpty || productTypes.contains(transaction.type))
            && (ownership == nil || ownership == transaction.inAppOwnershipType)
            && (isRevoked == nil || isRevoked == (transaction.revocationDate != nil))
            && (groups.isEmpty || transaction.subscriptionGroupIdentifier.map(groups.contains) ?? false)
    }

    private static func milliseconds(
        _ text: String?, else refusal: ServerAPIRefusal
    ) throws(ServerAPIRefusal) -> Int64? {
        guard let text else { return nil }
        guard let value = Int64(text), value >= 0 else { throw refusal }
        return value
    }
}
