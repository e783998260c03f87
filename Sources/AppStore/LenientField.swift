// SPDX-License-Identifier: Apache-2.0

/// A field of Apple's data that never makes reading fail, and still tells absent from unreadable.
enum LenientField<Value: Decodable> {
    /// Missing, or null.
    case absent
    /// There, and of another type than expected.
    case unreadable
    case value(Value)

    init<Key>(_ fields: KeyedDecodingContainer<Key>, _ key: Key) {
        do {
            self = try fields.decodeIfPresent(Value.self, forKey: key).map(LenientField.value) ?? .absent
        } catch {
            self = .unreadable
        }
    }

    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var isUnreadable: Bool {
        if case .unreadable = self { true } else { false }
    }
}

extension LenientField: Sendable where Value: Sendable {}

/// An id: text, or an integer above 0, which is read as its digits.
struct AppleIdentifier: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
            return
        }
        let number = try container.decode(Int64.self)
        guard number > 0 else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an id") }
        text = String(number)
    }
}

/// A value of any type and form, of which only its presence counts.
struct AnyValue: Decodable, Sendable {
    init(from decoder: any Decoder) {}
}
