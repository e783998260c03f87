// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct AppReceiptVerifierTests {
    let fixture: ReceiptFixture

    init() throws {
        fixture = try ReceiptFixture()
    }

    @Test(arguments: SimulatedEnvironment.allCases)
    func genuineReceiptIsReadWhole(environment: SimulatedEnvironment) async throws {
        let date = ReceiptFixture.date
        let subscription = SimulatedTransaction(
            productId: "com.example.app.gold", bundleId: ReceiptFixture.bundleID.rawValue, type: .autoRenewable,
            environment: environment, quantity: 3, purchaseDate: date
        )
        var receipt = ReceiptFixture.receipt(of: 0, in: environment)
        receipt.transactions = [subscription]
        receipt.transactions[0].originalTransactionId = "420000000000001"
        receipt.transactions[0].originalPurchaseDate = date.addingTimeInterval(-86_400)
        receipt.transactions[0].webOrderLineItemId = "480000000000002"
        receipt.transactions[0].expiresDate = date.addingTimeInterval(86_400)
        receipt.transactions[0].revocationDate = date.addingTimeInterval(60)

        let found = try await fixture.verifier().verify(receipt.signed(by: fixture.authority))

        let expected = Transaction(
            bundleID: ReceiptFixture.bundleID, environment: environment == .sandbox ? .sandbox : .production,
            id: TransactionID(rawValue: subscription.transactionId),
            originalID: TransactionID(rawValue: "420000000000001"), webOrderLineItemID: "480000000000002",
            productID: ProductID(rawValue: "com.example.app.gold"), productKind: .autoRenewable, quantity: 3, purchaseDate: date,
            expiresDate: date.addingTimeInterval(86_400), endAsOf: date,
            revocation: .whole(date.addingTimeInterval(60), by: .receipt, asOf: date),
            originalPurchaseDate: date.addingTimeInterval(-86_400)
        )
        #expect(found.all == [expected])
        #expect(found.mayBeIncomplete)
        #expect(found.bundleID == ReceiptFixture.bundleID)
        #expect(found.appVersion?.rawValue == receipt.applicationVersion)
    }

    /// It is for people, and decides nothing.
    @Test(arguments: ["", "\u{1B}[31m", String(repeating: "1", count: 51)])
    func aVersionThatIsNoVersionIsNone(version: String) async throws {
        let receipt = ReceiptFixture.receipt { $0.applicationVersion = version }

        let found = try await fixture.verifier().verify(receipt.signed(by: fixture.authority))

        #expect(found.all.count == 1)
        #expect(found.appVersion == nil)
    }

    @Test(arguments: [
        ("Production", AppStoreEnvironment.production), ("ProductionVPP", .production),
        ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox),
    ])
    func receiptTypeDecidesTheEnvironment(type: String, environment: AppStoreEnvironment) async throws {
        let receipt = ReceiptFixture.receipt { $0.receiptType = type }

        let signed = try receipt.signed(by: fixture.authority)
        let facts = try ReceiptFixture.facts(of: signed)
        let found = try await fixture.verifier().verify(signed)

        #expect(ProofOrigin(receiptType: facts.receiptType) == .store(environment))
        #expect(facts.creationDate.value?.date == ReceiptFixture.date)
        #expect(found.all.map(\.environment) == [environment])
        #expect(found.bundleID == ReceiptFixture.bundleID)
    }

    @Test(arguments: [
        ("Xcode", Reason.unsupportedEnvironment), ("", .unknownAnswer), ("Sandbox", .unknownAnswer), ("LocalTesting", .unknownAnswer),
        ("production", .unknownAnswer), ("Production ", .unknownAnswer), ("ProductionFuture", .unknownAnswer),
    ])
    func onlyXcodesTypeIsOfNoStore(type: String, reason: Reason) async throws {
        let receipt = ReceiptFixture.receipt { $0.receiptType = type }

        let verdict = await ReceiptFixture.verdict(
            of: try fixture.verifier(), on: try receipt.signed(by: fixture.authority))

        #expect(verdict == .failure(reason))
    }

    @Test(arguments: ReceiptSignature.allForms)
    func everyGenuineFormOfSignatureVerifies(form: ReceiptSignature) async throws {
        let receipt = ReceiptFixture.receipt()

        let found = try await fixture.verifier().verify(receipt.signed(by: fixture.authority, as: form))

        #expect(found.all.map(\.id.rawValue) == receipt.transactions.map(\.transactionId))
    }

    @Test(arguments: [0, 2, 187, 2000])
    func everyPurchaseIsRead(count: Int) async throws {
        let receipt = ReceiptFixture.receipt(of: count)

        let found = try await fixture.verifier().verify(receipt.signed(by: fixture.authority))

        #expect(found.all.map(\.id.rawValue).sorted() == receipt.transactions.map(\.transactionId).sorted())
        #expect(found.skipped == 0)
    }

    @Test(arguments: ForgedReceiptVariant.forgeries, [ReceiptSignature.Digest.sha256, .sha1])
    func forgedReceiptIsRefusedForItsReason(
        variant: ForgedReceiptVariant, digest: ReceiptSignature.Digest
    ) async throws {
        var signature = ReceiptSignature()
        signature.digest = digest
        let forged = try ReceiptFixture.receipt().signed(by: fixture.authority, as: signature, forged: variant)

        let verdict = await ReceiptFixture.verdict(of: try fixture.verifier(), on: forged)

        #expect(verdict == .failure(try #require(Self.reason(against: variant))))
    }

    @Test(arguments: ForgedReceiptVariant.forgeries)
    func forgedReceiptIsRefusedAlsoWhenItsChainIsRemembered(variant: ForgedReceiptVariant) async throws {
        let verifier = try fixture.verifier()
        _ = try await verifier.verify(ReceiptFixture.receipt().signed(by: fixture.authority))
        let forged = try ReceiptFixture.receipt().signed(by: fixture.authority, forged: variant)

        let verdict = await ReceiptFixture.verdict(of: verifier, on: forged)

        #expect(verdict == .failure(try #require(Self.reason(against: variant))))
    }

    @Test
    func rootThatNobodyNamedIsUntrusted() async throws {
        let receipt = try ReceiptFixture.receipt().signed(by: fixture.authority)

        let verdict = await ReceiptFixture.verdict(of: AppReceiptVerifier(anchors: TrustAnchors()), on: receipt)

        #expect(verdict == .failure(.untrustedRoot))
    }

    @Test
    func furtherRootVouchesForItsOwnAppsOnly() async throws {
        let verifier = try fixture.verifier()
        let own = try ReceiptFixture.receipt(of: 0).signed(by: fixture.authority)
        let foreign = try ReceiptFixture.receipt(of: 0) { $0.bundleId = "com.example.other" }
            .signed(by: fixture.authority)

        let verdicts = [
            await ReceiptFixture.verdict(of: verifier, on: foreign),
            await ReceiptFixture.verdict(of: verifier, on: own),
            // Again, now that the chain is remembered.
            await ReceiptFixture.verdict(of: verifier, on: foreign),
        ]

        #expect(verdicts == [.failure(.untrustedRoot), .success([]), .failure(.untrustedRoot)])
    }

    @Test
    func rememberedChainIsJudgedAtEachCreationDate() async throws {
        let verifier = try fixture.verifier()
        _ = try await verifier.verify(ReceiptFixture.receipt().signed(by: fixture.authority))
        let afterItsEnd = ReceiptFixture.receipt { $0.creationDate += 3 * ReceiptFixture.year }
        let beforeItsBegin = ReceiptFixture.receipt { $0.creationDate -= 3 * ReceiptFixture.year }

        let verdicts = [
            await ReceiptFixture.verdict(of: verifier, on: try afterItsEnd.signed(by: fixture.authority)),
            await ReceiptFixture.verdict(of: verifier, on: try beforeItsBegin.signed(by: fixture.authority)),
        ]

        #expect(verdicts == [.failure(.badCertificate), .failure(.badCertificate)])
    }

    @Test
    func chainThatHasExpiredSinceStillVouchesForWhatItSigned() async throws {
        let old = try SimulatedCertificateAuthority(now: Date().addingTimeInterval(-6 * ReceiptFixture.year))
        let anchors = TrustAnchors(further: [
            try ExtraRoot(certificate: old.rootCertificateDER, bundleIDs: [ReceiptFixture.bundleID])
        ])
        let receipt = ReceiptFixture.receipt { $0.creationDate -= 6 * ReceiptFixture.year }

        let found = try await AppReceiptVerifier(anchors: anchors).verify(receipt.signed(by: old))

        #expect(found.all.map(\.id.rawValue) == receipt.transactions.map(\.transactionId))
    }

    @Test
    func missingCreationDateIsJudgedNow() async throws {
        let receipt = try fixture.signed(ReceiptBytes.app(created: []))
        let verifier = try fixture.verifier()

        _ = try await verifier.verify(receipt)
        let later = await Result {
            try await verifier.verify(receipt, now: Date().addingTimeInterval(4 * ReceiptFixture.year)).all
        }

        #expect(try ReceiptFixture.facts(of: receipt).creationDate.value == nil)
        #expect(throws: Reason.badCertificate) { try later.get() }
    }

    @Test
    func furtherRootVouchesForNoReceiptWithoutAnApp() async throws {
        let receipt = try fixture.signed(ReceiptBytes.app(bundleID: []))

        #expect(await ReceiptFixture.verdict(of: try fixture.verifier(), on: receipt) == .failure(.untrustedRoot))
    }

    @Test
    func chainOfRSAAloneVerifies() async throws {
        let chain = try HandmadeReceiptChain()
        let receipt = try chain.sign(ReceiptBytes.set(ReceiptBytes.app() + [ReceiptBytes.purchase([:])]))

        let verdict = await ReceiptFixture.verdict(of: try chain.verifier(), on: receipt)

        #expect(try verdict.get().map(\.id.rawValue) == ["2000000000000001"])
    }

    @Test
    func verifierThatRemembersNothingGivesTheSameVerdicts() async throws {
        let verifier = AppReceiptVerifier(anchors: try fixture.anchors(), chainCacheCapacity: 0)
        let receipt = try ReceiptFixture.receipt().signed(by: fixture.authority)

        let first = await ReceiptFixture.verdict(of: verifier, on: receipt)
        let second = await ReceiptFixture.verdict(of: verifier, on: receipt)

        #expect(first == second)
        #expect(throws: Never.self) { try first.get() }
    }

    @Test(arguments: ["", "AAAA", "MIIT", "no base64", "ewoJ", "MII"])
    func whatIsNoReceiptIsMalformed(text: String) async throws {
        #expect(await ReceiptFixture.verdict(of: try fixture.verifier(), on: text) == .failure(.malformedProof))
    }

    private static func reason(against variant: ForgedReceiptVariant) -> Reason? {
        switch variant {
        case .replacedRoot, .algorithmECDSA, .algorithmOfOtherDigest, .digestNotListed, .twoSigners, .signerByKeyIdentifier: nil
        case .foreignRoot,
            // A root of the operator's speaks for named apps only.
            .contentNotAttributes:
            .untrustedRoot
        case .wrongLeafOID, .missingLeafOID, .wrongIntermediateOID, .missingIntermediateOID, .selfSigned, .twoCertificates,
            .fourCertificates, .expiredLeaf, .notYetValidLeaf, .expiredIntermediate, .intermediateNotCA, .leafSignedByRoot,
            .signedByIntermediate, .certificatesNotCertificates, .leafKeyOnP256, .signerWithoutCertificate:
            .badCertificate
        case .digestMisnamed, .signaturePSS, .contentReplaced, .signatureByOtherKey, .signatureTruncated,
            .signatureEmpty, .attributesOfOtherContent, .attributesOfOtherType, .attributesNotSigned,
            .attributesSignedAsTagged:
            .badSignature
        case .xcodeType, .xcodeSigned:
            .unsupportedEnvironment
        case .noCertificates, .digestSHA224, .noSigners, .attributesWithoutDigest,
            .attributesWithoutType, .attributesWithTwoDigests,
            .contentAsAttributes, .contentDetached, .contentOfOtherType, .bytesAfterEnd:
            .malformedProof
        }
    }
}

extension ReceiptSignature {
    /// All genuine ways to sign.
    static let allForms: [ReceiptSignature] = Digest.allCases.flatMap { digest in
        (0..<32).map { bits in
            var signature = ReceiptSignature()
            signature.digest = digest
            signature.coversAttributes = bits & 1 != 0
            signature.namesDigest = bits & 2 != 0
            signature.putsRootFirst = bits & 4 != 0
            signature.leavesRootOut = bits & 8 != 0
            signature.addsCertificate = bits & 16 != 0
            return signature
        }
    }
}
