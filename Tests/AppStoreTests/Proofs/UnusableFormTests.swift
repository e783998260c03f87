// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Texts that are sent in place of proofs are named, and refused as any other.
@Suite
struct UnusableFormTests {
    private static let decoded =
        #"{"transactionId":"2000","originalTransactionId":"2000","bundleId":"com.example.app","productId":"coins","purchaseDate":1700000000000,"signedDate":1700000000001,"quantity":1,"environment":"Production"}"#
    private static let app =
        #"{"receiptType":"Production","bundleId":"com.example.app","appTransactionId":"7","originalApplicationVersion":"1.0","receiptCreationDate":1700000000000}"#

    /// Of transaction 1, in base64 as clients send it.
    private static func iOS6StyleReceipt(signature: String = "AA==") -> String {
        let purchase = Data(#"{ "transaction-id" = "1"; }"#.utf8).base64EncodedString()
        return Data("{\n\t\"signature\" = \"\(signature)\";\n\t\"purchase-info\" = \"\(purchase)\";\n}".utf8)
            .base64EncodedString()
    }

    private func mistake(in text: String) -> (Reason?, String?) {
        do {
            _ = try ProofReader().read(text)
            return (nil, nil)
        } catch {
            return (error.reason, error.mistake)
        }
    }

    @Test(arguments: [
        ("", UnusableForm.empty), (" \r\n\t ", .empty), ("\u{FEFF}\u{200B}", .empty), ("\"\"", .empty),
        ("nil", .noValue), ("null", .noValue), ("undefined", .noValue), ("(null)", .noValue), ("Optional(nil)", .noValue),
        (#""null""#, .noValue),
        ("NULL\n", .noValue), (#"{"receipt":null}"#, .noValue),
        ("Optional(4096 bytes)", .description), ("[object Object]", .description),
        ("{length = 4096, bytes = 0x3082 ... }", .description),
        ("Purchase(jws: nil)", .description), ("{receipt-data: null}", .description),
        ("H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA=", .compressed),
        (#"{"receipt":"H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA="}"#, .compressed), (#"\x1f8b0800"#, .compressed), ("Bearer null", .noValue),
        ("DE305D54-75B4-431B-ADB2-EB6B9E546014", .uuid), (#""de305d54-75b4-431b-adb2-eb6b9e546014""#, .uuid),
        ("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", .page), ("<html>\n", .page),
        (decoded, .decodedTransaction), (#"{"data":\#(decoded)}"#, .decodedTransaction), (app, .appTransaction),
        (#"{"autoRenewProductId":"plus","autoRenewStatus":1,"originalTransactionId":"1"}"#, .renewalInfo),
        (#"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.e30.e30"}"#, .notification),
        (#"{"notificationType":"REFUND","data":{}}"#, .notification),
        (#"{"status":0,"environment":"Production","receipt":{"bundle_id":"a","in_app":[{"transaction_id":"1"}]}}"#, .receiptAnswer),
        (#"{"status":21002}"#, .receiptAnswer),
        (#"["eyJhbGciOiJFUzI1NiJ9.e30.e30","eyJhbGciOiJFUzI1NiJ9.e31.e30"]"#, .severalProofs),
        ("MIITA", .damaged), ("MIITAAAA...", .damaged), ("eyJhbGciOiJFUzI1NiJ9.e30", .damaged), ("eyJhbGciOiJFUzI1NiJ9", .damaged),
    ])
    func formIsNamed(text: String, form: UnusableForm) {
        let (reason, mistake) = mistake(in: text)

        #expect(reason == .malformedProof)
        #expect(mistake == form.mistake)
    }

    @Test(arguments: ["hello", "please give me coins", "SGVsbG8gd29ybGQh", #"{"a":{"b":1}}"#, "-12", "123456789012345678901"])
    func otherTextHasNoName(text: String) {
        let (reason, mistake) = mistake(in: text)

        #expect(reason == .malformedProof)
        #expect(mistake == nil)
    }

    @Test(arguments: ["AA==", "a forger's"])
    func iOS6StyleReceiptIsNamedInEachWrapping(signature: String) throws {
        let receipt = Self.iOS6StyleReceipt(signature: signature)
        let text = String(decoding: try #require(Data(base64Encoded: receipt)), as: UTF8.self)

        #expect(receipt.hasPrefix("ewo"))
        for sent in [
            receipt, receipt.replacing("=", with: ""), text, Data(receipt.utf8).base64EncodedString(), #""\#(receipt)""#,
            #"{"receipt-data":"\#(receipt)","orderId":"7"}"#,
        ] {
            let (reason, mistake) = mistake(in: sent)
            #expect(reason == .malformedProof && mistake == "an iOS 6 style receipt: send the app receipt", "\(sent)")
        }
    }

    /// Beside the receipt of an app, a client may send the transaction's own: the first counts, and is judged by its signature.
    @Test
    func appReceiptBesideAnIOS6StyleReceiptIsTheProof() async throws {
        let fixture = try ReceiptFixture()
        let verifier = try fixture.verifier()
        for forged in [nil, ForgedReceiptVariant.contentReplaced] {
            let receipt = try ReceiptFixture.receipt().signed(by: fixture.authority, forged: forged)

            let found = try ProofReader().read(#"{"transactionReceipt":"\#(Self.iOS6StyleReceipt())","appReceipt":"\#(receipt)"}"#)

            #expect(found == ReadProof(.appReceipt(receipt), repairs: [.jsonObject]))
            switch await ReceiptFixture.verdict(of: verifier, on: receipt) {
            case .success: #expect(forged == nil)
            case .failure(let reason): #expect(forged != nil && reason == .badSignature)
            }
        }
    }

    /// A signed app transaction is recognised as a JWS, and named by its payload.
    @Test
    func signedPayloadThatIsNoTransactionIsNamed() throws {
        let fixture = try SigningFixture()
        func form(_ payload: String) throws -> UnusableForm? {
            UnusableForm(
                .signedTransaction(try fixture.authority.sign(payload: Array(payload.utf8), at: SigningFixture.purchaseDate)))
        }

        #expect(try form(Self.app) == .appTransaction)
        #expect(try form(#"{"autoRenewProductId":"plus","autoRenewStatus":1}"#) == .renewalInfo)
        #expect(try form(#"{"notificationType":"TEST","data":{}}"#) == .notification)
        // Transactions name the app transaction, too.
        #expect(try form(Self.decoded) == nil)
        #expect(try form(#"{"transactionId":"1","appTransactionId":"7","receiptType":"x"}"#) == nil)
    }

    @Test
    func receiptWhoseEndIsMissingIsNamed() throws {
        let receipt = try ReceiptFixture.receipt().signed(by: try ReceiptFixture().authority)

        #expect(UnusableForm(.appReceipt(receipt)) == nil)
        #expect(UnusableForm(.appReceipt(String(receipt.prefix(400)))) == .cutReceipt)
    }

    /// Nothing of an upload gets into a message.
    @Test(arguments: UnusableForm.allCases)
    func wordsAreOneShortLine(form: UnusableForm) {
        #expect((5...100).contains(form.mistake.count))
        #expect(!form.mistake.contains("\n"))
    }
}
