// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Adds apps to verify for, and sets their policies.",
        subcommands: [AppsAddCommand.self, AppsAddSandboxAccountCommand.self]
    )
}
