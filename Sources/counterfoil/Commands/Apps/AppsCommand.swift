// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import FoundationEssentials
import Postgres
import Schema
import Verification
import VerificationQueue

struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Lists and adds apps, and sets their policies.",
        subcommands: [AppsListCommand.self, AppsAddCommand.self, AppsAddSandboxAccountCommand.self]
    )
}

struct AppsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds an app or changes its policies. A policy that is not named keeps its value."
    )

    /// Whose purchases in Apple's sandbox count.
    enum SandboxPolicy: String, ExpressibleByArgument, CaseIterable {
        case deny, listed, allow
    }

    /// The result of a purchase without the token that its order has.
    enum AbsentTokenPolicy: String, ExpressibleByArgument, CaseIterable {
        case accept, review
    }

    @Argument(help: "The app's bundle id.")
    var bundle: String

    @Option(help: "Whose sandbox purchases count: deny, listed (accounts that you added) or allow. Default of a new app: listed.")
    var sandbox: SandboxPolicy?

    @Option(
        help: "The time until which all sandbox purchases count, for Apple's review. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var sandboxOpenUntil: PostgresTimestamp?

    @Option(help: "A purchase that lacks its order's app account token: accept or review. Default of a new app: accept.")
    var absentToken: AbsentTokenPolicy?

    @Option(
        help: "The ledger's beginning, in ISO 8601. Older purchases count as granted elsewhere, unless you import them.",
        transform: PostgresTimestamp.init(argumentText:))
    var ledgerStartsAt: PostgresTimestamp?

    @Option(
        help: """
            The way to verify receipts: local_then_api (by their signature, then by the App Store Server API, which needs a key), \
            verify_receipt (by Apple's deprecated endpoint) or local_only. Default of a new app: local_then_api.
            """)
    var receiptRoute: ReceiptRoute?

    @Option(
        help: """
            When Apple must confirm a signed transaction before it is granted: always, never, or if it was signed longer ago \
            than a duration such as 10min. Default of a new app: never.
            """)
    var confirm: ConfirmationArgument?

    @Option(help: "Whether workers report granted transactions to Apple as finished: true or false. Default of a new app: false.")
    var finish: Bool?

    @Option(
        help: """
            Whether your customers consented to what you tell Apple about refunds: true or false. Without it, each answer to Apple's \
            questions must say so. Default of a new app: false.
            """)
    var consumptionConsent: Bool?

    @Option(help: "Whether customers can try what you sell before they buy it, for answers about refunds. Default of a new app: false.")
    var sampleContent: Bool?

    /// The refund that answers to Apple's questions prefer.
    enum RefundPreference: String, ExpressibleByArgument, CaseIterable {
        case decline
        case grantFull = "grant_full"
        case grantProrated = "grant_prorated"
        case unsaid = "none"
    }

    @Option(
        help: """
            The refund that answers about refunds prefer: decline, grant_full, grant_prorated or none (no word of it). Default of \
            a new app: none.
            """)
    var refundPreference: RefundPreference?

    func validate() throws {
        // Source: bundleresources/information-property-list/cfbundleidentifier.
        guard (1...155).contains(bundle.count), bundle.contains("."),
            bundle.utf8.allSatisfy({ byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [0x2D, 0x2E].contains(byte)
            })
        else {
            throw ValidationError(
                "A bundle id has letters, digits, hyphens and dots, at least one dot, and at most 155 characters, such as com.example.game."
            )
        }
    }

    func run() async throws {
        let (isNew, route, policies) = try await Assembly().withConnection(writing: true) { connection in
            let rows = try await connection.execute(
                SQLFile.insertApp.statement,
                [
                    .text(bundle), .text(sandbox?.rawValue), .timestamp(sandboxOpenUntil),
                    .text(absentToken?.rawValue), .timestamp(ledgerStartsAt), .text(receiptRoute?.rawValue),
                    .double(confirm?.seconds), .bool(finish), .bool(consumptionConsent), .bool(sampleContent),
                    .text(refundPreference?.rawValue),
                ])
            let apps = try await connection.execute(SQLFile.listApps.statement).map { OutputValue($0) }
            return (
                try rows[0].bool(0), ReceiptRoute(rawValue: try rows[0].string(1)), apps.first { $0["bundle_id"] == .text(bundle) }
            )
        }
        print(isNew ? "app \(bundle) is added" : "app \(bundle) is changed")
        if let policies { print(Self.echo(policies)) }
        guard isNew || receiptRoute != nil, let route else { return }
        print(route.need(of: bundle))
    }
}

extension AppsAddCommand {
    /// Every policy of an app, as its options name them: what decides about money is seen when it is set.
    private static func echo(_ app: OutputValue) -> String {
        let open = app["sandbox_open_until"]
        let starts = app["ledger_starts_at"]
        let confirm = app["confirm_after"].plainText
        let screen = Screen()
        return [
            "sandbox \(app["sandbox_policy"].plainText)" + (open == .null ? "" : ", open to all until \(screen.text(open))"),
            "absent-token \(app["absent_token_policy"].plainText)",
            "ledger-starts-at " + (starts == .null ? "never: no purchase is too old" : screen.text(starts)),
            "receipt-route \(app["receipt_route"].plainText)",
            "confirm " + (confirm.isEmpty ? "never" : confirm == "00:00:00" ? "always" : "after \(confirm)"),
            "finish \(app["finish_transactions"] == .bool(true))",
            "consumption-consent \(app["consumption_consented"] == .bool(true))",
            "sample-content \(app["sample_content_provided"] == .bool(true))",
            "refund-preference " + (app["refund_preference"] == .null ? "none" : app["refund_preference"].plainText),
        ].map { "    " + $0 }.joined(separator: "\n")
    }
}

extension ReceiptRoute: ExpressibleByArgument {
    /// The credential that workers need for an app's receipts.
    func need(of bundle: String) -> String {
        switch self {
        case .localThenAPI:
            """
            receipts: by signature, then by the App Store Server API. Workers need its key: the credential \
            \(bundle).server-api-key or default.server-api-key. Without a key, choose --receipt-route verify_receipt, which \
            Apple deprecates.
            """
        case .verifyReceipt:
            """
            receipts: by verifyReceipt, which Apple deprecates. If the app sells subscriptions, workers need its shared secret: \
            the credential \(bundle).shared-secret.
            """
        case .localOnly: "receipts: by signature alone. No credential is needed, and a later refund is not seen."
        }
    }
}

/// `always`, `never`, or the age from which on a signature is confirmed.
struct ConfirmationArgument: ExpressibleByArgument {
    /// Infinite for never.
    let seconds: Double

    init?(argument: String) {
        switch argument {
        case "always": seconds = 0
        case "never": seconds = .infinity
        default:
            guard let age = DurationText.parse(argument) else { return nil }
            seconds = age / .seconds(1)
        }
    }
}

extension PostgresTimestamp {
    /// A date, or a time to the second, in ISO 8601: `2026-03-01`, `2026-03-01T09:30:00Z`.
    ///
    /// - Throws: for anything else.
    init(argumentText text: String) throws {
        let styles = [Date.ISO8601FormatStyle().year().month().day(), Date.ISO8601FormatStyle()]
        // A parser takes the 31st of February for a day of March, and stops reading where it likes.
        let moments = styles.compactMap { style in
            (try? Date(text, strategy: style)).flatMap { $0.formatted(style) == text ? $0 : nil }
        }
        guard let moment = moments.first else {
            throw ValidationError("A time must be one that exists, like 2026-03-01 or 2026-03-01T09:30:00Z.")
        }
        self.init(moment)
    }
}
