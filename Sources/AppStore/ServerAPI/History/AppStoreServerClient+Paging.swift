// SPDX-License-Identifier: Apache-2.0

import Verification

extension AppStoreServerClient {
    /// Reads pages as long as there are more.
    ///
    /// - Parameters:
    ///   - deadline: for all pages together.
    ///   - request: what asks for the page at a position.
    ///   - forget: is called when all pages so far are void and the first comes again.
    ///   - take: is handed each page, and says whether there are more, and where.
    func readPages<Page: Decodable & Sendable>(
        _ paging: HistoryPaging, as type: Page.Type, about bundleID: BundleID, in environment: AppStoreEnvironment,
        deadline: ContinuousClock.Instant, request: (String?) -> ServerAPIRequest, forget: () -> Void,
        take: (Page) async throws(VerificationFailure) -> (hasMore: Bool, position: String?)
    ) async throws(VerificationFailure) -> ServerAPIAnswer<HistoryEnd> {
        var paging = paging
        while true {
            switch paging.next {
            case .finished(let isComplete):
                return .answered(HistoryEnd(position: paging.position, isComplete: isComplete))
            case .ask(let position):
                let answer = try await call(
                    request(position), as: Page.self, about: bundleID, in: environment, deadline: deadline)
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
