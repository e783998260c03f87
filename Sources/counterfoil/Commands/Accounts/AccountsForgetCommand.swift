// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct AccountsForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Erases an account, with those that were moved to it: a random name stands in its place.",
        discussion: """
            The payments and what was granted stay in the ledger, so that nothing can be granted again. Tokens, kept proofs and what \
            Apple signed of its payments leave. Open orders are cancelled. Order ids are the shop's, and stay: --dry-run lists those \
            that hold the account's name. Jobs of its orders must be over first. The feed tells account_forgotten, once.

            It can't be taken back. The page about accounts says when the last copy is gone: backups, and partitions of the feed.
            """
    )

    @Argument(help: "The shop's id of the account.")
    var account: String

    @Flag(help: "Show what the account has, and which order ids hold its name; change nothing.")
    var dryRun = false

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        guard !dryRun else {
            let found = try await assembly.withConnection { connection in
                let account = try await connection.execute(SQLFile.callPreviewOfAccount.statement, [.text(account)])
                let named = try await connection.execute(
                    SQLFile.listOrdersThatName.statement, [.text(self.account), .int4(limit.rowsToRead)])
                return (account.first.map { OutputValue($0) } ?? .null, named.map { OutputValue($0) })
            }
            return output.show(found.0, with: ["orders_whose_ids_stay": limit.cut(found.1)])
        }
        let act = try manual.act(assembly)
        let done = try await assembly.write(
            .callForgetAccount, [.text(account), .text(act.who), .text(act.why)], orSay: "nothing was forgotten")
        if output.json { return output.show(done) }
        print(
            """
            the account is forgotten: \(done["pseudonym"].plainText) stands in its place, in \(done["orders"].plainText) orders and \
            \(done["payments"].plainText) payments; \(done["proofs"].plainText) proofs are gone, \
            \(done["cancelled"].plainText) open orders cancelled
            """)
    }
}
