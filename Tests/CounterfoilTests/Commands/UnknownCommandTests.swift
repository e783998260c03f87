// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport
@testable import counterfoil

@Suite struct UnknownCommandTests {
    @Test(arguments: [
        (["order", "show", "o"], "counterfoil has no command order; did you mean counterfoil orders?"),
        (["dashbord"], "counterfoil has no command dashbord; did you mean counterfoil dashboard?"),
        (["orders", "lst"], "counterfoil orders has no command lst; did you mean counterfoil orders list?"),
        (["help", "nope"], "counterfoil has no command nope: see counterfoil --help"),
        (["help", "orders", "asign"], "counterfoil orders has no command asign; did you mean counterfoil orders assign?"),
        (["gates", "opne", "1"], "counterfoil gates has no command opne; did you mean counterfoil gates open?"),
        (["a\u{1B}[2J"], "counterfoil has no command a\\u{1b}[2J: see counterfoil --help"),
    ])
    func aMistypedCommandIsNamedWithTheOneThatWasMeant(arguments: [String], message: String) {
        #expect(UnknownCommand.find(in: Counterfoil.self, arguments)?.description == message)
    }

    @Test(arguments: [
        [], ["--help"], ["--version"], ["orders"], ["orders", "--help"], ["orders", "show", "nope"], ["find", "order"], ["help"],
        ["help", "orders"], ["gates"], ["gates", "--json"], ["attempt"], ["orders", "help", "show"],
        ["--generate-completion-script", "bash"],
    ])
    func aCommandThatIsThereIsNone(arguments: [String]) {
        #expect(UnknownCommand.find(in: Counterfoil.self, arguments) == nil)
    }

    @Test func itEndsWithTheStatusOfABadCommandLine() async throws {
        let ended = try await Program.run(["order", "list"])

        #expect(ended.status == .exited(64))
        #expect(ended.errors == "counterfoil: counterfoil has no command order; did you mean counterfoil orders?\n")
    }
}
