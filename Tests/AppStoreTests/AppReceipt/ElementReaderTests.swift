// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import Testing
import Verification

@testable import AppStore

@Suite
struct ElementReaderTests {
    @Test
    func elementsOfOneLevelAreSteppedThrough() throws {
        var reader = ElementReader([0x02, 1, 5, 0x31, 2, 0xFF, 0xFF, 0x04, 0x81, 1, 7, 0x05, 0x84, 0, 0, 0, 0][...])

        let elements = [try reader.next(), try reader.next(), try reader.next(), try reader.next()]

        #expect(elements.map { $0?.tag } == [0x02, 0x31, 0x04, 0x05])
        #expect(elements.map { $0.map { Array($0.content) } } == [[5], [0xFF, 0xFF], [7], []])
        #expect(elements[2].map { Array($0.encoded) } == [0x04, 0x81, 1, 7])
        #expect(try reader.next() == nil)
        #expect(reader.isAtEnd)
    }

    @Test(
        arguments: [
            ("a lone tag", [0x30]),
            ("a length past the end", [0x30, 2, 0]),
            ("the indefinite form", [0x30, 0x80, 0, 0]),
            ("a length that is cut", [0x30, 0x82, 1]),
            ("a length of five bytes", [0x30, 0x85, 0, 0, 0, 0, 0]),
            ("a length near the largest", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("the reserved length", [0x30, 0xFF]),
            ("a tag of two bytes", [0x3F, 0x81, 0x01, 0]),
        ] as [(String, [UInt8])])
    func malformedElementIsRefused(_ name: String, bytes: [UInt8]) {
        var reader = ElementReader(bytes[...])

        #expect(throws: Reason.malformedProof, "\(name)") { try reader.next() }
    }

    @Test
    func optionalElementOfAnotherTagIsLeftStanding() throws {
        var reader = ElementReader([0x05, 0][...])

        let other = try reader.element(ifTagged: 0xA0)
        let same = try reader.element(ifTagged: 0x05)

        #expect(other == nil)
        #expect(same != nil)
    }

    @Test(
        arguments: [
            ([0x02, 1, 0], 0), ([0x02, 1, 0x7F], 127), ([0x02, 2, 0, 0x80], 128), ([0x02, 2, 6, 0xA5], 1701),
            ([0x02, 8, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], Int64.max),
            ([0x02, 0], nil), ([0x02, 1, 0x80], nil), ([0x02, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1], nil), ([0x0C, 1, 5], nil),
        ] as [([UInt8], Int64?)])
    func numberIsReadOrNone(bytes: [UInt8], number: Int64?) throws {
        var reader = ElementReader(bytes[...])

        let element = try reader.next()

        #expect(element?.number == number)
    }

    /// Whatever swift-asn1 takes for an element of DER is stepped through in the same way, save for tags of more than
    /// one byte, which are refused here.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithAnIndependentParser(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        let genuine = ReceiptBytes.set(ReceiptBytes.app() + [ReceiptBytes.purchase([:])])
        var compared = 0
        var differing = 0

        for _ in 0..<5000 {
            let bytes = mutator.damaged(genuine)
            guard let node = try? DER.parse(bytes), case .constructed(let children) = node.content,
                !children.contains(where: { ($0.encodedBytes.first ?? 0) & 0x1F == 0x1F }), bytes[0] & 0x1F != 0x1F
            else { continue }
            compared += 1
            var outer = ElementReader(bytes[...])
            var inner = (try? outer.next()).map { ElementReader($0.content) }
            let stepped = Array(children).map { _ in (try? inner?.next())?.encoded }
            if stepped != Array(children).map({ Optional($0.encodedBytes) }) || inner?.isAtEnd != true {
                differing += 1
            }
        }

        #expect(compared > 100)
        #expect(differing == 0)
    }
}
