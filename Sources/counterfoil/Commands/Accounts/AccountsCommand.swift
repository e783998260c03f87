// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Acts on customers' accounts. counterfoil customers show looks at one.",
        subcommands: [AccountsMoveCommand.self, AccountsForgetCommand.self]
    )
}
