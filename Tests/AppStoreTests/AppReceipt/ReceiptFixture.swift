// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// A simulated signer of receipts, and verifiers that trust its root for one app.
struct ReceiptFixture: Sendable {
    static let bundleID = SigningFixture.bundleID

    /// A whole second, as receipts write it.
    static let date = SigningFixture.purchaseDate

    static let year: TimeInterval = 365 * 86_400

    /// One for all tests: RSA keys take their time.
    private static let shared = Result { try SimulatedCertificateAuthority() }

    let authority: SimulatedCertificateAuthority

    init() throws {
        authority = try Self.shared.get()
    }

    func anchors(for bundleIDs: Set<BundleID> = [bundleID]) throws -> TrustAnchors {
        TrustAnchors(further: [try ExtraRoot(certificate: authority.rootCertificateDER, bundleIDs: bundleIDs)])
    }

    func verifier(
        limits: AppReceiptLimits = AppReceiptLimits(), for bundleIDs: Set<BundleID> = [bundleID]
    ) throws -> AppReceiptVerifier {
        AppReceiptVerifier(anchors: try anchors(for: bundleIDs), limits: limits)
    }

    static func receipt(
        of count: Int = 1, in environment: SimulatedEnvironment = .production,
        _ change: (inout SimulatedReceipt) -> Void = { _ in }
    ) -> SimulatedReceipt {
        let transactions = (0..<count).map { number in
            SimulatedTransaction(
                productId: "com.example.app.coins", bundleId: bundleID.rawValue,
                type: number.isMultiple(of: 3) ? .autoRenewable : .consumable, environment: environment,
                quantity: 1 + number % 10, purchaseDate: date.addingTimeInterval(Double(-number) * 3600))
        }
        var receipt = SimulatedReceipt(
            bundleId: bundleID.rawValue, environment: environment, transactions: transactions, creationDate: date)
        change(&receipt)
        return receipt
    }

    /// A receipt of these attributes, signed honestly.
    func signed(_ attributes: [[UInt8]]) throws -> String {
        Data(try authority.signReceipt(content: ReceiptBytes.set(attributes))).base64EncodedString()
    }

    /// What a receipt claims of itself.
    static func facts(of base64: String) throws -> ReceiptFacts {
        let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard)
        return try #require(SignedReceipt(bytes ?? [], limits: AppReceiptLimits()).facts)
    }

    /// The transactions of a receipt, or the reason against it.
    static func verdict(of verifier: AppReceiptVerifier, on base64: String) async -> Result<[Transaction], Reason> {
        do {
            return .success(try await verifier.verify(base64).all)
        } catch {
            return .failure(error)
        }
    }
}
