// SPDX-License-Identifier: Apache-2.0

/// Measures the bare checks and the verifiers in turns, and sets the one beside the other.
struct VerifyBench: Sendable {
    private let proofs: [BenchProof]
    private let slice: Duration
    private let rounds: Int
    private let bare: BareSignatures
    private let fixture: ProofFixture

    /// What a verifier is to reach of the rate that its signatures alone allow.
    private static let share = 0.7

    init(proofs: Set<BenchProof>, slice: Duration, rounds: Int) throws {
        self.proofs = BenchProof.allCases.filter(proofs.contains)
        self.slice = slice
        self.rounds = rounds
        bare = try BareSignatures()
        fixture = try ProofFixture()
    }

    func measure() async throws -> VerifyReport {
        let load = Machine.load
        var p256: [Double] = []
        var p384: [Double] = []
        var rates: [BenchProof: [Double]] = [:]
        for round in 0...rounds {
            Progress.say(round == 0 ? "warming up" : "round \(round) of \(rounds)")
            let bare256 = try await ProcessorTime.rate(over: slice) { try bare.checkP256() }
            let bare384 = try await ProcessorTime.rate(over: slice) { try bare.checkP384() }
            var round256 = round == 0 ? [] : [bare256]
            p384 += round == 0 ? [] : [bare384]
            for proof in proofs {
                let rate = try await ProcessorTime.rate(over: slice) { try await fixture.verify(proof) }
                if round > 0 { rates[proof, default: []].append(rate) }
            }
            if round > 0 { round256.append(try await ProcessorTime.rate(over: slice) { try bare.checkP256() }) }
            p256 += round256
        }
        return VerifyReport(
            loadBefore: load,
            sections: [
                bareSection(p256: Percentiles(p256).median, p384: Percentiles(p384).median),
                proofSection(
                    rates.mapValues { Percentiles($0).median }, p256: Percentiles(p256).median,
                    p384: Percentiles(p384).median),
            ])
    }

    private func bareSection(p256: Double, p384: Double) -> Section {
        Section(
            "bare checks with swift-crypto, on one core",
            [
                Measurement("P-256 over 2.5 KB", .count(p256, "a second"), .microseconds(1e6 / p256)),
                Measurement("P-384 over 0.8 KB", .count(p384, "a second"), .microseconds(1e6 / p384)),
            ])
    }

    private func proofSection(_ rates: [BenchProof: Double], p256: Double, p384: Double) -> Section {
        // A chain costs two checks on P-384, and the proof one on P-256.
        let cold = 1 / (1 / p256 + 2 / p384)
        return Section(
            "proofs from text to transactions, on one core",
            proofs.map { proof in
                let rate = rates[proof, default: .nan]
                let figures: [Measurement.Figure] = [
                    .microseconds(1e6 / rate), .count(Double(fixture.size(of: proof)), "bytes"),
                ]
                return switch proof {
                case .transaction:
                    Measurement(
                        "signed transaction, chain remembered, of P-256's rate", .share(rate / p256),
                        [.count(rate, "a second")] + figures, atLeast: Self.share)
                case .coldTransaction:
                    Measurement(
                        "signed transaction, chain anew, of its signatures' rate", .share(rate / cold),
                        [.count(rate, "a second")] + figures, atLeast: Self.share)
                case .smallReceipt:
                    Measurement("receipt of 2 purchases", .count(rate, "a second"), figures, atLeast: 1500)
                case .largeReceipt:
                    Measurement("receipt of 187 purchases", .count(rate, "a second"), figures, atLeast: 200)
                case .coldReceipt:
                    Measurement("receipt of 2 purchases, chain anew", all: [.count(rate, "a second")] + figures)
                }
            })
    }
}
