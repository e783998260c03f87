// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct RevocationShareTests {
    /// Every percentage that decides differently, with the share for each type of ``types``.
    private static let rows: [(percentage: Int?, shares: [Revocation.Share])] = [
        // absent, REFUND_FULL, FAMILY_REVOKE, REFUND_PRORATED, one that Apple added, one without a name
        (nil, [.whole, .whole, .whole, .unknown, .unknown, .unknown]),
        (-1, [.unknown, .unknown, .unknown, .unknown, .unknown, .unknown]),
        (0, [.unknown, .unknown, .unknown, .unknown, .unknown, .unknown]),
        (1, [.part(1), .unknown, .part(1), .part(1), .unknown, .unknown]),
        (40_000, [.part(40_000), .unknown, .part(40_000), .part(40_000), .unknown, .unknown]),
        (99_999, [.part(99_999), .unknown, .part(99_999), .part(99_999), .unknown, .unknown]),
        (100_000, [.whole, .whole, .whole, .whole, .unknown, .unknown]),
        (100_001, [.unknown, .unknown, .unknown, .unknown, .unknown, .unknown]),
        (.max, [.unknown, .unknown, .unknown, .unknown, .unknown, .unknown]),
        (.min, [.unknown, .unknown, .unknown, .unknown, .unknown, .unknown]),
    ]

    private static let types: [String?] = [nil, "REFUND_FULL", "FAMILY_REVOKE", "REFUND_PRORATED", "REFUND_GIFT", ""]

    struct Case: CustomTestStringConvertible, Sendable {
        let percentage: Int?
        let type: String?
        let share: Revocation.Share

        var testDescription: String { "\(percentage.map(String.init) ?? "no percentage"), \(type ?? "no type")" }

        func share(isDated: Bool, hasReason: Bool, isUpgraded: Bool) -> Revocation.Share {
            Revocation.Share(
                isDated: isDated, type: type, percentage: percentage, hasReason: hasReason, isUpgraded: isUpgraded)
        }
    }

    static let cases = rows.flatMap { row in
        zip(types, row.shares).map { Case(percentage: row.percentage, type: $0, share: $1) }
    }

    @Test(arguments: cases, [false, true])
    func percentageAndTypeSayTheShare(_ row: Case, hasReason: Bool) {
        #expect(row.share(isDated: true, hasReason: hasReason, isUpgraded: false) == row.share)
    }

    @Test(arguments: cases, [false, true])
    func withoutADateNoShareIsKnown(_ row: Case, hasReason: Bool) {
        #expect(row.share(isDated: false, hasReason: hasReason, isUpgraded: false) == .unknown)
        #expect(row.share(isDated: false, hasReason: hasReason, isUpgraded: true) == .unknown)
    }

    @Test(arguments: cases)
    func dateOfAnUpgradeIsARefundsIfAReasonOrATypeSaysSo(_ row: Case) {
        #expect(row.share(isDated: true, hasReason: true, isUpgraded: true) == row.share)
        #expect(row.share(isDated: true, hasReason: false, isUpgraded: true) == (row.type == nil ? .unknown : row.share))
    }

    @Test func onlyTheWholeIsARefundOfThePayment() {
        let shares: [Revocation.Share] = [.whole, .part(99_999), .unknown]

        let transactions = [makeTransaction("1")] + shares.map { makeTransaction("1", refund: refund($0)) }

        #expect(transactions.map(\.isRefunded) == [false, true, false, false])
        #expect(transactions.map(\.isPartlyRefunded) == [false, false, true, true])
    }
}
