// SPDX-License-Identifier: Apache-2.0

package import AppStore
package import FoundationEssentials

/// Gives bytes to a reader and says whether it broke a rule. The fuzzers and the tests of known inputs share it.
///
/// Verifiers are kept from one input to the next, as in a worker, so that what they remember is under attack too.
package struct Examination: Sendable {
    /// How much processor time one reading of a short input may take.
    ///
    /// A genuine proof takes one or two milliseconds. A client can repeat a hostile one as often as it likes, and each
    /// holds up a slot of a worker.
    package static let time: Duration = .milliseconds(100)

    /// A reading that took too long is tried again: whoever shares the core's caches makes it slower.
    private static let tries = 3

    let proofs = ProofReader()
    let anchors: TrustAnchors
    let signedTransactions: SignedTransactionVerifier
    let appReceipts: AppReceiptVerifier
    let inspector: ProofInspector

    /// The moment that proofs without a date are judged at.
    let now: Date

    private let slowness: Int

    /// - Parameters:
    ///   - anchors: the root of the specimens' authority, for ``GenuinePurchase/bundleID``.
    ///   - slowness: how many times slower than in production the code runs, as with sanitizers.
    package init(trusting anchors: TrustAnchors, now: Date = Date(), slowness: Int = 1) {
        self.anchors = anchors
        self.now = now
        self.slowness = slowness
        signedTransactions = SignedTransactionVerifier(anchors: anchors)
        appReceipts = AppReceiptVerifier(anchors: anchors)
        inspector = ProofInspector(anchors: anchors)
    }

    /// The rule that a reader broke; nil when it broke none.
    ///
    /// All of it happens on the calling thread, and is over when this returns.
    package func violation(by reader: UntrustedReader, on bytes: [UInt8]) -> Violation? {
        let allowed = (Self.time + reader.timePerMebibyte * (Double(bytes.count) / 1_048_576)) * slowness
        for reading in readings(by: reader, of: bytes) {
            var quickest = Duration.seconds(3600)
            for _ in 0..<Self.tries where quickest > allowed {
                let start = ThreadTime.now
                if let violation = reading() { return violation }
                quickest = min(quickest, ThreadTime.now - start)
            }
            guard quickest <= allowed else { return .slow(quickest, allowed: allowed) }
        }
        return nil
    }

    private func readings(by reader: UntrustedReader, of bytes: [UInt8]) -> [() -> Violation?] {
        switch reader {
        case .proofReader: proofReadings(of: String(decoding: bytes, as: UTF8.self))
        case .signedTransaction: [{ signedTransactionViolation(String(decoding: bytes, as: UTF8.self)) }]
        case .appReceipt: [{ appReceiptViolation(Data(bytes).base64EncodedString()) }]
        case .appleJSON: jsonReadings(of: bytes)
        }
    }
}
