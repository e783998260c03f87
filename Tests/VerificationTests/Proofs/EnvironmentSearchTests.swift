// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite
struct EnvironmentSearchTests {
    typealias Finding = EnvironmentSearch.Finding
    typealias Step = EnvironmentSearch.Step

    /// A search from its beginning: how it begins, what each environment would say, what is asked, how it ends.
    struct Case: CustomTestStringConvertible, Sendable {
        var isClosed = false
        var production: Finding
        var sandbox: Finding
        var asked: [AppStoreEnvironment]
        var end: Step

        var testDescription: String {
            "\(isClosed ? "closed, " : "")\(production), \(sandbox): \(end)"
        }
    }

    static let both: [AppStoreEnvironment] = [.production, .sandbox]

    static let cases: [Case] = [
        Case(production: .found, sandbox: .found, asked: [.production], end: .found(.production)),
        Case(production: .found, sandbox: .notFound, asked: [.production], end: .found(.production)),
        Case(production: .found, sandbox: .unauthorized, asked: [.production], end: .found(.production)),
        Case(production: .notFound, sandbox: .found, asked: both, end: .found(.sandbox)),
        Case(production: .notFound, sandbox: .notFound, asked: both, end: .missing),
        Case(production: .notFound, sandbox: .unauthorized, asked: both, end: .misconfigured(.sandbox)),
        Case(production: .unauthorized, sandbox: .found, asked: both, end: .found(.sandbox)),
        Case(production: .unauthorized, sandbox: .notFound, asked: both, end: .unresolved),
        Case(production: .unauthorized, sandbox: .unauthorized, asked: both, end: .misconfigured(.production)),
        // Production is closed: only the sandbox is asked.
        Case(isClosed: true, production: .found, sandbox: .found, asked: [.sandbox], end: .found(.sandbox)),
        Case(isClosed: true, production: .found, sandbox: .notFound, asked: [.sandbox], end: .unresolved),
        Case(isClosed: true, production: .found, sandbox: .unauthorized, asked: [.sandbox],
            end: .misconfigured(.sandbox)),
    ]

    @Test(arguments: cases)
    func searchAsksInOrderAndEndsAsItShould(_ example: Case) {
        var search = EnvironmentSearch(isUnreleased: example.isClosed)
        var asked: [AppStoreEnvironment] = []

        while case .ask(let environment) = search.next, asked.count < 5 {
            asked.append(environment)
            search.note(environment == .production ? example.production : example.sandbox, in: environment)
        }

        #expect(asked == example.asked)
        #expect(search.next == example.end)
    }

    @Test
    func noSearchAsksTwiceOrEndsInAGrantThatNobodySaid() {
        for isClosed in [false, true] {
            for production in Finding.allCases {
                for sandbox in Finding.allCases {
                    var search = EnvironmentSearch(isUnreleased: isClosed)
                    var asked: Set<AppStoreEnvironment> = []
                    while case .ask(let environment) = search.next {
                        guard asked.insert(environment).inserted else {
                            Issue.record("asked twice")
                            break
                        }
                        search.note(environment == .production ? production : sandbox, in: environment)
                    }
                    if case .found(let environment) = search.next {
                        #expect((environment == .production ? production : sandbox) == .found)
                    } else {
                        #expect(!asked.contains(.production) || production != .found)
                        #expect(sandbox != .found)
                    }
                    #expect(search.next != .missing || asked.count == 2)
                }
            }
        }
    }

    @Test
    func laterWordOfAnEnvironmentCounts() {
        var search = EnvironmentSearch()
        search.note(.notFound, in: .production)
        search.note(.found, in: .production)

        #expect(search.next == .found(.production))
    }
}
