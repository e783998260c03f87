// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ReceiptContents {
    /// One SET of attributes: `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
    ///
    /// Of an attribute that stands there twice, the first counts; only purchases repeat.
    struct Attributes {
        /// The values of the attributes that hold a purchase each.
        private(set) var purchases: [ArraySlice<UInt8>] = []
        private var values: [Int64: ArraySlice<UInt8>] = [:]
        private let limits: Limits

        /// Reads the bytes of a whole SET.
        init(set bytes: ArraySlice<UInt8>, maximum: Int, limits: Limits) throws(ReceiptContentsError) {
            self.limits = limits
            var outer = DERReader(bytes)
            var set = DERReader(try outer.expect(DERReader.Tag.set))
            guard outer.isAtEnd else { throw .malformed("bytes after a set") }
            var count = 0
            while let element = try set.next() {
                count += 1
                guard count <= maximum else { throw .tooMany }
                guard element.tag == DERReader.Tag.sequence else { throw .malformed("attribute expected") }
                try add(element.content)
            }
        }

        func bytes(_ type: Int) -> ArraySlice<UInt8>? {
            values[Int64(type)]
        }

        func text(_ type: Int) throws(ReceiptContentsError) -> String? {
            try element(type)?.text
        }

        func integer(_ type: Int) throws(ReceiptContentsError) -> Int64? {
            try element(type)?.integer
        }

        /// A date; an empty text is none.
        func date(_ type: Int) throws(ReceiptContentsError) -> Date? {
            guard let text = try text(type), !text.isEmpty else { return nil }
            guard let date = Date(rfc3339: text) else { throw .malformed("date expected") }
            return date
        }

        private mutating func add(_ attribute: ArraySlice<UInt8>) throws(ReceiptContentsError) {
            var reader = DERReader(attribute)
            guard let type = try reader.next() else { throw .malformed("empty attribute") }
            _ = try reader.expect(DERReader.Tag.integer)
            let value = try reader.expect(DERReader.Tag.octetString)
            let number = try type.integer
            if number == ReceiptAttribute.purchase {
                purchases.append(value)
            } else if values[number] == nil {
                values[number] = value
            }
        }

        private func element(_ type: Int) throws(ReceiptContentsError) -> DERReader.Element? {
            guard let value = values[Int64(type)] else { return nil }
            guard value.count <= limits.value else { throw .tooMany }
            var reader = DERReader(value)
            guard let element = try reader.next() else { throw .malformed("empty value") }
            return element
        }
    }
}
