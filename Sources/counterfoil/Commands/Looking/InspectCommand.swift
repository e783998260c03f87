// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import CommandSupport
import FoundationEssentials
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
            """
    )

    @Argument(help: "The file with the proof; - is standard input.")
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let inspector = try Assembly().makeInspector()
        let inspection = await inspector.inspect(try ProofFile.read(file))
        print(output.json ? inspection.json : inspection.text)
        guard inspection.isVerified else {
            throw CommandFailure(.failure, "the proof is not verified: \(inspection.explanation)")
        }
    }
}

extension ProofInspection {
    /// An object with a list of purchases; what isn't known is null.
    fileprivate var json: String {
        let list = OutputValue.Field(name: "transactions", value: .array(purchases.map { .object($0.fields) }))
        return OutputValue.object(fields + [list]).json
    }

    /// A line a field, then a line a purchase.
    fileprivate var text: String {
        let lines = purchases.map { purchase in
            let facts = purchase.fields.dropFirst().filter { $0.value != .null && $0.value != .bool(false) }
            return
                (["transaction", Self.word(purchase.transactionID.rawValue)] + (isVerified ? [] : ["unverified"])
                + facts.map { "\($0.name)=\(Self.word($0.value.plainText))" }).joined(separator: " ")
        }
        let known = fields.filter { $0.value != .null }
        return ([TextTable.details(.object(known))] + lines).joined(separator: "\n")
    }

    /// One word of a line: quoted where a forger put in what would look like further ones.
    private static func word(_ text: String) -> String {
        let printable = OutputValue.text(text).plainText
        guard printable.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return printable }
        return "\"" + printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private var fields: [OutputValue.Field] {
        let (reason, voucher): (Reason?, Voucher?) =
            switch authenticity {
            case .verified(let voucher): (nil, voucher)
            case .refused(let reason): (reason, nil)
            case .onlyAppleCanTell: (nil, nil)
            }
        return [
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
        case .verified(by: .apple): "signed below one of Apple's roots"
        case .verified(by: .extraRoot): "signed below a root of \(Variable.extraRoots), not below Apple's"
        case .onlyAppleCanTell: "only Apple knows whether it is genuine"
        case .refused(.malformedProof): mistake ?? "it has not the form of any proof"
        case .refused(.proofTooLarge): "it is larger than any proof may be"
        case .refused(.badCertificate): "its certificates are not such as sign for the App Store, or not of that time"
        case .refused(.untrustedRoot): "its certificates end in a root that is not trusted for its app"
        case .refused(.badSignature): "the signature is not over these contents"
        case .refused(.unsupportedEnvironment): "it comes from Xcode, not from the App Store"
        case .refused(.unknownAnswer): "it is genuine, and its " + faults.joined(separator: ", its ")
        case .refused(.unsupportedEncoding): "it is in an encoding that no store has used so far"
        case .refused(let reason): reason.rawValue
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
