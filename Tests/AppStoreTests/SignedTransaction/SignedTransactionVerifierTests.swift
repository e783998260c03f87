// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@Suite
struct SignedTransactionVerifierTests {
    let fixture: SigningFixture

    init() throws {
        fixture = try SigningFixture()
    }

    @Test(arguments: SimulatedEnvironment.allCases)
    func genuineTransactionIsReadWhole(environment: SimulatedEnvironment) async throws {
        let token = UUID()
        let signed = fixture.transaction { transaction in
            transaction.environment = environment
            transaction.type = .autoRenewable
            transaction.originalTransactionId = "420000000000001"
            transaction.originalPurchaseDate = SigningFixture.purchaseDate.addingTimeInterval(-86_400)
            transaction.webOrderLineItemId = "480000000000002"
            transaction.quantity = 3
            transaction.expiresDate = SigningFixture.purchaseDate.addingTimeInterval(86_400)
            transaction.revocationDate = SigningFixture.purchaseDate.addingTimeInterval(60)
            transaction.appAccountToken = token
            transaction.inAppOwnershipType = "FAMILY_SHARED"
        }

        let found = try await fixture.verifier().verify(signed.signedTransaction(by: fixture.authority))

        let expected = Transaction(
            bundleID: SigningFixture.bundleID, environment: environment == .sandbox ? .sandbox : .production,
            id: TransactionID(rawValue: signed.transactionId), originalID: TransactionID(rawValue: "420000000000001"),
            webOrderLineItemID: "480000000000002", productID: ProductID(rawValue: "com.example.app.coins"),
            productKind: .autoRenewable, quantity: 3, purchaseDate: SigningFixture.purchaseDate,
            expiresDate: SigningFixture.purchaseDate.addingTimeInterval(86_400), endAsOf: signed.signedDate,
            revocation: .whole(
                SigningFixture.purchaseDate.addingTimeInterval(60), by: .signedTransaction, asOf: signed.signedDate),
            appAccountToken: token, ownership: .familyShared,
            originalPurchaseDate: SigningFixture.purchaseDate.addingTimeInterval(-86_400),
            purchaseReason: .purchase, price: SignedPrice(milliunits: 1990, currency: "USD"),
            customerID: signed.appTransactionId.flatMap { CustomerID($0) }, terms: SignedTerms(storefront: "USA")
        )
        #expect(found.all == [expected])
        #expect(!found.mayBeIncomplete)
    }

    @Test(arguments: ForgedVariant.forgeries)
    func forgedTransactionIsRefusedForItsReason(variant: ForgedVariant) async throws {
        let forged = try fixture.transaction().signedTransaction(by: fixture.authority, forged: variant)

        let verdict = await SigningFixture.verdict(of: try fixture.verifier(), on: forged)

        #expect(verdict == .failure(try #require(Self.reason(against: variant))))
    }

    @Test(arguments: ForgedVariant.forgeries)
    func forgedTransactionIsRefusedAlsoWhenItsChainIsRemembered(variant: ForgedVariant) async throws {
        let verifier = try fixture.verifier()
        _ = try await verifier.verify(fixture.transaction().signedTransaction(by: fixture.authority))
        let forged = try fixture.transaction().signedTransaction(by: fixture.authority, forged: variant)

        let verdict = await SigningFixture.verdict(of: verifier, on: forged)

        #expect(verdict == .failure(try #require(Self.reason(against: variant))))
    }

    @Test
    func chainOfReceiptsSignsNoTransaction() async throws {
        let x5c = try fixture.authority.receiptChain.map { Data(try $0.derBytes).base64EncodedString() }
        let header = try JSONEncoder().encode(["x5c": x5c]).dropLast() + Data(#","alg":"ES256"}"#.utf8)
        let parts = [header, Data(PayloadText.json().utf8), Data(repeating: 1, count: 64)].map { part in
            part.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }

        let verdict = await SigningFixture.verdict(of: try fixture.verifier(), on: parts.joined(separator: "."))

        #expect(verdict == .failure(.badCertificate))
    }

    @Test
    func rootThatNobodyNamedIsUntrusted() async throws {
        let jws = try fixture.transaction().signedTransaction(by: fixture.authority)

        let verdict = await SigningFixture.verdict(of: SignedTransactionVerifier(anchors: TrustAnchors()), on: jws)

        #expect(verdict == .failure(.untrustedRoot))
    }

    @Test
    func furtherRootVouchesForItsOwnAppsOnly() async throws {
        let verifier = try fixture.verifier()
        let foreign = fixture.transaction { $0.bundleId = "com.example.other" }
        let own = fixture.transaction()

        let verdicts = [
            await SigningFixture.verdict(of: verifier, on: try foreign.signedTransaction(by: fixture.authority)),
            await SigningFixture.verdict(of: verifier, on: try own.signedTransaction(by: fixture.authority)).map { _ in
                Self.placeholder
            },
            // Again, now that the chain is remembered.
            await SigningFixture.verdict(of: verifier, on: try foreign.signedTransaction(by: fixture.authority)),
        ]

        #expect(verdicts == [.failure(.untrustedRoot), .success(Self.placeholder), .failure(.untrustedRoot)])
    }

    @Test
    func rememberedChainIsJudgedAtEachSigningDate() async throws {
        let verifier = try fixture.verifier()
        _ = try await verifier.verify(fixture.transaction().signedTransaction(by: fixture.authority))
        let afterItsEnd = fixture.transaction { transaction in
            transaction.signedDate = SigningFixture.purchaseDate.addingTimeInterval(3 * 365 * 86_400)
        }
        let beforeItsBegin = fixture.transaction { transaction in
            transaction.signedDate = SigningFixture.purchaseDate.addingTimeInterval(-3 * 365 * 86_400)
        }

        let verdicts = [
            await SigningFixture.verdict(of: verifier, on: try afterItsEnd.signedTransaction(by: fixture.authority)),
            await SigningFixture.verdict(of: verifier, on: try beforeItsBegin.signedTransaction(by: fixture.authority)),
        ]

        #expect(verdicts == [.failure(.badCertificate), .failure(.badCertificate)])
    }

    @Test
    func chainThatHasExpiredSinceStillVouchesForWhatItSigned() async throws {
        let years: TimeInterval = 365 * 86_400
        let old = try SimulatedCertificateAuthority(now: Date().addingTimeInterval(-6 * years))
        let anchors = TrustAnchors(further: [
            try ExtraRoot(certificate: old.rootCertificateDER, bundleIDs: [SigningFixture.bundleID])
        ])
        let signed = fixture.transaction { $0.signedDate = Date().addingTimeInterval(-6 * years) }

        let found = try await SignedTransactionVerifier(anchors: anchors).verify(signed.signedTransaction(by: old))

        #expect(found.all.map(\.id.rawValue) == [signed.transactionId])
    }

    @Test
    func missingSigningDateIsJudgedNow() async throws {
        let jws = try fixture.authority.sign(
            payload: Array(PayloadText.json(leavingOut: "signedDate").utf8), at: SigningFixture.purchaseDate
        )
        let verifier = try fixture.verifier()

        let today = try await verifier.verify(jws, now: Date())
        let later = await Result {
            try await verifier.verify(jws, now: Date().addingTimeInterval(4 * 365 * 86_400)).all
        }

        #expect(today.all.count == 1)
        #expect(throws: Reason.badCertificate) { try later.get() }
    }

    @Test
    func verifierThatRemembersNothingGivesTheSameVerdicts() async throws {
        let verifier = SignedTransactionVerifier(anchors: try fixture.anchors(), chainCacheCapacity: 0)
        let jws = try fixture.transaction().signedTransaction(by: fixture.authority)

        let first = await SigningFixture.verdict(of: verifier, on: jws)
        let second = await SigningFixture.verdict(of: verifier, on: jws)

        #expect(first == second)
        #expect(throws: Never.self) { try first.get() }
    }

    private static let placeholder = Transaction(
        bundleID: SigningFixture.bundleID, environment: .production, id: TransactionID(rawValue: "1"),
        originalID: TransactionID(rawValue: "1"), productID: ProductID(rawValue: "p"), purchaseDate: .distantPast
    )

    private static func reason(against variant: ForgedVariant) -> Reason? {
        switch variant {
        case .replacedRoot: nil
        case .foreignRoot, .reversedCertificates,
            // A root of the operator's speaks for named apps only.
            .payloadNotJSON:
            .untrustedRoot
        case .wrongLeafOID, .missingLeafOID, .wrongIntermediateOID, .missingIntermediateOID, .expiredLeaf,
            .notYetValidLeaf, .expiredIntermediate, .intermediateNotCA, .leafSignedByRoot, .x5cNotCertificates:
            .badCertificate
        case .payloadSwapped, .signatureByOtherKey:
            .badSignature
        case .xcodeEnvironment, .localTestingEnvironment, .xcodeSigned:
            .unsupportedEnvironment
        case .selfSigned, .twoCertificates, .fourCertificates, .x5cBase64URL, .x5cNotBase64, .x5cMissing,
            .x5cEmpty, .algNone, .algHS256, .algRS256, .algMissing, .leafKeyOnP384, .signatureTruncated, .signatureDER,
            .emptyHeader, .emptyPayload, .emptySignature, .twoParts, .fourParts, .headerNotJSON:
            .malformedProof
        }
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous call gave, or threw.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
