// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Finds all that an id names.",
        discussion: """
            The id is an order's, a transaction's, an original transaction's, a billing event's (web order line item), an account's, an app \
            account token, a notification's UUID, or a job's. It is the whole id. Of a product or a day, counterfoil orders list shows \
            the orders. The id on Apple's mail to a customer, such as MK2JQ5X4LN, is looked up at Apple: counterfoil orders look-up.
            """
    )

    @Argument(help: "The id.")
    var id: String

    @OptionGroup var output: OutputOptions

    /// The columns that people see first.
    static let first = ["kind", "id", "state", "at", "order_id", "account_id", "product_id"]

    func run() async throws {
        let hits = try await Assembly().withConnection { connection in
            let hits = try await Self.hits(of: id, connection)
            guard hits.isEmpty else { return hits }
            throw try await Self.nothingFound(id, connection)
        }
        output.list(hits, first: Self.first, nothing: "")
    }

    static func hits(of id: String, _ connection: PostgresConnection) async throws -> [OutputValue] {
        try await connection.execute(SQLFile.callFindAnything.statement, [.text(id)]).map { OutputValue($0) }
    }

    /// The failure that says where else to look.
    static func nothingFound(_ id: String, _ connection: PostgresConnection) async throws -> CommandFailure {
        let printed = OutputValue.text(id).plainText
        let apps = try await connection.execute(SQLFile.listApps.statement).map { try $0.string(0) }
        if id.isLikeAppleOrderID {
            let bundle = apps.count == 1 ? apps[0] : "BUNDLE"
            return CommandFailure(
                .failure,
                "nothing has the id \(printed). If it is from Apple's mail, ask Apple: counterfoil orders look-up \(printed) --bundle \(bundle)"
            )
        }
        if (try? PostgresTimestamp(argumentText: id)) != nil {
            return CommandFailure(.failure, "\(printed) is a time; the orders since then: counterfoil orders list --since \(printed)")
        }
        for app in apps {
            guard let row = try await connection.execute(SQLFile.readProduct.statement, [.text(app), .text(id)]).first,
                !row.isNull(0)
            else { continue }
            return CommandFailure(
                .failure, "\(printed) is a product of \(app); its orders: counterfoil orders list --product \(printed) --since DAY")
        }
        return CommandFailure(
            .failure, "nothing has the id \(printed); counterfoil orders list shows orders of a product or a day")
    }
}

extension String {
    /// Apple's order ids on mails to customers: M and capital letters and digits. Source: appstoreserverapi/orderid.
    fileprivate var isLikeAppleOrderID: Bool {
        (6...20).contains(count) && hasPrefix("M") && allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
    }
}
