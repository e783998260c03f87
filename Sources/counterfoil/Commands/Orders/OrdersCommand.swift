// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Shows orders, and settles by hand what a person must decide.",
        subcommands: [
            OrdersShowCommand.self, OrdersListCommand.self, OrdersAssignCommand.self, OrdersRefundCommand.self,
        ]
    )
}
