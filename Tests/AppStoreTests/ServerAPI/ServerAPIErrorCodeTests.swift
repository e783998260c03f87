// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Every documented code, and every class of HTTP status.
@Suite
struct ServerAPIErrorCodeTests {
    /// What an answer leads to.
    enum Reading: Hashable {
        case answered, unauthorized
        case notFound(Int)
        case refused(Int)
        case failure(VerificationFailure.Kind)

        static let retry = Reading.failure(.transient)
        static let limited = Reading.failure(.rateLimited)
        static let misconfigured = Reading.failure(.configuration)
        static let uncertain = Reading.failure(.uncertain(.review))
    }

    @Test(arguments: [
        4_000_006, 4_000_008, 4_000_020, 4_000_032, 4_000_033, 4_000_034, 4_000_035, 4_000_036, 4_000_037, 4_000_038,
        4_000_039, 4_000_040, 4_000_041, 4_000_042, 4_000_043, 4_000_044, 4_000_047, 4_000_048, 4_000_183, 4_000_185,
        4_000_187, 4_040_019,
    ])
    func inputThatCanNeverBeRightIsRefused(code: Int) {
        #expect(Self.read(code) == .refused(code))
    }

    @Test(arguments: [4_040_001, 4_040_005, 4_040_008, 4_040_010])
    func absenceIsAnAnswer(code: Int) {
        #expect(Self.read(code) == .notFound(code))
    }

    @Test(arguments: [4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001])
    func troubleAtAppleIsTransient(code: Int) {
        #expect(Self.read(code) == .retry)
    }

    @Test
    func callingTooOftenIsNobodysFailure() {
        #expect(Self.read(4_290_000) == .limited)
    }

    @Test(arguments: [4_000_002, 4_040_003, 4_040_007])
    func faultOfTheSetUpIsOne(code: Int) {
        #expect(Self.read(code) == .misconfigured)
    }

    @Test(arguments: [
        4_000_000, 4_000_009, 4_000_010, 4_000_011, 4_000_012, 4_000_013, 4_000_015, 4_000_016, 4_000_018, 4_000_019,
        4_000_021, 4_000_022, 4_000_023, 4_000_024, 4_000_025, 4_000_026, 4_000_027, 4_000_028, 4_000_030, 4_000_031,
        4_030_004, 4_030_005, 4_030_007, 4_040_009,
    ])
    func complaintAboutOurRequestIsUncertain(code: Int) {
        #expect(Self.read(code) == .uncertain)
    }

    @Test(arguments: [4_000_005, 4_000_014, 4_000_017])
    func positionThatIsNotTakenBeginsAHistoryAnew(code: Int) {
        #expect(Self.read(code, isPage: true) == .refused(code))
        #expect(Self.read(code, isPage: false) == .uncertain)
    }

    @Test
    func tableHasEachCodeOnceAndItsStatusIsTheOneThatAppleGives() {
        for (code, row) in ServerAPIErrorCode.rows {
            #expect([400, 403, 404, 429, 500].contains(code / 10_000), "\(code)")
            #expect(!row.name.isEmpty)
            #expect(ServerAPIErrorCode(rawValue: code).description == "\(code) \(row.name)")
        }
        #expect(ServerAPIErrorCode.rows.count == 62)
    }

    @Test(arguments: [
        (400, "", Reading.uncertain), (400, "{}", .uncertain), (400, #"{"errorCode": "4000006"}"#, .uncertain),
        (400, #"{"errorCode": 4009999}"#, .uncertain), (402, "no", .uncertain), (405, "", .uncertain),
        (409, #"{"errorCode": 4090000}"#, .uncertain),
        (401, "Unauthenticated", .unauthorized), (401, "", .unauthorized),
        (401, #"{"errorCode": 4040010}"#, .unauthorized),
        (403, "Forbidden", .misconfigured), (403, "", .misconfigured), (403, #"{"errorCode": 4030014}"#, .misconfigured),
        (404, "", .retry), (404, "<html>", .retry), (404, #"{"errorCode": 4040014}"#, .uncertain),
        (429, "", .limited), (429, #"{"errorCode": 4299999}"#, .limited),
        (500, "", .retry), (500, #"{"errorCode": 4040010}"#, .retry), (503, "<html>", .retry),
        (599, #"{"errorCode": 5009999}"#, .retry), (301, "", .retry), (304, "", .retry), (408, "", .retry),
        (200, "", .answered), (202, "", .answered), (100, "", .uncertain), (600, "", .uncertain),
    ])
    func answerWithoutAKnownCodeIsReadByItsStatus(status: Int, body: String, expected: Reading) {
        #expect(Self.read(status: status, body: body) == expected)
    }

    @Test
    func waitThatIsAskedForIsPassedOn() {
        for (status, body) in [(429, #"{"errorCode": 4290000}"#), (503, ""), (404, #"{"errorCode": 4040002}"#)] {
            let answer = HTTPResponse(status: status, retryAfter: .seconds(7), body: Data(body.utf8))

            let failure = #expect(throws: VerificationFailure.self) {
                try ServerAPIAnswer(answer, to: "Test", isPage: false)
            }

            #expect(failure?.retryAfter == .seconds(7))
        }
    }

    private static func read(_ code: Int, isPage: Bool = false) -> Reading {
        read(status: code / 10_000, body: #"{"errorCode": \#(code), "errorMessage": "so"}"#, isPage: isPage)
    }

    private static func read(status: Int, body: String, isPage: Bool = false) -> Reading {
        let answer = HTTPResponse(status: status, body: Data(body.utf8))
        do {
            switch try ServerAPIAnswer(answer, to: "Test", isPage: isPage) {
            case .answered: return .answered
            case .unauthorized: return .unauthorized
            case .notFound(let code): return .notFound(code.rawValue)
            case .refused(let code): return .refused(code.rawValue)
            }
        } catch {
            return .failure(error.kind)
        }
    }
}
