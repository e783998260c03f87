// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Shows orders.",
        subcommands: [OrdersShowCommand.self, OrdersListCommand.self]
    )
}
