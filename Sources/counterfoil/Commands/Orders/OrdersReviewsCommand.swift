// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct OrdersReviewsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reviews",
        abstract: "Shows why orders are in review: by reason, product, app and its version, the latest first.",
        discussion: """
            Rising means: of the last hour five orders or more, and more than of an average hour of the day before. Counts are of the \
            3000 orders that went to review last. The version is that of the app that made the receipt; other proofs name none. \
            counterfoil orders list --state review lists the orders.
            """
    )

    @Option(help: "Only orders of this app, by its bundle id.")
    var bundle: String?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let causes = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.callReviewCauses.statement, [.text(bundle)]).map { OutputValue($0) }
        }
        if causes.first?["is_cut"] == .bool(true) {
            StandardErrorText.write("More than 3000 orders are in review: these are the latest.")
        }
        output.list(limit.cut(causes.map { $0.dropping(["is_cut"]) }), nothing: "no orders in review")
    }
}
