// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import Verification
import VerificationQueue

struct ProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "Adds products of apps.",
        subcommands: [ProductsAddCommand.self]
    )
}

struct ProductsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a product or changes its kind."
    )

    @Argument(help: "The app's bundle id.")
    var bundle: String

    @Argument(help: "The product's id.")
    var product: String

    @Option(help: "The product's kind: consumable, non_consumable, non_renewing or auto_renewable.")
    var kind: ProductKind

    func run() async throws {
        let isNew = try await Assembly().withConnection(writing: true) { connection in
            let rows = try await connection.execute(
                SQLFile.insertProduct.statement, [.text(bundle), .text(product), .text(kind.rawValue)])
            return try rows[0].bool(0)
        }
        print(isNew ? "product \(product) is added" : "product \(product) is changed")
    }
}

extension ProductKind: ExpressibleByArgument {}
