// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct VerifyReceiptAnswerTests {
    @Test(arguments: [
        (21000, Finding.misconfigured),
        (21001, .unknownAnswer),
        (21002, .failure(.uncertain(.rejected), .malformedProof)),
        (21003, .refused(.notAuthentic)),
        (21004, .unknownAnswer),
        (21005, .unavailable),
        (21007, .elsewhere(.sandbox)),
        (21008, .unknownAnswer),
        (21009, .unavailable),
        (21010, .refused(.customerNotFound)),
        (21011, .unknownAnswer),
        (21099, .unknownAnswer),
        (21100, .unknownAnswer),
        (21150, .unknownAnswer),
        (21199, .unknownAnswer),
        (21200, .unknownAnswer),
        (1, .unknownAnswer),
        (-1, .unknownAnswer),
    ])
    func statusOfProductionIsReadAsDocumented(status: Int, finding: Finding) throws {
        #expect(try ReceiptJSON.finding(in: #"{"status":\#(status)}"#) == finding)
    }

    /// A closed gate holds up every customer of the app, so nobody's odd receipt may close it.
    @Test
    func onlyAReceiptOfOursSpeaksOfOurSecret() throws {
        let authority = try SimulatedCertificateAuthority()
        let ours = try SimulatedStore.receipt(signedBy: authority).base64
        let foreign = try SimulatedReceipt(
            bundleId: "org.example.elsewhere", transactions: [], signedBy: authority).base64
        let body = #"{"status":21004}"#

        #expect(try ReceiptJSON.finding(in: body, proof: .appReceipt(ours)) == .credentialRefused)
        #expect(try ReceiptJSON.finding(in: body, proof: .appReceipt(foreign)) == .refused(.wrongApp))
        #expect(try ReceiptJSON.finding(in: body, proof: .appReceipt("MIIT")) == .unknownAnswer)
    }

    @Test(arguments: [
        (21007, Finding.unknownAnswer),
        (21008, .elsewhere(.production)),
    ])
    func sandboxSendsToProductionAndNotToItself(status: Int, finding: Finding) throws {
        #expect(try ReceiptJSON.finding(in: #"{"status":\#(status)}"#, host: .sandbox) == finding)
    }

    @Test(arguments: ["is_retryable", "is-retryable"], ["1", "true", #""1""#, #""true""#])
    func internalErrorThatMayPassIsTransient(name: String, value: String) throws {
        let finding = try ReceiptJSON.finding(in: #"{"status":21104,"\#(name)":\#(value)}"#)

        #expect(finding == .unavailable)
    }

    @Test(arguments: ["is_retryable", "is-retryable"], ["0", "false", #""0""#, #""false""#])
    func internalErrorThatStaysIsLeftToAPerson(name: String, value: String) throws {
        let finding = try ReceiptJSON.finding(in: #"{"status":21104,"\#(name)":\#(value)}"#)

        #expect(finding == .failure(.needsAPerson, .unknownAnswer))
    }

    @Test
    func malformedDataIsRefusedAtOnceOnlyWhenItLooksSoHereToo() throws {
        let whole = try SimulatedReceipt(transactions: []).base64
        let cut = Data(try SimulatedReceipt(transactions: []).encoded().dropLast(3)).base64EncodedString()
        let uncertain = Finding.failure(.uncertain(.rejected), .malformedProof)
        let answer = #"{"status":21002}"#

        #expect(try ReceiptJSON.finding(in: answer, proof: .appReceipt(whole)) == uncertain)
        #expect(try ReceiptJSON.finding(in: answer, proof: .appReceipt(cut)) == .refused(.malformedProof))
        #expect(try ReceiptJSON.finding(in: answer, proof: .appReceipt("MIIT!")) == .refused(.malformedProof))
    }

    @Test(arguments: [
        (300, Finding.unavailable), (302, .unavailable),
        (408, .unavailable), (429, .unavailable),
        (500, .unavailable), (503, .unavailable),
        (599, .unavailable),
        (201, .unavailable), (401, .unavailable),
        (403, .unavailable), (404, .unavailable),
        (405, .unavailable), (410, .unavailable),
        (400, .unknownAnswer), (413, .unknownAnswer),
        (414, .unknownAnswer), (431, .unknownAnswer),
    ])
    func onlyHTTP200IsAnAnswer(status: Int, finding: Finding) throws {
        #expect(try ReceiptJSON.finding(in: #"{"status":21003}"#, http: status) == finding)
    }

    @Test(arguments: [
        "", "<html></html>", "null", "[]", "0", #""status""#, "{", "{}", #"{"status":"0"}"#, #"{"status":null}"#,
        #"{"status":0.5}"#, #"{"status":1e99}"#, #"{"status":true}"#, #"{"environment":"Production"}"#,
    ])
    func answerWithoutAnIntegerStatusIsTransient(body: String) throws {
        #expect(try ReceiptJSON.finding(in: body) == .unavailable)
    }

    @Test(arguments: [429, 503])
    func waitThatIsAskedForIsPassedOn(status: Int) {
        let failure = #expect(throws: VerificationFailure.self) {
            try VerifyReceiptAnswer(host: .production, proof: .appReceipt("MIIT"), bundleID: SimulatedStore.bundleID)
                .evidence(in: HTTPResponse(status: status, retryAfter: .seconds(90), body: Data()))
        }

        #expect(failure?.retryAfter == .seconds(90))
    }
}
