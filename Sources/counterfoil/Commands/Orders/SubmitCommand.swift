// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import FoundationEssentials
import Postgres
import Schema
import Verification
import VerificationQueue

struct SubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Adds an order and its proof, and prints the order's status.",
        discussion: """
            The proof is a signed transaction, a receipt in base64, or a transaction id. The command reads it from a file or \
            from standard input, never from the command line, where others could see it. The command is safe to repeat: it \
            makes an order once, and it does not add a proof that is pending already.

            With --wait it asks for the status until there is something to do for the client. If there is nothing by then, the \
            exit status is \(ExitStatus.temporaryFailure.rawValue).
            """
    )

    @Option(help: "The shop's id of the order.")
    var order: String

    @Option(help: "The app's bundle id.")
    var bundle: String

    @Option(help: "The id of the ordered product.")
    var product: String

    @Option(help: "The shop's id of the account.")
    var account: String

    @Option(help: "The ordered quantity, 1 to 10.")
    var quantity: Int32 = 1

    @Option(help: "The app account token that the purchase must have, a UUID.", transform: UUID.init(argumentText:))
    var token: UUID?

    @Option(
        help: ArgumentHelp("How long to wait for the end of the verification, up to 10min, such as 10s.", valueName: "duration"),
        transform: Duration.init(argumentText:))
    var wait = Duration.zero

    @Flag(help: "Accept a purchase that is older than the order, because a customer restores it.")
    var recovery = false

    @Option(help: "The file with the proof; - is standard input.")
    var proof = "-"

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        let proof = try ProofFile.read(proof)
        let (status, warning) = try await assembly.withConnection(writing: true) { connection in
            var status = try await connection.execute(
                .callSubmit,
                [
                    .text(order), .text(bundle), .text(product), .text(account), .text(proof), .int4(quantity),
                    .uuid(token), .bool(recovery),
                ], namingApp: bundle
            ).first.map { OutputValue($0) }
            let end = ContinuousClock.now + wait
            while status?.isWaiting == true, ContinuousClock.now < end {
                try await Task.sleep(for: Self.pollInterval)
                status = try await connection.execute(SQLFile.readOrderStatus.statement, [.text(order)]).first.map {
                    OutputValue($0)
                }
            }
            return (status, try await warnOfUnlistedProduct(connection))
        }
        guard let status else {
            throw CommandFailure(.failure, "the order has no status")
        }
        output.show(status)
        if let warning { StandardErrorText.write(warning) }
        if wait > .zero, status.isWaiting {
            throw CommandFailure(.temporaryFailure, "the proof is not verified yet")
        }
    }

    /// Of an app that lists products, another one is likely mistyped. Apple names the kind of most, so that it may be right. A role
    /// that may not read the list isn't warned.
    private func warnOfUnlistedProduct(_ connection: PostgresConnection) async throws -> String? {
        guard
            let row = try? await connection.execute(SQLFile.readProduct.statement, [.text(bundle), .text(product)]).first,
            try row.optionalString(0) == nil, try row.bool(1),
            let products = try? await connection.execute(SQLFile.listProducts.statement, [.text(bundle), .text(nil), .int4(1000)])
        else { return nil }
        let nearest = NearestName.find(to: product, among: try products.map { try $0.string(1) })
        return "The app lists no product \(OutputValue.text(product).plainText)"
            + (nearest.map { "; did you mean \(OutputValue.text($0).plainText)?" } ?? ".") + " counterfoil products add lists it."
    }

    /// The time between two looks at the order. 100 ms.
    private static let pollInterval = Duration.milliseconds(100)
}

extension OutputValue {
    /// Whether it is the status of an order whose client waits.
    fileprivate var isWaiting: Bool {
        guard case .object(let fields) = self else { return false }
        return fields.first { $0.name == "client_action" }?.value == .text(ClientAction.wait.rawValue)
    }
}

extension Duration {
    /// - Throws: for anything but a duration of up to ten minutes.
    fileprivate init(argumentText text: String) throws {
        guard let duration = DurationText.parse(text), duration <= .seconds(600) else {
            throw ValidationError("The time must be a duration of up to 10min, such as 10s.")
        }
        self = duration
    }
}

extension UUID {
    /// - Throws: for anything but a UUID.
    init(argumentText text: String) throws {
        guard let uuid = UUID(uuidString: text) else {
            throw ValidationError("The token must be a UUID.")
        }
        self = uuid
    }
}
