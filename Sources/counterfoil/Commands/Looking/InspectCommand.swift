// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Verification

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows the purchases of a proof, and whether it is genuine.",
        discussion: """
            The command reads a signed transaction or a receipt, and verifies it against Apple's roots and those of \
            \(Variable.extraRoots). It needs no database and does not ask Apple. For each purchase it prints a line that begins \
            with the word transaction. A bare transaction id can't be verified in this way: only Apple knows whether it is genuine.

            The command ends with status 0 only when the proof is verified. An order may still be refused, and a refund after \
            the proof was made does not show.

            With --lines each line of the input is a proof, and each line of the output is its verdict: a JSON object on one line, \
            in the order of the input, also for empty lines and for lines that are no text. Its fields:

            line            the number of the line, from 1
            proof           signed_transaction, app_receipt, transaction_id; null for no proof
            verdict         verified; odd and not_a_purchase, which are genuine and show no purchase that counts; refused; \
            unknown, where only Apple can tell
            reason          why it isn't verified, by the queue's word; else null
            vouched_by      apple or further_root for what is genuine; else null
            repairs         the list of repairs that it needed
            faults          what is odd about it: a list
            bundle_id, environment, signed_at, unreadable, transactions
                            what a genuine proof says, as with --json; else null

            Nothing of a proof that isn't genuine is printed, and no proof is. A line that is too long is refused and passed over; \
            the memory that the command takes does not depend on the number of lines. It ends with status 0 once all lines are \
            answered, whatever the verdicts are.
            """
    )

    @Argument(help: "The file with the proof; - is standard input.")
    var file: String

    @Flag(help: "Read a proof from each line, and write a verdict as JSON on a line.")
    var lines = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if lines && output.json { throw ValidationError("--lines writes JSON already: leave --json out") }
    }

    func run() async throws {
        let inspector = try Assembly().makeInspector()
        if lines { return try await inspectLines(by: inspector) }
        let inspection = await inspector.inspect(try ProofFile.read(file))
        print(output.json ? inspection.json : inspection.text)
        guard inspection.isVerified else {
            let isGenuine = inspection.voucher != nil
            throw CommandFailure(.failure, (isGenuine ? "" : "the proof is not verified: ") + inspection.explanation)
        }
    }

    /// One proof at a time: what a line needs is let go before the next one is read.
    private func inspectLines(by inspector: ProofInspector) async throws {
        let lines = try ProofLines(file)
        var number = 0
        while let line = try lines.next() {
            number += 1
            let inspection: ProofInspection
            switch line {
            case .text(let text): inspection = await inspector.inspect(text)
            case .notText: inspection = .refused(.malformedProof)
            case .tooLarge: inspection = .refused(.proofTooLarge)
            }
            print(inspection.verdict(ofLine: number))
            // Whoever writes a line may wait for its verdict.
            fflush(nil)
        }
    }
}

extension ProofInspection {
    /// An object with a list of purchases; what isn't known is null.
    fileprivate var json: String {
        let list = OutputValue.Field(name: "transactions", value: .array(purchases.map { .object($0.fields) }))
        return OutputValue.object(fields + [list]).json
    }

    /// A verdict of ``InspectCommand/lines``.
    fileprivate func verdict(ofLine number: Int) -> String {
        let isGenuine = voucher != nil
        let shown: [String: OutputValue] = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        func fact(_ name: String) -> OutputValue.Field { .init(name: name, value: isGenuine ? shown[name] ?? .null : .null) }
        func list(_ words: [String]) -> OutputValue { .array(words.map(OutputValue.text)) }
        return OutputValue.object([
            .init(name: "line", value: .integer(Int64(number))),
            .init(name: "proof", value: .init(kind?.rawValue)),
            .init(name: "verdict", value: .text(verdict)),
            .init(name: "reason", value: .init(reason?.rawValue)),
            .init(name: "vouched_by", value: .init(voucher?.rawValue)),
            .init(name: "repairs", value: list(repairs.map(\.rawValue))),
            .init(name: "faults", value: list(faults)),
            fact("bundle_id"), fact("environment"), fact("signed_at"), fact("unreadable"),
            .init(name: "transactions", value: isGenuine ? .array(purchases.map { .object($0.fields) }) : .null),
        ]).json
    }

    private var verdict: String {
        switch authenticity {
        case .verified: "verified"
        case .odd: "odd"
        case .notAPurchase: "not_a_purchase"
        case .refused: "refused"
        case .onlyAppleCanTell: "unknown"
        }
    }

    /// A line a field, then a line a purchase. What is genuine and no purchase begins with that.
    fileprivate var text: String {
        let lines = purchases.map { purchase in
            let facts = purchase.fields.dropFirst().filter { $0.value != .null && $0.value != .bool(false) }
            return
                (["transaction", Self.word(purchase.transactionID.rawValue)] + (isVerified ? [] : ["unverified"])
                + facts.map { "\($0.name)=\(Self.word($0.value.plainText))" }).joined(separator: " ")
        }
        let known = fields.filter { $0.value != .null }
        let first = if case .notAPurchase = authenticity { [explanation] } else { [String]() }
        return (first + [TextTable.details(.object(known))] + lines).joined(separator: "\n")
    }

    /// One word of a line: quoted where a forger put in what would look like further ones.
    private static func word(_ text: String) -> String {
        let printable = OutputValue.text(text).plainText
        guard printable.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return printable }
        return "\"" + printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private var fields: [OutputValue.Field] {
        [
            .init(name: "proof", value: .init(kind?.rawValue)),
            .init(name: "verified", value: .bool(isVerified)),
            .init(name: "vouched_by", value: .init(voucher?.rawValue)),
            .init(name: "reason", value: .init(reason?.rawValue)),
            .init(name: "explanation", value: .text(explanation)),
            .init(name: "repaired", value: repairs.isEmpty ? .null : .text(repairs.map(\.rawValue).joined(separator: ", "))),
            .init(name: "bundle_id", value: .init(bundleID)),
            .init(name: "environment", value: .init(environment)),
            .init(name: "signed_at", value: .init(signedDate)),
            .init(name: "unreadable", value: skipped == 0 ? .null : .integer(Int64(skipped))),
        ]
    }

    /// The authenticity in words.
    fileprivate var explanation: String {
        switch authenticity {
        case .verified(let voucher): Self.signed(by: voucher)
        case .odd(let voucher): Self.signed(by: voucher) + ", and its " + faults.joined(separator: ", its ")
        case .notAPurchase(let voucher): Self.signed(by: voucher) + ", not a purchase" + (mistake.map { ": " + $0 } ?? "")
        case .onlyAppleCanTell: "only Apple knows whether it is genuine"
        case .refused(.malformedProof): mistake ?? "it has not the form of any proof"
        case .refused(.proofTooLarge): "it is larger than any proof may be"
        case .refused(.badCertificate): "its certificates are not such as sign for the App Store, or not of that time"
        case .refused(.untrustedRoot): "its certificates end in a root that is not trusted for its app"
        case .refused(.badSignature): "the signature is not over these contents"
        case .refused(.unsupportedEnvironment): "it comes from Xcode, not from the App Store"
        case .refused(.unsupportedEncoding): "it is in an encoding that no store has used so far"
        case .refused(let reason): reason.rawValue
        }
    }

    private static func signed(by voucher: Voucher) -> String {
        switch voucher {
        case .apple: "signed by Apple"
        case .extraRoot: "signed below a root of \(Variable.extraRoots), not below Apple's"
        }
    }
}

extension ProofInspection.Purchase {
    fileprivate var fields: [OutputValue.Field] {
        [
            .init(name: "transaction_id", value: .text(transactionID.rawValue)),
            .init(name: "original_transaction_id", value: .init(originalTransactionID?.rawValue)),
            .init(name: "product_id", value: .init(productID?.rawValue)),
            .init(name: "quantity", value: quantity.map { .integer(Int64($0)) } ?? .null),
            .init(name: "purchased_at", value: .init(purchaseDate)),
            .init(name: "expires_at", value: .init(expiresDate)),
            .init(name: "revoked_at", value: .init(revocationDate)),
            .init(name: "web_order_line_item_id", value: .init(webOrderLineItemID)),
            .init(name: "app_account_token", value: .init(appAccountToken?.uuidString.lowercased())),
            .init(name: "family_shared", value: .bool(isFamilyShared)),
        ]
    }
}

extension OutputValue {
    fileprivate init(_ text: String?) {
        self = text.map(OutputValue.text) ?? .null
    }

    fileprivate init(_ date: Date?) {
        self = date.map { .time($0.formatted(.iso8601)) } ?? .null
    }
}
