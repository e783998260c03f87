// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// A request whose key was found, on its way to its answer.
struct Call: Sendable {
    let request: Request
    let route: Route
    let method: String
    let query: Substring
    let requestID: String
    let key: KeyFacts

    private static let accountField = HTTPField.Name("Counterfoil-Account")!

    /// Whose order it is about: a header, since proxies log paths.
    func account() throws(Problem) -> String {
        guard let text = request.headers[Self.accountField] else {
            throw Problem(
                .malformedRequest, "the header Counterfoil-Account is needed", facts: ["member": .string("Counterfoil-Account")])
        }
        return try PathID.decode(text)
    }

    /// The media type of the body, without its parameters.
    var mediaType: String {
        (request.headers[.contentType] ?? "").prefix { $0 != ";" }.trimmingSuffix(" ").lowercased()
    }

    var ifNoneMatch: String? { request.headers[.ifNoneMatch] }

    /// The seconds that the client is ready to wait, by `wait` or by `Prefer: wait=`.
    ///
    /// - Throws: `malformed_request`.
    func wait(_ items: QueryItems) throws(Problem) -> Int {
        if let seconds = try items.number("wait", in: 0...30) { return seconds }
        let preferred = request.headers[HTTPField.Name("Prefer")!]?.firstMatch(of: /\bwait=(\d{1,4})\b/)
        return preferred.flatMap { Int($0.1) }.map { min($0, 30) } ?? 0
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(_ character: Character) -> SubSequence {
        var rest = self[...]
        while rest.last == character { rest = rest.dropLast() }
        return rest
    }
}
