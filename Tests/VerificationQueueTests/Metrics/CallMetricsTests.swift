// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MetricsTestKit
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// Each call to Apple is measured once, by how it ended: those of attempts, and those that catch up with notifications.
@Suite struct CallMetricsTests {
    private static var receipt: Job { Sample.job(proof: "MII 1000", lane: Sample.production) }
    private static var bareID: Job { Sample.job(proof: "1000", lane: Sample.apiProduction) }

    private let factory = TestMetrics()
    private let metrics: CallMetrics

    init() {
        metrics = CallMetrics(factory: factory)
    }

    private func attempt(
        _ job: Job, _ verifier: ScriptedVerifier, standing: CredentialStanding = CredentialStanding(isAccepted: false)
    ) async {
        _ = await AttemptRunner.sample(verifier, standing: standing, callMetrics: metrics)
            .attempt(job, deadline: .now + .seconds(60))
    }

    /// How many calls were measured, by endpoint, environment and result.
    private func measured(_ labels: String...) throws -> Int {
        let names = ["endpoint", "environment", "result"]
        return try factory.expectTimer(Metric.appStoreCalls.name, Array(zip(names, labels))).values.count
    }

    private var allMeasured: Int { factory.timers.map(\.values.count).reduce(0, +) }

    @Test(arguments: [
        (VerificationFailure(.transient, .appStoreUnavailable, message: ""), "failed"),
        (VerificationFailure(.rateLimited, .rateLimited, message: ""), "limited"),
        (VerificationFailure(.configuration, .configuration, message: ""), "misconfigured"),
        (VerificationFailure(.credentialRefused, .configuration, message: ""), "misconfigured"),
        (VerificationFailure(.uncertain(.review), .unknownAnswer, message: ""), "answered"),
    ])
    func aFailureIsMeasuredByItsKind(_ failure: VerificationFailure, _ result: String) async throws {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in throw failure }
        await attempt(Sample.job(proof: "MII 1000", lane: Sample.sandbox), verifier)

        #expect(try measured("verify_receipt", "sandbox", result) == 1)
        #expect(allMeasured == 1)
    }

    @Test func eachServiceIsMeasured() async throws {
        let verifier = ScriptedVerifier()
        for job in [Self.receipt, Self.bareID, Sample.job(lane: Sample.finishing, finished: "1000")] {
            await attempt(job, verifier)
        }

        for endpoint in ["verify_receipt", "server_api", "finish_transaction"] {
            #expect(try measured(endpoint, "production", "answered") == 1)
        }
        #expect(allMeasured == 3)
    }

    /// To the breaker it may be no call: what it says depends on the other environment.
    @Test func aRefusedKeyIsOurs() async throws {
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            environment == .sandbox ? .known(.sample(id: id, environment: environment)) : .unauthorized
        })
        await attempt(Self.bareID, verifier)

        #expect(try measured("server_api", "production", "misconfigured") == 1)
        #expect(try measured("server_api", "sandbox", "answered") == 1)
        #expect(allMeasured == verifier.calls.count)
    }

    /// To the breaker it is one call with the first.
    @Test func theSecondCallWithoutASecretIsMeasured() async throws {
        let verifier = ScriptedVerifier(
            { proof, _ throws(VerificationFailure) in
                guard proof.hasSuffix(ScriptedVerifier.withoutSecret) else {
                    throw VerificationFailure(.credentialRefused, .configuration, message: "21004")
                }
                return .paid(.sample(id: "1000"), mayBeIncomplete: true)
            }, claims: ReceiptClaims(holdsSubscription: false))
        await attempt(Self.receipt, verifier, standing: CredentialStanding(isAccepted: true, isAcceptedSince: true))

        #expect(try measured("verify_receipt", "production", "misconfigured") == 1)
        #expect(try measured("verify_receipt", "production", "answered") == 1)
        #expect(allMeasured == 2)
    }

    @Test func whatIsVerifiedHereIsNoCall() async {
        let verifier = ScriptedVerifier()
        await attempt(Sample.job(), verifier)

        #expect(verifier.calls == [.local])
        #expect(allMeasured == 0)
    }

    @Test func aLateCallIsNone() async throws {
        let isFirst = Mutex(true)
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            let isLate = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard !isLate else { throw VerificationFailure(.rateLimited, .rateLimited, message: "late", isLate: true) }
            return .known(.sample(id: id, environment: environment))
        })
        await attempt(Self.bareID, verifier)

        #expect(verifier.calls.count == 2)
        #expect(try measured("server_api", "production", "answered") == 1)
        #expect(allMeasured == 1)
    }

    @Test func aPageOfApplesNotificationsIsACall() async throws {
        try await QueueFixture.run { queue in
            // The key of production is refused.
            let verifier = ScriptedVerifier()
            try await NotificationCatchUp(pool: queue.pool, verifier: verifier, logger: .test, callMetrics: metrics).run()

            #expect(try measured("server_api", "production", "misconfigured") > 0)
            #expect(try measured("server_api", "sandbox", "answered") > 0)
            #expect(allMeasured == verifier.askedPeriods.count)
        }
    }
}
