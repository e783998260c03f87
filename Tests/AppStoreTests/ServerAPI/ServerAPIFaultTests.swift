// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import InMemoryLogging
import Logging
import TestSupport
import Testing
import Verification

/// Calls to the App Store Server API that go wrong, over real HTTPS.
@Suite
struct ServerAPIFaultTests {
    @Test(arguments: [
        Fault.error(code: 5_000_000), .error(code: 5_000_001), .error(code: 4_040_002),
        .http(code: 500), .http(code: 503), .empty(code: 502), .disconnect, .reset, .html, .truncatedJSON, .invalidJSON,
        .statusMissing, .redirect(location: "https://api.storekit.apple.com/elsewhere"), .empty(code: 200),
        // Apple's edge, which has no path for a moment.
        .http(code: 404), .empty(code: 404),
    ])
    func brokenAnswerIsTransient(fault: Fault) async throws {
        #expect(try await Self.finding(under: fault) == .unavailable)
    }

    @Test(
        arguments: [
            (Fault.http(code: 401), APIFinding.unauthorized), (.http(code: 403), .misconfigured),
            (.error(code: 4_041_234), .unknownAnswer), (.error(code: 4_000_002), .misconfigured),
            (.error(code: 4_040_003), .misconfigured),
            (.error(code: 4_040_010), .notFound(4_040_010)), (.error(code: 4_000_048), .refused(4_000_048)),
            (.error(code: 4_001_234), .unknownAnswer), (.oversizedBody(bytes: 20_000_000), .unknownAnswer),
        ] as [(Fault, APIFinding)])
    func answerIsReadAsDocumented(fault: Fault, expected: APIFinding) async throws {
        #expect(try await Self.finding(under: fault) == expected)
    }

    @Test(arguments: [Fault.stall, .slowHeaders(.seconds(8)), .slowBody(.seconds(8))])
    func deadlineHoldsWhateverTheOtherSideDoes(fault: Fault) async throws {
        let (finding, elapsed) = try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(fault), for: .getTransactionInfo)
            let started = ContinuousClock.now
            let finding = await api.info(api.bought().transactionId, within: .seconds(1))
            return (finding, started.duration(to: .now))
        }

        #expect(finding == .unavailable)
        #expect(elapsed >= .seconds(1) && elapsed < .seconds(8))
    }

    @Test
    func callIsNotMadeAfterItsDeadline() async throws {
        try await SimulatedAPI.withRunning { api in
            let finding = await api.info("1", within: .seconds(-1))

            #expect(finding == .unavailable)
            #expect(api.simulator.statistics.received.isEmpty)
        }
    }

    @Test
    func waitNamedInMillisecondsOfTheEpochIsPassedOn() async throws {
        let failure = try await SimulatedAPI.withRunning { api in
            let moment = api.time.now.addingTimeInterval(90).timeIntervalSince1970 * 1000
            let fault = Fault.error(code: 4_290_000, retryAfter: String(Int64(moment)))
            api.simulator.setFaults(.always(fault), for: .getTransactionInfo)
            return await api.failure()
        }

        #expect(failure?.kind == .rateLimited)
        #expect(failure?.retryAfter == .seconds(90))
    }

    @Test
    func limitOfCallsIsPerAppAndEndsAfterASecond() async throws {
        try await SimulatedAPI.withRunning { api in
            let bought = api.bought()
            api.simulator.setRateLimit(2, for: .getTransactionInfo, in: .production)

            var findings: [APIFinding] = []
            for _ in 0..<3 { findings.append(await api.info(bought.transactionId)) }
            api.time.advance(by: 1)
            findings.append(await api.info(bought.transactionId))

            #expect(findings.map(\.transactionIDs.count) == [1, 1, 0, 1])
            #expect(findings[2] == .limited)
            #expect(
                api.simulator.statistics.rate(
                    of: .getTransactionInfo, in: .production, bundleID: SimulatedAPI.bundleID.rawValue
                ).perSecond == 3)
        }
    }

    @Test
    func nothingSecretIsEverToldOf() async throws {
        let faults: [Fault] = [
            .http(code: 401), .http(code: 403), .empty(code: 404), .http(code: 500), .error(code: 4_000_006), .stall,
            .error(code: 4_290_000, retryAfter: "1"), .disconnect, .reset, .slowBody(.seconds(8)), .html, .invalidJSON,
            .oversizedBody(bytes: 40_000_000), .redirect(location: "https://x.example"), .error(code: 4_000_002),
        ]

        let (told, key) = try await SimulatedAPI.withRunning { api in
            var told = ""
            for fault in faults {
                api.simulator.setFaults(.always(fault), for: .getTransactionInfo)
                guard let failure = await api.failure(within: .seconds(4)) else { continue }
                told += "\(failure.message)\n\(failure)\n\(String(reflecting: failure))\n"
                dump(failure, to: &told)
            }
            for entry in api.log.entries {
                #expect(entry.level <= .debug)
                told += "\(entry.message) \(entry.metadata)\n"
            }
            told += "\(api.client) \(String(reflecting: api.client))"
            dump(api.client, to: &told)
            return (told, api.simulator.apiKey())
        }

        let secrets = key.privateKeyPEM.split(separator: "\n").dropFirst().dropLast()
        #expect(told.contains("Get Transaction Info answered HTTP 403"))
        #expect(secrets.allSatisfy { !told.contains($0) })
        #expect(!told.contains("eyJ") && !told.contains("Bearer "))
        #expect(!told.contains(key.keyID) && !told.contains(key.issuerID))
    }

    private static func finding(under fault: Fault) async throws -> APIFinding {
        try await SimulatedAPI.withRunning { api in
            api.simulator.setFaults(.always(fault), for: .getTransactionInfo)
            return await api.info(api.bought().transactionId)
        }
    }
}
