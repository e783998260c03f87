// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Shows, opens and closes gates.",
        discussion: "Each lane has a gate: an app's calls to one of Apple's services. Jobs behind a closed gate wait.",
        subcommands: [GatesListCommand.self, GatesOpenCommand.self, GatesCloseCommand.self],
        defaultSubcommand: GatesListCommand.self
    )
}

struct GatesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists gates, closed ones first, with who closed them and why."
    )

    @Flag(help: "Only closed gates.")
    var closed = false

    @Option(help: "Only gates of this app.")
    var bundle: String?

    @OptionGroup var output: OutputOptions

    /// Columns for workers.
    private static let digests: Set<String> = ["found_credential_digest", "unfound_credential_digest"]

    func run() async throws {
        let gates = try await Assembly().withConnection { connection in
            try await GateLookup.rows(connection).map { OutputValue($0).dropping(Self.digests) }.filter { gate in
                (!closed || gate["state"] == .text("closed")) && (bundle == nil || gate["bundle_id"].plainText == bundle)
            }
        }
        // Counts of nothing are no news for people.
        let shown = output.json ? gates : gates.map(\.withoutZeros)
        output.list(
            shown, first: ["lane", "bundle_id", "route", "environment", "state", "closed_by", "why"],
            nothing: closed ? "no gate is closed" : bundle == nil ? "no gates: add an app" : "no gates of this app: counterfoil apps list")
    }
}

extension OutputValue {
    fileprivate var withoutZeros: OutputValue {
        guard case .object(let fields) = self else { return self }
        return .object(fields.map { .init(name: $0.name, value: $0.value == .integer(0) ? .null : $0.value) })
    }
}

/// The check that a gate exists.
enum GateLookup {
    /// - Throws: ``CommandFailure`` when there is no gate of this lane.
    static func require(_ lane: Int32, _ connection: PostgresConnection) async throws {
        for row in try await rows(connection) where try row.int32(0) == lane {
            return
        }
        throw CommandFailure(.failure, "there is no gate \(lane)")
    }

    static func rows(_ connection: PostgresConnection) async throws -> PostgresResult {
        try await connection.execute(SQLFile.listGates.statement, [.double(KeyStanding.secondsBetweenAnswers)])
    }
}
