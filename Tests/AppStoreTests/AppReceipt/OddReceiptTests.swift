// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Receipts with facts that can't be read, with other certificates, and in another encoding than Apple's of today.
@Suite
struct OddReceiptTests {
    let fixture: ReceiptFixture

    init() throws {
        fixture = try ReceiptFixture()
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let attributes: [[UInt8]]
        let fault: String
    }

    static let cases: [Case] =
        ["a while ago", "2026-01-31T09:30:00+0000", "2026-01-31T09:30:00", "1769851800", "2026-02-30T09:30:00Z"].map {
            Case(
                testDescription: "made at \($0)", attributes: ReceiptBytes.app(created: ReceiptBytes.date($0)),
                fault: "creation date can't be read")
        } + [
            Case(
                testDescription: "made at a number", attributes: ReceiptBytes.app(created: ReceiptBytes.number(1)),
                fault: "creation date can't be read"),
            Case(testDescription: "no type", attributes: ReceiptBytes.app(type: []), fault: "receipt type is missing"),
            Case(
                testDescription: "a new type", attributes: ReceiptBytes.app(type: ReceiptBytes.text("ProductionFuture")),
                fault: "receipt type can't be read"),
            Case(
                testDescription: "a type in numbers", attributes: ReceiptBytes.app(type: ReceiptBytes.number(1)),
                fault: "receipt type can't be read"),
        ]

    @Test(arguments: cases)
    func signedAndOddIsLeftToAnOperatorByName(_ row: Case) async throws {
        let receipt = try fixture.signed(row.attributes + [ReceiptBytes.purchase([:])])

        let contents = try await fixture.verifier().contents(of: receipt)

        guard case .odd(let odd) = contents else {
            Issue.record("not odd")
            return
        }
        #expect(odd.faults == [row.fault])
        #expect(await ReceiptFixture.verdict(of: try fixture.verifier(), on: receipt) == .failure(.unknownAnswer))
    }

    @Test(arguments: cases)
    func oddAndForgedIsAForgery(_ row: Case) async throws {
        let content = ReceiptBytes.set(row.attributes + [ReceiptBytes.purchase([:])])
        let stranger = try SimulatedCertificateAuthority()
        let foreign = Data(try stranger.signReceipt(content: content)).base64EncodedString()
        var changed = try fixture.authority.signReceipt(content: content)
        // The last byte of the signature.
        changed[changed.count - 1] ^= 1

        let verdicts = [
            await ReceiptFixture.verdict(of: try fixture.verifier(), on: foreign),
            await ReceiptFixture.verdict(of: try fixture.verifier(), on: Data(changed).base64EncodedString()),
        ]

        #expect(verdicts == [.failure(.untrustedRoot), .failure(.badSignature)])
    }

    // MARK: Certificates

    /// Signed honestly, with these certificates in the container.
    private func receipt(_ certificates: [[UInt8]]) throws -> String {
        let content = ReceiptBytes.set(ReceiptBytes.app() + [ReceiptBytes.purchase([:])])
        return Data(try fixture.authority.signReceipt(content: content, certificates: certificates)).base64EncodedString()
    }

    private func verdict(_ certificates: [[UInt8]], limits: AppReceiptLimits = AppReceiptLimits()) async throws -> Reason? {
        let verdict = await ReceiptFixture.verdict(of: try fixture.verifier(limits: limits), on: try receipt(certificates))
        if case .failure(let reason) = verdict { return reason }
        return nil
    }

    @Test
    func theChainIsFoundAmongWhatIsThere() async throws {
        let chain = try fixture.authority.receiptChain.map { try $0.derBytes }
        let other = try fixture.authority.chain.map { try $0.derBytes }
        let stranger = try SimulatedCertificateAuthority().receiptChain.map { try $0.derBytes }
        let genuine: [(String, [[UInt8]])] = [
            ("as Apple's", chain), ("reversed", chain.reversed()), ("without its root", [chain[1], chain[0]]),
            ("root twice", chain + [chain[2]]), ("each twice", chain + chain), ("leaf of transactions", [other[0]] + chain),
            ("intermediate of transactions first", [other[1]] + chain), ("a stranger's intermediate", [stranger[1]] + chain),
            ("a stranger's root", [stranger[2]] + chain), ("a stranger's chain", stranger + chain),
            ("eight", chain + [other[0], other[1]] + stranger),
            // The root is the pinned one, whatever came along in its place.
            ("a stranger's root in the root's place", [chain[0], chain[1], stranger[2]]),
            ("no certificate in the root's place", [chain[0], chain[1], [0x30, 0x00]]),
            ("a damaged root", [chain[0], chain[1], chain[2].dropLast() + [chain[2][chain[2].count - 1] ^ 1]]),
        ]

        for (name, certificates) in genuine {
            #expect(try await verdict(certificates) == nil, "\(name)")
        }
    }

    /// The signature is good in each of these: nobody vouches for it.
    @Test
    func whatDoesNotHangTogetherIsRefused() async throws {
        let chain = try fixture.authority.receiptChain.map { try $0.derBytes }
        let other = try fixture.authority.chain.map { try $0.derBytes }
        let stranger = try SimulatedCertificateAuthority().receiptChain.map { try $0.derBytes }
        let broken: [(String, [[UInt8]], Reason)] = [
            ("leaf alone", [chain[0]], .badCertificate),
            ("no intermediate", [chain[0], chain[2]], .badCertificate),
            ("no leaf", [chain[1], chain[2]], .badCertificate),
            ("another's intermediate", [chain[0], other[1], chain[2]], .badCertificate),
            ("a stranger's intermediate", [chain[0], stranger[1], chain[2]], .badCertificate),
            ("a stranger's intermediate without a root", [chain[0], stranger[1]], .badCertificate),
            ("no certificate in between", [chain[0], [0x30, 0x00], chain[2]], .badCertificate),
        ]

        for (name, certificates, reason) in broken {
            #expect(try await verdict(certificates) == reason, "\(name)")
        }
        #expect(try await verdict(chain + stranger + stranger) == .proofTooLarge)
        #expect(try await verdict([]) == .malformedProof)
    }

    @Test
    func numberOfCertificatesIsALimit() async throws {
        let chain = try fixture.authority.receiptChain.map { try $0.derBytes }
        var limits = AppReceiptLimits()
        limits.certificates = 3

        #expect(try await verdict(chain, limits: limits) == nil)
        #expect(try await verdict(chain + [chain[2]], limits: limits) == .proofTooLarge)
    }

    /// The honest root among them makes no stranger's chain good.
    @Test
    func aStrangersReceiptWithTheTrustedRootInItIsRefused() async throws {
        let root = fixture.authority.rootCertificateDER
        let stranger = try SimulatedCertificateAuthority()
        let theirs = try stranger.receiptChain.map { try $0.derBytes }
        let content = ReceiptBytes.set(ReceiptBytes.app() + [ReceiptBytes.purchase([:])])
        func verdict(_ certificates: [[UInt8]]) async throws -> Result<[Transaction], Reason> {
            let bytes = try stranger.signReceipt(content: content, certificates: certificates)
            return await ReceiptFixture.verdict(of: try fixture.verifier(), on: Data(bytes).base64EncodedString())
        }

        #expect(try await verdict(theirs) == .failure(.untrustedRoot))
        #expect(try await verdict(theirs + [root]) == .failure(.badCertificate))
        #expect(try await verdict([theirs[0], theirs[1]]) == .failure(.badCertificate))
        #expect(try await verdict([theirs[0], theirs[1], root]) == .failure(.badCertificate))
    }

    // MARK: Encoding

    @Test
    func indefiniteLengthsAreXcodesIfTheReceiptSaysSo() throws {
        let xcodes = try ReceiptFixture.receipt().signed(by: fixture.authority, forged: .xcodeSigned)
        let bytes = try #require(Base64.decode(padded: Array(xcodes.utf8)[...], as: .standard))
        let type = try #require(Data(bytes).firstRange(of: Data("Xcode".utf8)))
        var renamed = bytes
        renamed.replaceSubrange(type, with: "Store".utf8)

        #expect(IndefiniteReceipt.isXcodes(bytes))
        #expect(!IndefiniteReceipt.isXcodes(renamed))
        // Cut anywhere, it isn't Xcode's for sure before its content is whole.
        let whole = (0...bytes.count).first { IndefiniteReceipt.isXcodes(Array(bytes.prefix($0))) }
        #expect(try #require(whole) >= type.upperBound)
        for (text, reason) in [(xcodes, Reason.unsupportedEnvironment), (Data(renamed).base64EncodedString(), .unsupportedEncoding)] {
            do {
                _ = try ProofReader().read(text)
                Issue.record("it was read")
            } catch {
                #expect(error.reason == reason)
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func indefiniteLengthsThatAreDamagedAreReadWithoutHarm(seed: UInt64) throws {
        let xcodes = try ReceiptFixture.receipt().signed(by: fixture.authority, forged: .xcodeSigned)
        let bytes = try #require(Base64.decode(padded: Array(xcodes.utf8)[...], as: .standard))
        var mutator = Mutator(seed: seed)

        let answers = Set((0..<1000).map { _ in IndefiniteReceipt.isXcodes(mutator.damaged(bytes)) })

        #expect(answers == [true, false])
    }
}
