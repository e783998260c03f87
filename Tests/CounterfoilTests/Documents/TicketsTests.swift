// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// The tickets of `deploy/docs/tickets.md`: each is set up on a whole installation, and answered by the page's commands.
@Suite struct TicketsTests {
    @Test(.timeLimit(.minutes(10)))
    func eachTicketIsAnsweredByThePagesCommands() async throws {
        let programs = URL(fileURLWithPath: Program.Name.counterfoil.path).deletingLastPathComponent().path
        let script = Repository.root.appending(path: "deploy/tickets").path

        let ended = try await Program.run(shell: "PROGRAMS='\(programs)' exec '\(script)'")

        #expect(ended.status.isSuccess, "\(ended.output)\n\(ended.errors)")
        let rows = ended.output.split(separator: "\n").filter { $0.contains(/^\| [0-9]+ \|/) }
        #expect(rows.count >= 20)
        #expect(rows.allSatisfy { $0.hasSuffix("| yes |") }, "\(ended.output)")
    }
}
