// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct AccountsMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Makes all that an account has another's: one person had two accounts.",
        discussion: """
            The other account has its orders, payments and subscriptions from then on, and those to come. The old account takes no new \
            orders; polls that still name it are answered for thirty days. Nothing is granted, and nothing that was granted changes. \
            The feed tells both accounts (account_moved).

            A move can't be taken back: look first. With --dry-run --save FILE the command writes down the account's orders; \
            --only FILE later refuses unless these are still all. The command is safe to repeat.
            """
    )

    @Argument(help: "The shop's id of the account that is given up.")
    var from: String

    @Argument(help: "The shop's id of the account that takes over.")
    var to: String

    @Flag(help: "Show what both accounts have, and change nothing.")
    var dryRun = false

    @Option(help: "With --dry-run: write the ids of the account's orders into this new file.")
    var save: String?

    @Option(help: "Move only if the account's orders are those of this file, as --save wrote it.")
    var only: String?

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard save == nil || dryRun else { throw ValidationError("--save goes with --dry-run.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        guard !dryRun else { return try await preview(assembly) }
        let act = try manual.act(assembly)
        let orders = try only.map { try SetFile.read($0, of: "orders") { $0.hasPrefix("\"") ? String($0) : nil } }
        let moved = try await assembly.write(
            .callMoveAccount,
            [
                .text(from), .text(to), .text(act.who), .text(act.why),
                orders.map { .textArray($0) } ?? .typedNull(.textArray),
            ],
            orSay: "nothing was moved")
        if output.json { return output.show(moved) }
        let names = "account \(OutputValue.text(from).plainText)"
        let now = moved["account_now"].plainText
        print(
            moved["is_new"] == .bool(true)
                ? "\(names) is moved: all that it had is \(now)'s" : "\(names) was moved to \(now) before: nothing changed")
    }

    private func preview(_ assembly: Assembly) async throws {
        let found = try await assembly.withConnection { connection in
            var accounts: [OutputValue] = []
            for account in [from, to] {
                let rows = try await connection.execute(SQLFile.callPreviewOfAccount.statement, [.text(account)])
                accounts += rows.map { OutputValue.object([.init(name: "account_id", value: .text(account))]).joined(OutputValue($0)) }
            }
            return (accounts, save == nil ? [] : try await AccountOrders.lines(of: from, connection))
        }
        output.list(found.0, nothing: "")
        if let save {
            try SetFile.write(found.1, to: save, narrowing: "transfer orders, or move without --only")
            StandardErrorText.write("The ids of \(found.1.count) orders are in \(save): --only \(save) moves none but these.")
        }
    }
}

/// The orders of an account, for a set that somebody looks at.
enum AccountOrders {
    private static let page: Int32 = 10_000

    /// Their ids as JSON has them. One more than a set may have where there are more.
    static func lines(of account: String, _ connection: PostgresConnection) async throws -> [String] {
        var lines: [String] = []
        var last: Int64 = 0
        while lines.count <= SetFile.most {
            let rows = try await connection.execute(
                SQLFile.callOrdersOfAccount.statement, [.text(account), .int4(page), .int8(last)])
            for row in rows { lines.append(try row.string(0)) }
            guard rows.count == Int(page), let end = rows.last else { break }
            last = try end.int64(1)
        }
        return lines
    }
}

extension OutputValue {
    /// The fields of both.
    fileprivate func joined(_ other: OutputValue) -> OutputValue {
        guard case .object(let fields) = self, case .object(let others) = other else { return self }
        return .object(fields + others)
    }
}
