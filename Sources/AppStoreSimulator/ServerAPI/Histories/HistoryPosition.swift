// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// Where a page of a history ended, as an opaque text: `revision` or `paginationToken`.
///
/// It belongs to the request that it was given out for. Shown with another customer, other filters, or after
/// ``ServerAPIBook/forgetPositions()``, it is none.
struct HistoryPosition: Equatable {
    /// The last entry of the page: numbers that rise along the history.
    let place: [Int64]

    private let request: String

    /// - Parameter request: all that must be the same at each page.
    init(place: [Int64], request: [String], generation: Int) {
        self.place = place
        self.request = Self.digest(of: request, generation: generation)
    }

    /// Reads a text that was given out for this request.
    init?(_ text: String, request: [String], generation: Int) {
        let digest = Self.digest(of: request, generation: generation)
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        let place = parts.dropFirst().compactMap { Int64($0) }
        guard parts.first == digest[...], !place.isEmpty, place.count == parts.count - 1 else { return nil }
        self.place = place
        self.request = digest
    }

    var text: String {
        ([request] + place.map { String($0) }).joined(separator: "_")
    }

    /// Whether an entry at another place comes after this one.
    func precedes(_ other: [Int64]) -> Bool {
        place.lexicographicallyPrecedes(other)
    }

    private static func digest(of request: [String], generation: Int) -> String {
        let text = (["\(generation)"] + request).joined(separator: "\n")
        return SHA256.hash(data: Data(text.utf8)).prefix(8).hexadecimal
    }
}
