// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct ProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "Lists and adds products of apps.",
        subcommands: [ProductsListCommand.self, ProductsAddCommand.self]
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

    @Flag(help: "Change the kind of a product that is listed with another one. It decides what counts as one grant.")
    var changeKind = false

    func run() async throws {
        let isNew = try await Assembly().withConnection(writing: true) { connection in
            let listed = try await connection.execute(SQLFile.readProduct.statement, [.text(bundle), .text(product)])
            if let before = try listed[0].optionalString(0), before != kind.rawValue, !changeKind {
                throw CommandFailure(
                    .failure, "the product is listed as \(before); give --change-kind if it is \(kind.rawValue). Nothing is changed"
                )
            }
            let rows = try await connection.execute(
                .insertProduct, [.text(bundle), .text(product), .text(kind.rawValue)], namingApp: bundle)
            return try rows[0].bool(0)
        }
        let name = OutputValue.text(product).plainText
        print(isNew ? "product \(name) is added: \(kind.rawValue)" : "product \(name) is \(kind.rawValue)")
    }
}

extension ProductKind: ExpressibleByArgument {}
