// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Testing

@Suite struct ReceiptContentsTests {
    /// One element of definite length.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : [0x84, UInt8(count >> 24 & 255), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
        return [tag] + length + content
    }

    private static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        element(0x30, element(0x02, [UInt8(type >> 8), UInt8(type & 255)]) + element(0x02, [1]) + element(0x04, value))
    }

    /// A container whose content is `set`, with length bytes that aren't minimal: the reader is not to mind.
    private static func container(_ set: [UInt8]) -> [UInt8] {
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let encapsulated = element(0x30, data + element(0xA0, element(0x04, set)))
        let body = element(0x02, [1]) + element(0x31, []) + encapsulated + element(0x31, [])
        return element(0x30, signedData + element(0xA0, element(0x30, body)))
    }

    private static let bundle = attribute(2, element(0x0C, Array("dev.shop".utf8)))

    @Test func smallestReceiptIsOneWithABundle() throws {
        let contents = try ReceiptContents(Self.container(Self.element(0x31, Self.bundle)))

        #expect(contents.bundleID == "dev.shop")
        #expect(contents.purchases == [])
        #expect(contents.environment == .production)
    }

    @Test func attributesOfUnknownTypesAreSteppedOver() throws {
        let unknown = Self.attribute(6, [0xFF, 0xFF, 0xFF]) + Self.attribute(9999, [])

        let contents = try ReceiptContents(Self.container(Self.element(0x31, unknown + Self.bundle)))

        #expect(contents.bundleID == "dev.shop")
    }

    @Test func emptyDatesAreNone() throws {
        let set = Self.bundle + Self.attribute(12, Self.element(0x16, []))

        #expect(try ReceiptContents(Self.container(Self.element(0x31, set))).creationDate == nil)
    }

    @Test(arguments: [
        ("nothing", []),
        ("a lone tag", [0x30]),
        ("text", Array("not a receipt at all".utf8)),
        ("a length past the end", [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF]),
        ("a length of nine bytes", [0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
        ("another content type", Self.element(0x30, [0x06, 0x01, 0x2A] + Self.element(0xA0, []))),
        ("no set", Self.container([0x05, 0x00])),
        ("no bundle id", Self.container(Self.element(0x31, []))),
        ("a number for a bundle id", Self.container(Self.element(0x31, Self.attribute(2, [0x02, 0x01, 0x01])))),
        ("an empty value", Self.container(Self.element(0x31, Self.attribute(2, [])))),
        ("an empty attribute", Self.container(Self.element(0x31, Self.bundle + Self.element(0x30, [])))),
        (
            "a purchase of nothing",
            Self.container(Self.element(0x31, Self.bundle + Self.attribute(17, Self.element(0x31, []))))
        ),
        (
            "a date in words",
            Self.container(Self.element(0x31, Self.bundle + Self.attribute(12, Self.element(0x16, Array("soon".utf8)))))
        ),
        ("bytes after the end", Self.container(Self.element(0x31, Self.bundle)) + [0]),
    ])
    func malformedBytesAreRefused(_ name: String, _ bytes: [UInt8]) {
        let error = #expect(throws: ReceiptContentsError.self) { try ReceiptContents(bytes) }

        guard case .malformed = error else {
            Issue.record("\(name): \(String(describing: error))")
            return
        }
    }

    @Test func everyPrefixOfAReceiptIsRefused() throws {
        let bytes = try SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")]).encoded()

        for count in 0..<bytes.count {
            #expect(throws: ReceiptContentsError.self) { try ReceiptContents(Array(bytes.prefix(count))) }
        }
    }

    @Test func anyChangedByteIsSurvived() throws {
        let bytes = try SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")]).encoded()

        for index in bytes.indices {
            for value: UInt8 in [0x00, 0x1F, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
                var changed = bytes
                changed[index] = value
                _ = try? ReceiptContents(changed)
            }
        }
    }

    @Test func indefiniteLengthsAreRefused() {
        let bytes: [UInt8] = [
            0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x80, 0, 0, 0, 0,
        ]

        #expect(throws: ReceiptContentsError.indefiniteLength) { try ReceiptContents(bytes) }
    }

    @Test func hugeReceiptsAreRefusedUnread() {
        var limits = ReceiptContents.Limits()
        limits.size = 1000

        #expect(throws: ReceiptContentsError.tooLarge) {
            try ReceiptContents([UInt8](repeating: 0x30, count: 1001), limits: limits)
        }
    }

    @Test func deepNestingIsNeverFollowed() throws {
        var nested: [UInt8] = []
        for _ in 0..<20_000 { nested = [0x30, 0x84, 0, 0, 0, 0] + nested }
        // Lengths from the inside out.
        for level in 0..<20_000 {
            let start = level * 6
            let rest = nested.count - start - 6
            nested[start + 2] = UInt8(rest >> 24 & 255)
            nested[start + 3] = UInt8(rest >> 16 & 255)
            nested[start + 4] = UInt8(rest >> 8 & 255)
            nested[start + 5] = UInt8(rest & 255)
        }

        #expect(throws: ReceiptContentsError.self) { try ReceiptContents(nested) }
        #expect(throws: ReceiptContentsError.self) { try ReceiptContents(Self.container(nested)) }
        let hidden = Self.element(0x31, Self.bundle + Self.attribute(6, nested))
        #expect(try ReceiptContents(Self.container(hidden)).bundleID == "dev.shop")
    }

    @Test func countsAreBounded() throws {
        var limits = ReceiptContents.Limits()
        limits.purchases = 3
        limits.attributes = 20
        let transactions = (0..<4).map { SimulatedTransaction(productId: "product.\($0)") }
        let fits = try SimulatedReceipt(transactions: Array(transactions.prefix(3))).encoded()
        let exceeds = try SimulatedReceipt(transactions: transactions).encoded()
        let padded = Self.element(0x31, Array((0..<30).map { Self.attribute(100 + $0, [0x05, 0x00]) }.joined()))

        #expect(try ReceiptContents(fits, limits: limits).purchases.count == 3)
        #expect(throws: ReceiptContentsError.tooMany) { try ReceiptContents(exceeds, limits: limits) }
        #expect(throws: ReceiptContentsError.tooMany) { try ReceiptContents(Self.container(padded), limits: limits) }
    }

    @Test func longValuesAreRefused() {
        let long = Self.attribute(2, Self.element(0x0C, [UInt8](repeating: 0x61, count: 5000)))

        #expect(throws: ReceiptContentsError.tooMany) { try ReceiptContents(Self.container(Self.element(0x31, long))) }
    }
}
