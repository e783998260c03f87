// SPDX-License-Identifier: Apache-2.0

/// How an answer says whether asking again is of use; Apple has been seen to use two names and two types.
///
/// As JSON it is what the answer will hold: `{"is-retryable": 1}`, `{"is_retryable": false}`.
package struct RetryableField: Sendable, Equatable {
    package enum Name: String, CaseIterable, Sendable {
        /// In older material.
        case dashed = "is-retryable"
        /// In the current page.
        case underscored = "is_retryable"
    }

    package enum Value: Sendable, Equatable {
        case number(Int)
        case boolean(Bool)
    }

    package var name: Name
    package var value: Value

    package init(_ name: Name, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension RetryableField: Codable {
    private enum CodingKeys: String, CodingKey {
        case dashed = "is-retryable"
        case underscored = "is_retryable"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let (key, name) = container.contains(.dashed) ? (CodingKeys.dashed, Name.dashed) : (.underscored, .underscored)
        if let boolean = try? container.decode(Bool.self, forKey: key) {
            self.init(name, .boolean(boolean))
        } else {
            self.init(name, .number(try container.decode(Int.self, forKey: key)))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let key: CodingKeys = name == .dashed ? .dashed : .underscored
        switch value {
        case .number(let number): try container.encode(number, forKey: key)
        case .boolean(let boolean): try container.encode(boolean, forKey: key)
        }
    }
}
