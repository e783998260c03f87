// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What a signed transaction says of a refund.
@Suite
struct SignedRevocationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fields: [String: String]
        let share: Revocation.Share?
        var isDated = true
        var type: String?
        var reason: Int?
        var seats = 0

        init(
            _ name: String, _ fields: [String: String], _ share: Revocation.Share?, isDated: Bool = true, type: String? = nil,
            reason: Int? = nil, seats: Int = 0
        ) {
            testDescription = name
            self.fields = fields
            self.share = share
            self.isDated = isDated
            self.type = type
            self.reason = reason
            self.seats = seats
        }
    }

    private static let date = SigningFixture.purchaseDate.addingTimeInterval(60)
    private static let dated = ["revocationDate": "\(Int64(date.timeIntervalSince1970 * 1000))"]

    private static func dated(_ fields: [String: String]) -> [String: String] {
        dated.merging(fields) { $1 }
    }

    private func revocation(_ fields: [String: String]) async throws -> Revocation? {
        try await SigningFixture().verdict(onPayload: PayloadText.json(fields)).get().revocation
    }

    private func check(_ row: Case) async throws {
        let expected = row.share.map { share in
            Revocation(
                .signedTransaction, date: row.isDated ? Self.date : nil, share: share, type: row.type, reason: row.reason,
                seats: row.seats, asOf: SigningFixture.purchaseDate)
        }

        #expect(try await revocation(row.fields) == expected)
    }

    @Test(arguments: [
        Case("nothing", [:], nil),
        Case("a date", dated, .whole),
        Case("a date and a reason", dated(["revocationReason": "1"]), .whole, reason: 1),
        Case(
            "all of it",
            dated(["revocationReason": "0", "revocationType": #""REFUND_FULL""#, "revocationPercentage": "100000"]), .whole,
            type: "REFUND_FULL", reason: 0),
        Case(
            "a part", dated(["revocationType": #""REFUND_PRORATED""#, "revocationPercentage": "40000"]), .part(40_000),
            type: "REFUND_PRORATED"),
        Case("the end of family sharing", dated(["revocationType": #""FAMILY_REVOKE""#]), .whole, type: "FAMILY_REVOKE"),
        Case("a part without its share", dated(["revocationType": #""REFUND_PRORATED""#]), .unknown, type: "REFUND_PRORATED"),
        Case("a reason without a date", ["revocationReason": "1"], .unknown, isDated: false, reason: 1),
        Case(
            "a type without a date", ["revocationType": #""REFUND_FULL""#], .unknown, isDated: false, type: "REFUND_FULL"),
        Case("a share without a date", ["revocationPercentage": "100000"], .unknown, isDated: false),
        Case("null in each field", ["revocationReason": "null", "revocationType": "null", "multiSeatInfo": "null"], nil),
    ])
    func refundIsRead(_ row: Case) async throws {
        try await check(row)
    }

    @Test(arguments: [
        Case("a type that is a number", dated(["revocationType": "1"]), .unknown),
        Case("a share in words", dated(["revocationPercentage": #""40000""#]), .unknown),
        Case("a share with a fraction", dated(["revocationPercentage": "33333.3"]), .unknown),
        Case("a share beyond all numbers", dated(["revocationPercentage": "1e300"]), .unknown),
        Case("a reason in words", dated(["revocationReason": #""1""#]), .whole),
        Case("a reason in words without a date", ["revocationReason": #""1""#], .unknown, isDated: false),
        Case("a type that is a number without a date", ["revocationType": "1"], .unknown, isDated: false),
    ])
    func fieldThatCannotBeReadLeavesTheShareUnknown(_ row: Case) async throws {
        try await check(row)
    }

    @Test(arguments: [
        Case("alone", ["isUpgraded": "true"], nil),
        Case("at a date", dated(["isUpgraded": "true"]), .unknown),
        Case("at a date, with a share", dated(["isUpgraded": "true", "revocationPercentage": "100000"]), .unknown),
        Case("refunded for a reason", dated(["isUpgraded": "true", "revocationReason": "0"]), .whole, reason: 0),
        Case("refunded for a reason in words", dated(["isUpgraded": "true", "revocationReason": #""0""#]), .whole),
        Case(
            "refunded, by its type", dated(["isUpgraded": "true", "revocationType": #""REFUND_FULL""#]), .whole,
            type: "REFUND_FULL"),
        Case(
            "refunded in part",
            dated(["isUpgraded": "true", "revocationType": #""REFUND_PRORATED""#, "revocationPercentage": "5"]), .part(5),
            type: "REFUND_PRORATED"),
        Case("no upgrade", dated(["isUpgraded": "false"]), .whole),
    ])
    func upgradeIsNoRefund(_ row: Case) async throws {
        try await check(row)
    }

    @Test(arguments: [
        Case("none", ["multiSeatInfo": "{}"], nil),
        Case("no seat", ["multiSeatInfo": #"{"revokedSeatQuantity":0}"#], nil),
        Case("fewer than none", ["multiSeatInfo": #"{"revokedSeatQuantity":-1}"#], .unknown, isDated: false),
        Case("some seats", ["multiSeatInfo": #"{"revokedSeatQuantity":3}"#], .unknown, isDated: false, seats: 3),
        Case("every seat", dated(["multiSeatInfo": #"{"revokedSeatQuantity":12}"#]), .whole, seats: 12),
        Case("seats in words", ["multiSeatInfo": #"{"revokedSeatQuantity":"3"}"#], .unknown, isDated: false),
        Case("no object", ["multiSeatInfo": "3"], .unknown, isDated: false),
    ])
    func seatsAreRead(_ row: Case) async throws {
        try await check(row)
    }
}
