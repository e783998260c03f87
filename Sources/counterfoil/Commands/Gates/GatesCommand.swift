// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Shows and moves the gates that jobs pass.",
        discussion: "A gate stands before each app's calls to one of Apple's services; jobs behind a closed one wait.",
        subcommands: [GatesListCommand.self, GatesOpenCommand.self, GatesCloseCommand.self],
        defaultSubcommand: GatesListCommand.self
    )
}
