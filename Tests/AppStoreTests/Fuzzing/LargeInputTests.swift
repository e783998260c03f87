// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Fuzzing
import Specimens
import Testing
import Verification

/// That the cost of an input is bounded by its length, measured in processor time. One input at a time: they would slow each other.
@Suite(.serialized)
struct LargeInputTests {
    private let source: SpecimenSource
    private let examination: Examination

    /// How many times slower than in production the largest inputs may be read here: machines differ, and share their processors. A
    /// cost that grows with the square of the length is a hundred times higher.
    private static let slowness = 4

    init() throws {
        source = try SpecimenSource()
        examination = Examination(trusting: try source.anchors, slowness: Self.slowness)
    }

    @Test(arguments: LargeInput.proofs)
    func largeProofIsReadInTime(input: LargeInput) {
        #expect(examination.violation(by: .proofReader, on: input.bytes) == nil)
        #expect(examination.violation(by: .signedTransaction, on: input.bytes) == nil)
    }

    @Test(arguments: LargeInput.json)
    func largeAnswerIsReadInTime(input: LargeInput) {
        #expect(examination.violation(by: .appleJSON, on: input.bytes) == nil)
    }

    /// A header of many certificates, and one whose certificates are many elements.
    @Test(arguments: [3, 4000])
    func largeHeaderIsReadInTime(certificates: Int) {
        let size = 44_000 / certificates / 4 * 4
        for der in [[UInt8](repeating: 0x30, count: size / 4 * 3), Self.nested(depth: size / 8), Self.flat(size / 4 * 3)] {
            let x5c = repeatElement("\"" + Data(der).base64EncodedString() + "\"", count: certificates)
            let header = Data((#"{"alg":"ES256","x5c":["# + x5c.joined(separator: ",") + "]}").utf8)
                .base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let signature = String(repeating: "A", count: 86)
            let jws = header + ".eyJ0cmFuc2FjdGlvbklkIjoiMSJ9." + signature

            #expect(examination.violation(by: .signedTransaction, on: Array(jws.utf8)) == nil)
        }
    }

    /// Content that is signed, or else it would never be read; the most of everything that fits.
    @Test
    func largestReceiptIsReadInTime() throws {
        let empty = ReceiptBytes.set([])
        let full = ReceiptBytes.set((0..<250).map { _ in ReceiptBytes.attribute(1712, ReceiptBytes.date("")) })
        let contents = [
            ReceiptBytes.app() + repeatElement(ReceiptBytes.attribute(17, empty), count: 10_000),
            ReceiptBytes.app() + repeatElement(ReceiptBytes.attribute(17, full), count: 600),
            ReceiptBytes.app() + repeatElement(ReceiptBytes.purchase([:]), count: 10_000),
            ReceiptBytes.app() + [ReceiptBytes.attribute(17, Self.nested(depth: 200_000))],
        ]

        for content in contents {
            let receipt = try source.authority.signReceipt(content: ReceiptBytes.set(content))

            #expect(Self.slow(examination.violation(by: .appReceipt, on: receipt)) == nil)
        }
    }

    /// Its certificate stands at the limit of size and holds as many elements as fit.
    @Test
    func receiptOfElementsIsReadInTime() {
        for bytes in [Self.flat(3 << 20), Self.nested(depth: 300_000), [UInt8](repeating: 0x30, count: 3 << 20)] {
            #expect(examination.violation(by: .appReceipt, on: bytes) == nil)
        }
    }

    /// These receipts are signed but not marked as the examination's own, so that only their time counts.
    private static func slow(_ violation: Violation?) -> Violation? {
        if case .believed? = violation { nil } else { violation }
    }

    private static func nested(depth: Int) -> [UInt8] {
        // Lengths of four bytes, written from the inside out.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(depth * 6)
        for level in (0..<depth).reversed() {
            let length = level * 6
            bytes += [0x30, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        }
        return bytes
    }

    private static func flat(_ size: Int) -> [UInt8] {
        let content = [UInt8](repeating: 0, count: size / 2 * 2 - 6).enumerated().map { $0.offset % 2 == 0 ? UInt8(5) : 0 }
        let length = content.count
        return [0x30, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + content
    }
}
