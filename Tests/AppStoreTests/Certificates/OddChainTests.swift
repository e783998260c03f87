// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import SwiftASN1
import Testing
import Verification
import X509

@testable import AppStore

/// Chains that Apple's roots vouch for, and that are such as Apple's never were: right, odd, and forged beside them.
@Suite
struct OddChainTests {
    private static let payload = Data(PayloadText.json().utf8)
    private static let unknown: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 99]

    /// Uses, alternative names of both, policies, points of lists.
    private static let harmless: [ASN1ObjectIdentifier] = [
        [2, 5, 29, 37], [2, 5, 29, 17], [2, 5, 29, 18], [2, 5, 29, 32], [2, 5, 29, 31],
    ]

    private static func critical(_ name: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: name, critical: true, value: [0x30, 0x00])
    }

    private func verdict(_ chain: HandmadeChain, _ jws: String? = nil) async throws -> Result<Transaction, Reason> {
        await SigningFixture.verdict(of: try chain.verifier(), on: try jws ?? chain.sign(bytes: Self.payload))
    }

    private func odd(_ chain: HandmadeChain) async throws -> OddProof? {
        let contents = try await chain.verifier().contents(of: try chain.sign(bytes: Self.payload))
        return if case .odd(let odd) = contents { odd } else { nil }
    }

    @Test(arguments: harmless)
    func criticalExtensionThatChangesNothingIsAccepted(name: ASN1ObjectIdentifier) async throws {
        let chain = try HandmadeChain {
            $0.leafExtensions = [Self.critical(name)]
            $0.intermediateExtensions = [Self.critical(name)]
        }

        #expect((try? await verdict(chain).get()) != nil)
    }

    @Test
    func unknownCriticalExtensionIsLeftToAnOperatorByName() async throws {
        let ofTheLeaf = try HandmadeChain { $0.leafExtensions = [Self.critical(Self.unknown)] }
        let ofTheIntermediate = try HandmadeChain { $0.intermediateExtensions = [Self.critical(Self.unknown)] }

        let found = [try await odd(ofTheLeaf), try await odd(ofTheIntermediate)]

        let words = "has the critical extension 1.2.840.113635.100.6.99, which is not known"
        #expect(found.map { $0?.faults } == [["certificate \(words)"], ["intermediate certificate \(words)"]])
        #expect(found.allSatisfy { $0?.rest != nil })
    }

    /// The same form, and not the App Store's.
    @Test
    func forgeryWithAnUnknownCriticalExtensionIsAForgery() async throws {
        let chain = try HandmadeChain { $0.leafExtensions = [Self.critical(Self.unknown)] }
        let unmarked = try HandmadeChain {
            $0.leafExtensions = [Self.critical(Self.unknown)]
            $0.isMarked = false
        }
        let jws = try chain.sign(bytes: Self.payload)

        #expect(try await verdict(chain, chain.sign(bytes: Self.payload, by: P256.Signing.PrivateKey())) == .failure(.badSignature))
        #expect(try await verdict(unmarked) == .failure(.badCertificate))
        #expect(try await verdict(HandmadeChain(), jws) == .failure(.untrustedRoot))
    }

    @Test
    func limitsOfNamesAreLeftToAnOperator() async throws {
        let chain = try HandmadeChain { $0.intermediateExtensions = [Self.critical(.X509ExtensionID.nameConstraints)] }

        #expect(
            try await odd(chain)?.faults == [
                "intermediate certificate has the critical extension 2.5.29.30, which is not known", "certificates limit names",
            ])
    }

    @Test
    func rootThatHasExpiredIsLeftToAnOperator() async throws {
        let chain = try HandmadeChain { changes in
            changes.rootValidity = Date().addingTimeInterval(-9 * 86_400)...Date().addingTimeInterval(-86_400)
        }

        #expect(try await odd(chain)?.faults == ["root certificate was not valid then"])
    }

    // MARK: What comes in the root's place

    @Test
    func thePinnedRootCountsWhateverComesAlong() async throws {
        let chain = try HandmadeChain()
        let roots: [(String, [UInt8])] = [
            ("issued again", try HandmadeChain.root(chain.rootKey)),
            ("of another key", try HandmadeChain.root(P384.Signing.PrivateKey())),
            ("damaged", chain.certificates[2].dropLast() + [chain.certificates[2][chain.certificates[2].count - 1] ^ 1]),
        ]

        for (name, root) in roots {
            var changed = chain
            changed.certificates[2] = root
            #expect((try? await verdict(changed).get()) != nil, "\(name)")
        }
    }

    @Test
    func whatClaimsNoTrustedNameIsRefused() async throws {
        let chain = try HandmadeChain()
        for root in [try HandmadeChain.root(named: "Other", chain.rootKey), chain.certificates[0], [0x30, 0x00], []] {
            var changed = chain
            changed.certificates[2] = root
            #expect(try await verdict(changed) == .failure(.untrustedRoot))
        }
    }

    /// A stranger's chain of the same names, with its own root and with the trusted one.
    @Test
    func strangersChainOfTheSameNamesIsRefused() async throws {
        let chain = try HandmadeChain()
        let stranger = try HandmadeChain()
        var disguised = stranger
        disguised.certificates[2] = chain.certificates[2]

        #expect(try await verdict(chain, stranger.sign(bytes: Self.payload)) == .failure(.untrustedRoot))
        #expect(try await verdict(chain, disguised.sign(bytes: Self.payload)) == .failure(.badCertificate))
    }

    // MARK: Form

    /// The signature holds, and the two algorithms differ: RFC 5280, section 4.1.1.2.
    @Test
    func certificateOfTwoAlgorithmsIsRefused() async throws {
        let same = try HandmadeChain { $0.leafEdit = { $0 } }
        let other = try HandmadeChain { changes in
            changes.leafEdit = { signed in
                // The algorithm inside comes first: ecdsa-with-SHA384, then as SHA512.
                guard let place = Data(signed).firstRange(of: Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3])) else { return signed }
                var changed = signed
                changed[place.upperBound - 1] = 4
                return changed
            }
        }

        #expect((try? await verdict(same).get()) != nil)
        #expect(try await verdict(other) == .failure(.badCertificate))
    }

    @Test(arguments: [(true, false), (false, true)])
    func constraintsOfTheLeafThatCantBeReadAreRefusedIfCritical(isCritical: Bool, isAccepted: Bool) async throws {
        let chain = try HandmadeChain {
            $0.leafExtensions = [Certificate.Extension(oid: .X509ExtensionID.basicConstraints, critical: isCritical, value: [5, 0])]
        }

        let verdict = try await verdict(chain)

        #expect(isAccepted ? (try? verdict.get()) != nil : verdict == .failure(.badCertificate))
    }

    @Test
    func certificateThatIsNotInDERIsLeftToAnOperator() async throws {
        let chain = try HandmadeChain()
        for place in 0...1 {
            let der = chain.certificates[place]
            try #require(der[1] == 0x82)
            var changed = chain
            changed.certificates[place] = [0x30, 0x83, 0] + der.dropFirst(2)
            var longer = chain
            longer.certificates[place] = der + [0]

            #expect(try await odd(changed)?.faults == ["certificates are not in DER"])
            #expect(try await odd(longer)?.faults == ["certificates are not in DER"])
            changed.certificates[place][der.count - 1] ^= 1
            #expect(try await verdict(changed) == .failure(.badCertificate))
        }
    }

    // MARK: Names

    private static func name(_ tag: UInt8, _ text: String, type: UInt8 = 3) -> CertificateName? {
        let attribute = ReceiptBytes.element(0x30, [0x06, 3, 0x55, 4, type] + ReceiptBytes.element(tag, Array(text.utf8)))
        return CertificateName(ReceiptBytes.element(0x30, ReceiptBytes.element(0x31, attribute))[...])
    }

    /// RFC 5280, section 7.1.
    @Test
    func namesAreEqualWhateverTheirStrings() throws {
        let name = try #require(Self.name(0x0C, "Apple Root CA"))

        #expect(Self.name(0x13, "Apple Root CA") == name)
        #expect(Self.name(0x13, " apple  ROOT ca ") == name)
        #expect(Self.name(0x0C, "Apple RootCA") != name)
        #expect(Self.name(0x0C, "Apple Root CA", type: 10) != name)
        // Other strings are bytes.
        #expect(Self.name(0x16, "Apple Root CA") != name)
        #expect(Self.name(0x16, "Apple Root CA") == Self.name(0x16, "Apple Root CA"))
        #expect(CertificateName([0x31, 0x00]) == nil)
        #expect(CertificateName([0x30, 0x02, 0x31]) == nil)
    }
}
