// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Verification

/// The App Store as the domain sees it: reads proofs, verifies signed transactions here and receipts at Apple.
///
/// Safe to use from many tasks at once. No proof, secret or body is in any error or log entry that comes from it.
package struct AppStoreVerifier: TransactionVerifier {
    /// The apps' shared secrets; told to reload when an operator changed one.
    package let credentials: CredentialStore

    /// Roots trusted beyond Apple's own, which every start and every check of the set-up warn of.
    package var furtherRoots: [Fingerprint] { anchors.furtherFingerprints }

    private let reader: ProofReader
    private let anchors: TrustAnchors
    private let signedTransactions: SignedTransactionVerifier
    private let receipts: VerifyReceiptClient

    /// - Throws: when a setting can't be worked with; the message names it.
    package init(_ configuration: AppStoreConfiguration, logger: Logger) throws(AppStoreConfigurationError) {
        reader = ProofReader(limits: configuration.limits)
        anchors = TrustAnchors(further: configuration.furtherRoots)
        signedTransactions = SignedTransactionVerifier(
            anchors: anchors, chainCacheCapacity: configuration.chainCacheCapacity
        )
        credentials = CredentialStore(
            directory: configuration.credentialsDirectory, fileNames: configuration.sharedSecretFiles
        )
        // Last, and nothing after it throws: its clients must be shut down before they are let go.
        let hosts = try VerifyReceiptHosts(configuration)
        receipts = VerifyReceiptClient(credentials: credentials, hosts: hosts, logger: logger)
    }

    package func readProof(_ text: String) throws(Reason) -> Proof {
        try reader.read(text)
    }

    package func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        switch (proof, endpoint.route, endpoint.environment) {
        case (.signedTransaction(let jws), .local, _):
            return try await verify(jws)
        case (.appReceipt(let base64), .verifyReceipt, let environment?),
            (.transactionReceipt(let base64), .verifyReceipt, let environment?):
            return try await receipts.verify(
                proof, base64: base64, bundleID: bundleID, in: environment, deadline: deadline
            )
        default:
            throw VerificationFailure(
                .needsAPerson, .unsupportedYet, message: "there is no way yet to verify this kind of proof"
            )
        }
    }

    package func reloadCredentials() {
        credentials.reload()
    }

    /// Closes the connections to Apple. The verifier can't be used afterwards.
    package func shutdown() async throws {
        try await receipts.hosts.shutdown()
    }

    private func verify(_ jws: String) async throws(VerificationFailure) -> Evidence {
        do {
            return .transactions(try await signedTransactions.verify(jws))
        } catch .unknownAnswer {
            throw VerificationFailure(
                .needsAPerson, .unknownAnswer, message: "a genuine signed transaction lacks a fact that each one has"
            )
        } catch {
            return .refused(error)
        }
    }
}
