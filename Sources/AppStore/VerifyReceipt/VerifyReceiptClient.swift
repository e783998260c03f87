// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import NIOCore
import Verification

/// Asks Apple's verifyReceipt about app receipts.
///
/// Deprecated by Apple since 2023 and still answering; the only judge of receipts that asks Apple what happened since.
struct VerifyReceiptClient: Sendable {
    let credentials: CredentialStore
    let hosts: AppStoreHosts
    let logger: Logger

    /// The evidence about a receipt, by one call to one host. Asking again is harmless.
    ///
    /// - Parameters:
    ///   - base64: the receipt of `proof`, in the standard alphabet with padding.
    ///   - sendsSecret: whether the app's secret goes with it, if the app has one.
    func verify(
        _ proof: Proof, base64: String, bundleID: BundleID, in environment: AppStoreEnvironment, sendsSecret: Bool = true,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        let secret = sendsSecret ? try credentials.sharedSecret(for: bundleID) : nil
        let started = ContinuousClock.now
        let result = await hosts.receipts[environment].send(
            HTTPRequest(.post, "/verifyReceipt", body: Self.body(base64, secret: secret)), deadline: deadline
        )
        log(result, bundleID: bundleID, environment: environment, started: started)
        let evidence = try VerifyReceiptAnswer(host: environment, proof: proof, bundleID: bundleID)
            .evidence(in: try result.response(of: "verifyReceipt"))
        if case .transactions(let transactions) = evidence, transactions.skipped > 0 {
            logger.debug(
                "entries of a receipt were unreadable",
                metadata: ["app.bundle_id": "\(bundleID.rawValue)", "entries": "\(transactions.skipped)"]
            )
        }
        return evidence
    }

    private func log(
        _ result: HTTPResult, bundleID: BundleID, environment: AppStoreEnvironment, started: ContinuousClock.Instant
    ) {
        logger.debug(
            "asked verifyReceipt",
            metadata: [
                "app.bundle_id": "\(bundleID.rawValue)", "environment": "\(environment.rawValue)",
                "http.result": "\(result.summary)",
                "duration_ms": "\(started.duration(to: .now) / .milliseconds(1))",
            ]
        )
    }

    /// `{"receipt-data":…,"password":…}`. Base64 and a secret's printable characters need no more than two escapes.
    private static func body(_ base64: String, secret: SharedSecret?) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(base64.utf8.count + 512)
        body.writeStaticString(#"{"receipt-data":""#)
        body.writeString(base64)
        if let secret {
            body.writeStaticString(#"","password":""#)
            for byte in secret.text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { body.writeInteger(UInt8(ascii: "\\")) }
                body.writeInteger(byte)
            }
        }
        body.writeStaticString(#""}"#)
        return body
    }
}
