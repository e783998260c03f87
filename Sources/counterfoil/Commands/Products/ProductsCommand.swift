// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "Adds products of an app.",
        subcommands: [ProductsAddCommand.self]
    )
}
