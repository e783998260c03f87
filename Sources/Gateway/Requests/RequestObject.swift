// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A request's JSON object, whose members are all known: one that is spelt wrongly would be passed over.
package struct RequestObject: Sendable {
    private let members: [String: JSONValue]

    /// - Throws: `malformed_request` for what is no object in JSON, `unknown_member`.
    package init(_ body: [UInt8], knowing known: Set<String>) throws(Problem) {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(body)) else {
            throw Problem(.malformedRequest, "the body is an object in JSON")
        }
        if let name = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw Problem(.unknownMember, "this request has no member of this name", facts: ["member": .string(name)])
        }
        self.members = members
    }

    package func has(_ name: String) -> Bool { members[name] != nil && members[name] != .null }

    /// Nil where it is missing or null.
    package func string(_ name: String) throws(Problem) -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let value) where !value.utf8.contains(0): return value
        default: throw wrong(name, "text without a NUL")
        }
    }

    package func requiredString(_ name: String) throws(Problem) -> String {
        guard let value = try string(name) else { throw wrong(name, "this member is needed") }
        return value
    }

    package func int32(_ name: String) throws(Problem) -> Int32? {
        switch members[name] {
        case nil, .null: return nil
        case .integer(let value):
            guard let small = Int32(exactly: value) else { throw wrong(name, "a whole number") }
            return small
        default: throw wrong(name, "a whole number")
        }
    }

    package func bool(_ name: String) throws(Problem) -> Bool? {
        switch members[name] {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw wrong(name, "true or false")
        }
    }

    package func uuid(_ name: String) throws(Problem) -> UUID? {
        guard let text = try string(name) else { return nil }
        guard let value = UUID(uuidString: text) else { throw wrong(name, "a UUID") }
        return value
    }

    private func wrong(_ name: String, _ detail: String) -> Problem {
        Problem(.malformedRequest, detail, facts: ["member": .string(name)])
    }
}
