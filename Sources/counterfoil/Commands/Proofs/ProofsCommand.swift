// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Glibc
import Postgres
import Schema
import VerificationQueue

struct ProofsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proofs",
        abstract: "Gets a proof out of the database, which is recorded.",
        subcommands: [ProofsGetCommand.self]
    )
}

struct ProofsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Writes the proof of a job into a file.",
        discussion: """
            The proof is as the client sent it. Whoever has it may show it for another order, so keep it to yourself and remove it. The \
            order's story keeps who took it, and why. counterfoil orders show names the jobs of an order, counterfoil inspect judges the \
            file.
            """
    )

    @Argument(help: "The job's id; the job may be over.")
    var job: Int64

    @Option(help: "The file, which must not exist. Only you may read it.")
    var output: String

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        // Before anybody is told that the proof was taken.
        let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.failure, "\(output) can't be made: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        do {
            let order = try await assembly.withConnection(writing: true) { connection in
                let rows = try await connection.execute(
                    SQLFile.callTakeProof.statement, [.int8(job), .text(act.who), .text(act.why)])
                guard let row = rows.first else {
                    throw CommandFailure(.failure, "no proof of job \(job) is kept; counterfoil orders show names an order's jobs")
                }
                guard Self.write(try row.string(1), to: descriptor) else {
                    throw CommandFailure(.outputLost, "the proof could not be written")
                }
                return try row.string(0)
            }
            print("the proof of order \(OutputValue.text(order).plainText) is in \(output)")
        } catch {
            unlink(output)
            throw error
        }
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { platformWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// The system's `write`, whose name the method above hides.
private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
