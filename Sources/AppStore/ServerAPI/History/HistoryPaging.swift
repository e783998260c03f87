// SPDX-License-Identifier: Apache-2.0

import Verification

/// Decides which page of a history comes next. Pure: it is told of pages and says what to ask for.
struct HistoryPaging {
    enum Step: Hashable {
        /// Ask for the page behind this position; nil for the first one.
        case ask(String?)
        /// All pages were seen, or as many as are allowed.
        case finished(isComplete: Bool)
    }

    /// What has to be asked for now.
    private(set) var next: Step

    /// Where the history was left: asking from there later gives what is new since. Nil when Apple named no position.
    private(set) var position: String?

    /// What is paged through, for messages.
    let name: String

    private var pagesLeft: Int
    private var hasRestarted = false

    /// - Parameter position: where it was left earlier; nil for the beginning.
    init(_ name: String, from position: String?, maximumPages: Int) {
        self.name = name
        self.position = position
        pagesLeft = maximumPages
        next = maximumPages > 0 ? .ask(position) : .finished(isComplete: false)
    }

    /// Takes in a page.
    ///
    /// - Throws: an uncertain failure when there is said to be more and no way to get there.
    mutating func note(hasMore: Bool, position: String?) throws(VerificationFailure) {
        let before = self.position
        self.position = position ?? before
        pagesLeft -= 1
        guard hasMore else {
            next = .finished(isComplete: true)
            return
        }
        guard let position, position != before else {
            throw .unknownAnswer("\(name) promised more pages and named no way to them")
        }
        next = pagesLeft > 0 ? .ask(position) : .finished(isComplete: false)
    }

    /// Takes in that a position isn't taken any more: begins from the first page, once.
    ///
    /// - Throws: an uncertain failure for the second time, or when there was no position.
    mutating func restart(_ code: ServerAPIErrorCode) throws(VerificationFailure) {
        guard !hasRestarted, position != nil else {
            throw .unknownAnswer("\(name) refuses its own positions with \(code)")
        }
        hasRestarted = true
        position = nil
        pagesLeft -= 1
        next = pagesLeft > 0 ? .ask(nil) : .finished(isComplete: false)
    }
}
