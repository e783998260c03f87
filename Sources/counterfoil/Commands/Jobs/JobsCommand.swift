// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Shows pending and discarded verifications, and acts on them.",
        subcommands: [
            JobsListCommand.self, JobsShowCommand.self, JobsRetryCommand.self, JobsDiscardCommand.self,
            JobsCancelCommand.self,
        ]
    )
}
