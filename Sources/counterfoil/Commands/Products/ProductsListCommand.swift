// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct ProductsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the products of an app, or of all apps, with their kinds."
    )

    @Argument(help: "The app's bundle id. Default: all apps.")
    var bundle: String?

    @Option(help: "Only products after this one.")
    var after: String?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard after == nil || bundle != nil else { throw ValidationError("--after needs the app.") }
    }

    func run() async throws {
        let products = try await Assembly().withConnection { connection in
            try await connection.execute(
                SQLFile.listProducts.statement, [.text(bundle), .text(after), .int4(limit.rowsToRead)]
            ).map { OutputValue($0) }
        }
        let next = bundle == nil ? nil : (option: "--after", field: "product_id")
        output.list(limit.cut(products, next: next), nothing: "no products: counterfoil products add")
    }
}
