// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Gateway
import Postgres
import Schema
import VerificationQueue

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes, lists and revokes the keys by which a shop's servers speak to the gateway.",
        subcommands: [KeysAddCommand.self, KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self]
    )

    /// Writes a new key, which nobody can read again.
    static func show(_ key: GatewayKey, _ expiry: PostgresTimestamp?, _ output: OutputOptions) {
        let note = "Keep it now: the database has its digest only."
        output.show(
            .object([
                .init(name: "key", value: .text(key.text)),
                .init(name: "expires_at", value: expiry.map { .time(RFC3339.text($0)) } ?? .null),
                .init(name: "note", value: .text(note)),
            ]))
    }
}

struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Makes a key, and writes it once.")

    @Argument(help: "The key's name, such as that of the server that gets it. 1 to 100 characters.")
    var name: String

    @Option(help: "What it is for, separated by commas: orders, read, feed, support.", transform: KeyScopes.init(text:))
    var scopes = KeyScopes(names: ["orders", "read"])

    @Option(help: "An app that it is for. May be given again. Default: all apps.")
    var bundle: [String] = []

    @Option(help: "Days until it expires. Default: never.")
    var days: Int?

    @Option(help: "Your name. Default: the user who called sudo, or the system's user.")
    var `operator`: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100).contains(name.count) else { throw ValidationError("A key's name has 1 to 100 characters.") }
        if let days, !(1...3650).contains(days) { throw ValidationError("--days is 1 to 3650.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        let key = GatewayKey()
        let rows = try await assembly.withConnection(writing: true) { connection in
            try await connection.execute(
                SQLFile.insertKey.statement,
                [
                    .bytes(key.hash), .text(key.prefix), .text(name), .textArray(scopes.names.sorted()),
                    bundle.isEmpty ? .typedNull(.textArray) : .textArray(bundle), .text(self.operator ?? assembly.operatorName),
                    .double(days.map { Double($0) * 86_400 }), .bool(false),
                ]
            ).map { try $0.optionalTimestamp(1) }
        }
        guard let expiry = rows.first else {
            throw CommandFailure(.failure, "a valid key has this name: counterfoil keys rotate \(name)")
        }
        KeysCommand.show(key, expiry, output)
    }
}

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the keys that hold.")

    @Flag(help: "List those that expired or were revoked, too.")
    var all = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let rows = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.listKeys.statement, [.bool(all)]).map { OutputValue($0) }
        }
        output.list(rows, nothing: "no key holds")
    }
}

struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Makes another key of a name. The older one holds for a while, so that servers can change."
    )

    @Argument(help: "The key's name.")
    var name: String

    @Option(help: "Hours for which the older key still holds.")
    var hours = 24

    @Option(help: "Days until the new key expires. Default: never.")
    var days: Int?

    @Option(help: "Your name. Default: the user who called sudo, or the system's user.")
    var `operator`: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...8760).contains(hours) else { throw ValidationError("--hours is 0 to 8760.") }
        if let days, !(1...3650).contains(days) { throw ValidationError("--days is 1 to 3650.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        let key = GatewayKey()
        let who = self.operator ?? assembly.operatorName
        let (name, hours, lifetime) = (name, hours, days.map { Double($0) * 86_400 })
        let isMade = try await assembly.withConnection(writing: true) { connection in
            try await connection.withTransaction { connection in
                guard let row = try await connection.execute(SQLFile.readValidKey.statement, [.text(name)]).first else {
                    return false
                }
                let bundles = row.isNull(1) ? PostgresParameter.typedNull(.textArray) : .textArray(try row.textArray(1))
                _ = try await connection.execute(
                    SQLFile.insertKey.statement,
                    [
                        .bytes(key.hash), .text(key.prefix), .text(name), .textArray(try row.textArray(0)), bundles, .text(who),
                        .double(lifetime), .bool(true),
                    ])
                _ = try await connection.execute(
                    SQLFile.expireKeys.statement, [.text(name), .text(key.prefix), .double(Double(hours) * 3_600)])
                return true
            }
        }
        guard isMade else { throw CommandFailure(.failure, "no valid key has this name") }
        KeysCommand.show(key, nil, output)
    }
}

struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Ends keys at once; gateways heed it within five seconds.")

    @Argument(help: "A key's name or its first 16 characters.")
    var key: String?

    @Flag(help: "Revoke all keys that were seen in clear on a network.")
    var exposed = false

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (key != nil) != exposed else { throw ValidationError("Give a key, or --exposed.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        let count = try await assembly.withConnection(writing: true) { connection in
            try await connection.execute(SQLFile.revokeKeys.statement, [.text(key), .text(act.who), .text(act.why)]).count
        }
        guard count > 0 || exposed else { throw CommandFailure(.failure, "no such key holds") }
        output.report([("keys_revoked", count)], "keys revoked: \(count)")
    }
}

/// Scopes, separated by commas.
struct KeyScopes: Sendable {
    let names: Set<String>

    init(names: Set<String>) {
        self.names = names
    }

    init(text: String) throws {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ KeyScope(rawValue: $0) != nil }) else {
            throw ValidationError("Scopes are \(KeyScope.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self.names = Set(names)
    }
}
