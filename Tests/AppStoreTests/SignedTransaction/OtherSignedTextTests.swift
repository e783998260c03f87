// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// What Apple signs beside transactions, and transactions in forms that it never signed: right, odd, and forged beside them.
@Suite
struct OtherSignedTextTests {
    private static let app = SigningFixture.bundleID.rawValue
    private static let milliseconds = PayloadText.purchaseMilliseconds

    /// Apple's renewal infos name no app. These do: a further root speaks for named apps only.
    private static let others: [(json: String, form: UnusableForm)] = [
        (
            #"{"originalTransactionId":"1","autoRenewProductId":"plus","autoRenewStatus":1,"bundleId":"\#(app)","#
                + #""signedDate":\#(milliseconds),"environment":"Production"}"#, .renewalInfo
        ),
        (
            #"{"receiptType":"Production","bundleId":"\#(app)","originalApplicationVersion":"1.0","#
                + #""receiptCreationDate":\#(milliseconds)}"#, .appTransaction
        ),
        (#"{"notificationType":"TEST","bundleId":"\#(app)","signedDate":\#(milliseconds),"data":{}}"#, .notification),
    ]

    let fixture: SigningFixture

    init() throws {
        fixture = try SigningFixture()
    }

    private func sign(
        _ json: String, by authority: SimulatedCertificateAuthority? = nil, forged: ForgedVariant? = nil
    ) throws -> String {
        try (authority ?? fixture.authority).sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate, forged: forged)
    }

    private func verdict(on jws: String) async throws -> Result<Transaction, Reason> {
        await SigningFixture.verdict(of: try fixture.verifier(), on: jws)
    }

    @Test(arguments: others.indices)
    func textWithoutAPurchaseIsKnownAndAForgedOneIsAForgery(number: Int) async throws {
        let (json, form) = Self.others[number]
        let genuine = try sign(json)
        let foreign = try sign(json, by: SimulatedCertificateAuthority())

        #expect(try await verdict(on: genuine) == .failure(.notAPurchase))
        #expect(UnusableForm(.signedTransaction(genuine)) == form)
        #expect(try await verdict(on: sign(json, forged: .signatureByOtherKey)) == .failure(.badSignature))
        #expect(try await verdict(on: sign(json, forged: .wrongLeafOID)) == .failure(.badCertificate))
        #expect(try await verdict(on: foreign) == .failure(.untrustedRoot))
    }

    /// A transaction is one whatever else it names.
    @Test
    func transactionWithFieldsOfOtherTextsIsATransaction() async throws {
        let json = PayloadText.json(["autoRenewStatus": "1", "receiptType": #""Production""#, "notificationType": #""TEST""#])

        #expect((try? await verdict(on: sign(json)).get()) != nil)
    }

    /// It has no date of its signature: it is judged when it was made, long after its certificates ended.
    @Test
    func appTransactionIsJudgedWhenItWasMade() async throws {
        let years: TimeInterval = 365 * 86_400
        let made = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 6 * years).rounded(.down))
        let old = try SimulatedCertificateAuthority(now: made)
        let anchors = TrustAnchors(further: [
            try ExtraRoot(certificate: old.rootCertificateDER, bundleIDs: [SigningFixture.bundleID])
        ])
        func verdict(madeAt date: Date) async throws -> Result<Transaction, Reason> {
            let milliseconds = Int64(date.timeIntervalSince1970 * 1000)
            let json = #"{"receiptType":"Production","bundleId":"\#(Self.app)","receiptCreationDate":\#(milliseconds)}"#
            return await SigningFixture.verdict(of: SignedTransactionVerifier(anchors: anchors), on: try sign(json, by: old))
        }

        #expect(try await verdict(madeAt: made) == .failure(.notAPurchase))
        #expect(try await verdict(madeAt: Date()) == .failure(.badCertificate))
    }

    @Test
    func xcodesTransactionIsNamedAsItsReceiptIs() async throws {
        let xcodes = try fixture.transaction().signedTransaction(by: fixture.authority, forged: .xcodeSigned)
        let selfSigned = try fixture.transaction().signedTransaction(by: fixture.authority, forged: .selfSigned)

        #expect(try await verdict(on: xcodes) == .failure(.unsupportedEnvironment))
        #expect(try await verdict(on: selfSigned) == .failure(.malformedProof))
    }

    // MARK: Encoding

    /// A decoder would take the first product of two in silence.
    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian])
    func payloadThatIsNotUTF8IsLeftToAnOperator(encoding: String.Encoding) async throws {
        let chain = try HandmadeChain()
        let twice = String(PayloadText.json().dropLast()) + #","productId":"com.example.app.dear"}"#
        for json in [PayloadText.json(), twice] {
            let payload = try #require(json.data(using: encoding))
            let jws = try chain.sign(bytes: payload)

            // Where the app can't be read in it, a further root doesn't speak for it.
            let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: jws)
            #expect(verdict == .failure(.unknownAnswer) || verdict == .failure(.untrustedRoot), "\(encoding)")
            guard case .odd(let odd) = try SignedTransaction(jws).contents(besides: []) else {
                Issue.record("not odd: \(encoding)")
                continue
            }
            #expect(odd.faults == ["payload is not in UTF-8"] || odd.faults == ["payload is no JSON object"])
        }
    }

    /// Certificates are judged at the leaf's beginning then, and not at one of the dates.
    @Test(arguments: ["1", "4102444800000"])
    func dateOfTheSignatureThatStandsThereTwiceIsLeftToAnOperator(other: String) async throws {
        let json = String(PayloadText.json().dropLast()) + #","signedDate":\#(other)}"#
        let first = #"{"signedDate":\#(other),"# + PayloadText.json().dropFirst()

        #expect(try await verdict(on: sign(json)) == .failure(.unknownAnswer))
        #expect(try await verdict(on: sign(String(first))) == .failure(.unknownAnswer))
        #expect(try await verdict(on: sign(json, forged: .signatureByOtherKey)) == .failure(.badSignature))
    }

    // MARK: Header

    @Test(arguments: [#""alg":"none","#, #""alg":"ES256","#, #""x5c":[],"#, #""new":1,"new":2,"#, #""\u0061lg":"ES256","#])
    func headerWithAMemberTwiceIsRefused(member: String) async throws {
        let chain = try HandmadeChain()

        let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: try chain.sign(PayloadText.json(), header: member))

        #expect(verdict == .failure(.malformedProof))
    }

    // MARK: Notifications

    private func notification(_ inner: String, forged: ForgedVariant? = nil) throws -> String {
        try sign(
            #"{"notificationType":"ONE_TIME_CHARGE","version":"2.0","data":{"bundleId":"\#(Self.app)","environment":"Production","#
                + #""signedTransactionInfo":"\#(inner)"},"signedDate":\#(Self.milliseconds)}"#, forged: forged)
    }

    private static func read(_ text: String) -> Result<ReadProof, UnreadableProof> {
        Result { () throws(UnreadableProof) in try ProofReader().read(text) }
    }

    /// Signed, in the body of Apple's request, and decoded; the renewal info beside a transaction is passed over.
    @Test
    func transactionInANotificationIsRead() async throws {
        let genuine = try fixture.transaction().signedTransaction(by: fixture.authority)
        let signed = try notification(genuine)
        let data = #"{"signedTransactionInfo":"\#(genuine)","signedRenewalInfo":"\#(try sign(Self.others[0].json))"}"#
        let expected = Proof.signedTransaction(genuine)

        #expect(Self.read(signed) == .success(ReadProof(expected, repairs: [.notification])))
        #expect(Self.read(#"{"signedPayload":"\#(signed)"}"#) == .success(ReadProof(expected, repairs: [.notification])))
        #expect(
            Self.read(#"{"notificationType":"ONE_TIME_CHARGE","data":\#(data)}"#)
                == .success(ReadProof(expected, repairs: [.notification])))
        #expect(Self.read(data) == .success(ReadProof(expected, repairs: [.jsonObject])))
    }

    /// Each signature counts for what it is over.
    @Test
    func forgedTransactionInAGenuineNotificationIsAForgery() async throws {
        let genuine = try fixture.transaction().signedTransaction(by: fixture.authority)
        let forged = try fixture.transaction().signedTransaction(by: fixture.authority, forged: .payloadSwapped)

        let inGenuine = try Self.read(notification(forged)).get()
        let inForged = try Self.read(notification(genuine, forged: .signatureByOtherKey)).get()

        #expect(inGenuine.proof == .signedTransaction(forged))
        #expect(try await verdict(on: forged) == .failure(.badSignature))
        #expect(inForged.proof == .signedTransaction(genuine))
    }

    @Test
    func notificationThatHoldsNoOneTransactionIsItself() throws {
        let empty = try sign(Self.others[2].json)
        let inner = try fixture.transaction().signedTransaction(by: fixture.authority)
        let two = try sign(
            #"{"notificationType":"A","data":{"signedTransactionInfo":"\#(inner)","signedTransactionInfo":"\#(inner)"}}"#)

        #expect(try Self.read(empty).get().proof == .signedTransaction(empty))
        #expect(try Self.read(two).get().proof == .signedTransaction(two))
    }
}
