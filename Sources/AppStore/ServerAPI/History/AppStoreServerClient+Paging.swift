// SPDX-License-Identifier: Apache-2.0

import Verification

extension AppStoreServerClient {
    /// Reads pages as long as there are more.
    ///
    /// - Parameters:
    ///   - latestStart: the end of the first call's turn.
    ///   - deadline: for all pages together.
    ///   - request: what asks for the page at a position.
    ///   - forget: is called when all pages so far are void and the first comes again.
    ///   - take: receives each page and returns whether there are more, and where.
    ///   - finish: makes the history, once all pages were taken: from the position where it was left (nil when Apple named
    ///     none), and whether the allowed number of pages was enough.
    func readPages<Page: Decodable & Sendable, History: Sendable>(
        _ paging: HistoryPaging, as type: Page.Type, about bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant,
        request: (String?) -> ServerAPIRequest, forget: () -> Void,
        take: (Page) async throws(VerificationFailure) -> (hasMore: Bool, position: String?),
        finish: (_ position: String?, _ isComplete: Bool) -> History
    ) async throws(VerificationFailure) -> ServerAPIAnswer<History> {
        var paging = paging
        let first = paging.position
        while true {
            switch paging.next {
            case .finished(let isComplete):
                return .answered(finish(paging.position, isComplete))
            case .ask(let position):
                let request = request(position)
                let answer = try await call(
                    request, about: bundleID, in: environment, startingBy: position == first ? latestStart : nil, deadline: deadline
                ) { (response) throws(VerificationFailure) in try request.json(Page.self, in: response) }
                switch answer {
                case .answered(let page):
                    let rest = try await take(page)
                    try paging.note(hasMore: rest.hasMore, position: rest.position)
                case .refused(let code) where code.meaning == .restart:
                    try paging.restart(code)
                    forget()
                case .refused(let code): return .refused(code)
                case .notFound(let code): return .notFound(code)
                case .unauthorized: return .unauthorized
                }
            }
        }
    }
}
