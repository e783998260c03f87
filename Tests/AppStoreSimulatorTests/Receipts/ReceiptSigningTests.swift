// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import AppStoreSimulator

@Suite struct ReceiptSigningTests {
    /// One for all tests: RSA keys take their time.
    private static let shared = Result { try SimulatedCertificateAuthority() }

    private let authority: SimulatedCertificateAuthority

    init() throws {
        authority = try Self.shared.get()
    }

    private static let receipt = SimulatedReceipt(
        environment: .sandbox,
        transactions: (0..<5).map { SimulatedTransaction(productId: "product.\($0)", environment: .sandbox) })

    /// The parts of a container that tests look at, read by swift-asn1.
    private struct Parts {
        let content: ArraySlice<UInt8>
        let certificates: [ArraySlice<UInt8>]
        let signer: [ASN1Node]

        init(_ bytes: [UInt8]) throws {
            let contentInfo = try Self.children(of: DER.parse(bytes))
            let signedData = try Self.children(of: #require(Self.children(of: contentInfo[1]).first))
            let encapsulated = try Self.children(of: signedData[2])
            let octets = try #require(Self.children(of: encapsulated[1]).first)
            content = try ASN1OctetString(derEncoded: octets).bytes
            certificates = try Self.children(of: signedData[3]).map(\.encodedBytes)
            signer = try Self.children(of: #require(Self.children(of: signedData[4]).first))
        }

        static func children(of node: ASN1Node) throws -> [ASN1Node] {
            guard case .constructed(let children) = node.content else {
                throw ASN1Error.unexpectedFieldType(node.identifier)
            }
            return Array(children)
        }
    }

    @Test func chainHasApplesShape() throws {
        let chain = try authority.receiptChain

        #expect(chain.count == 3)
        #expect(_RSA.Signing.PublicKey(chain[0].publicKey)?.keySizeInBits == 2048)
        #expect(_RSA.Signing.PublicKey(chain[1].publicKey)?.keySizeInBits == 2048)
        #expect(chain[0].signatureAlgorithm == .sha256WithRSAEncryption)
        #expect(chain[0].extensions[oid: .appleReceiptSigning]?.critical == false)
        #expect(chain[1].extensions[oid: .appleDeveloperRelations]?.critical == false)
        #expect(try chain[2].derBytes == authority.rootCertificateDER)
    }

    @Test func chainIsValidForAnIndependentVerifier() async throws {
        let chain = try authority.receiptChain
        var verifier = Verifier(rootCertificates: CertificateStore([chain[2]])) { RFC5280Policy() }

        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]]))

        guard case .validCertificate(let path) = result else {
            Issue.record("not valid: \(result)")
            return
        }
        #expect(path.elementsEqual(chain))
    }

    @Test func keysAreMadeOnce() throws {
        #expect(try authority.receiptChain == authority.receiptChain)
    }

    @Test(arguments: ReceiptSignature.Digest.allCases)
    func signatureIsOverTheContent(digest: ReceiptSignature.Digest) throws {
        var signature = ReceiptSignature()
        signature.digest = digest
        let parts = try Parts(Self.receipt.signedBytes(by: authority, as: signature))
        let key = try #require(try _RSA.Signing.PublicKey(authority.receiptChain[0].publicKey))
        let value = try _RSA.Signing.RSASignature(rawRepresentation: ASN1OctetString(derEncoded: parts.signer[4]).bytes)

        let holds =
            switch digest {
            case .sha256:
                key.isValidSignature(value, for: SHA256.hash(data: parts.content), padding: .insecurePKCS1v1_5)
            case .sha1:
                key.isValidSignature(value, for: Insecure.SHA1.hash(data: parts.content), padding: .insecurePKCS1v1_5)
            case .sha384:
                key.isValidSignature(value, for: SHA384.hash(data: parts.content), padding: .insecurePKCS1v1_5)
            case .sha512:
                key.isValidSignature(value, for: SHA512.hash(data: parts.content), padding: .insecurePKCS1v1_5)
            }

        #expect(holds)
        #expect(parts.certificates.map { Array($0) } == (try authority.receiptChain.map { try $0.derBytes }))
    }

    @Test func signatureIsOverTheAttributesWhereThereAreSome() throws {
        var signature = ReceiptSignature()
        signature.coversAttributes = true
        let parts = try Parts(Self.receipt.signedBytes(by: authority, as: signature))
        let key = try #require(try _RSA.Signing.PublicKey(authority.receiptChain[0].publicKey))
        let value = try _RSA.Signing.RSASignature(rawRepresentation: ASN1OctetString(derEncoded: parts.signer[5]).bytes)

        let set = [0x31] + parts.signer[3].encodedBytes.dropFirst()

        #expect(key.isValidSignature(value, for: SHA256.hash(data: set), padding: .insecurePKCS1v1_5))
        // Sorted, as DER wants it.
        #expect(throws: Never.self) { try DER.set(of: ASN1Any.self, identifier: .set, rootNode: DER.parse(set)) }
    }

    @Test func signedReceiptSaysWhatTheUnsignedOneSays() throws {
        let signed = try ReceiptContents(Self.receipt.signedBytes(by: authority))
        let unsigned = try ReceiptContents(Self.receipt.encoded())

        #expect(signed == unsigned)
    }

    @Test func receiptWithASignerIsSigned() throws {
        var receipt = Self.receipt
        receipt.signer = authority

        #expect(try receipt.base64 == Self.receipt.signed(by: authority))
        #expect(try receipt.base64.hasPrefix("MII"))
    }

    @Test(arguments: ForgedReceiptVariant.allCases)
    func forgedReceiptDiffersFromTheHonestOne(variant: ForgedReceiptVariant) throws {
        let honest = try Self.receipt.signedBytes(by: authority)

        let forged = try Self.receipt.signedBytes(by: authority, forged: variant)

        #expect(forged != honest)
        #expect(forged.first == 0x30)
    }

    @Test func whatXcodeSignsIsInTheIndefiniteForm() throws {
        let forged = try Self.receipt.signed(by: authority, forged: .xcodeSigned)

        #expect(forged.hasPrefix("MIA"))
        #expect(throws: ReceiptContentsError.indefiniteLength) {
            try ReceiptContents(Self.receipt.signedBytes(by: authority, forged: .xcodeSigned))
        }
        // A parser of BER takes it as one element of nothing but well-formed ones.
        #expect(throws: Never.self) {
            try BER.parse(Self.receipt.signedBytes(by: authority, forged: .xcodeSigned))
        }
    }
}
