// SPDX-License-Identifier: Apache-2.0

/// One page of a history.
struct HistorySlice<Record: Sendable>: Sendable {
    /// Apple's number of entries on a page.
    static var size: Int { 20 }

    let records: [Record]
    /// Where the next page begins.
    let position: String
    let hasMore: Bool

    /// The page behind a position.
    ///
    /// - Parameters:
    ///   - text: the position that a call shows; nil for the beginning.
    ///   - request: all that must be the same at each page.
    /// - Throws: `refusal` when the position was not given out for this request.
    init(
        of entries: [HistoryEntry<Record>], behind text: String?, request: [String], generation: Int,
        else refusal: ServerAPIRefusal
    ) throws(ServerAPIRefusal) {
        var begin = HistoryPosition(place: [Int64.min], request: request, generation: generation)
        if let text {
            guard let shown = HistoryPosition(text, request: request, generation: generation) else { throw refusal }
            begin = shown
        }
        let rest = entries.filter { begin.precedes($0.place) }
            .sorted { $0.place.lexicographicallyPrecedes($1.place) }
        let page = rest.prefix(Self.size)
        records = page.map(\.record)
        hasMore = rest.count > page.count
        position =
            page.last.map { HistoryPosition(place: $0.place, request: request, generation: generation).text }
            ?? begin.text
    }
}

/// Something in a history, and where it stands there.
struct HistoryEntry<Record: Sendable>: Sendable {
    let record: Record
    /// Numbers that rise along the history.
    let place: [Int64]
}
