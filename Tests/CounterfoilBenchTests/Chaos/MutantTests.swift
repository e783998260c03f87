// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Postgres
import Schema
import Testing

@testable import counterfoil_bench

@Suite struct MutantTests {
    @Test(arguments: Mutants.all.map(\.name))
    func everyMutantLacksSomethingAndNamesAScenario(name: String) throws {
        let mutant = try #require(Mutants.all.first { $0.name == name })

        let rewritten = try mutant.rewritten()

        let rewrittenForDeliverers = mutant.rewrittenForDeliverers
        #expect(
            !rewritten.isEmpty || !rewrittenForDeliverers.isEmpty || !mutant.changes.isEmpty || mutant.cancelsWaitingCommits)
        for (statement, text) in rewritten {
            #expect(SQLFile.queries.first { $0.name == statement }?.text != text)
        }
        #expect(Scenarios.named(mutant.scenario) != nil)
    }

    /// Beside the statements, what is checked without one.
    @Test(arguments: Mutants.all.map(\.name))
    func everyMutantIsNoticedByACheckThatThereIs(name: String) throws {
        let mutant = try #require(Mutants.all.first { $0.name == name })
        let others = [
            "granted_transactions_are_finished_and_no_others", "attempts_charged_in_an_outage", "faults", ShopSQL.judgeName,
        ]

        guard case .check(let check) = mutant.complaint else { return }
        #expect((ChaosSQL.checks.map(\.name) + SQLFile.checks.map(\.name) + others).contains(check))
    }

    @Test func aMutantThatDoesNotFitItsStatementIsAnError() {
        let mutant = Mutant(
            name: "odd", guardSummary: "", scenario: "kill-random", complaint: .lost,
            edits: [.init(file: .claimJobs, part: "no such text", replacement: "")])

        #expect(throws: BenchError.self) { try mutant.rewritten() }
    }

    @Test func theServerGetsTheOtherTextAndItsPointsStay() throws {
        var conversation = Conversation()
        conversation.rewritten = try #require(try Mutants.all.first { $0.name == "no-fence" }?.rewritten())
        let fence = SQLFile.lockSettlingJobs

        _ = conversation.clientSent(ByteBuffer(bytes: Wire.start))
        _ = conversation.serverSent(ByteBuffer(bytes: Wire.done))
        let events = conversation.clientSent(ByteBuffer(bytes: Wire.query(fence.text)))

        let sent = String(decoding: events.bytes, as: UTF8.self)
        #expect(events.points == [.settling])
        #expect(!sent.contains("j.lease_token = s.lease_token"))
        #expect(sent.contains("delete from counterfoil.jobs"))
    }
}
