// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite struct FaultDeliveryTests {
    private static let receipt = SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")])

    private static func body() throws -> String {
        SimulatorClient.body(try receipt.base64)
    }

    /// The reply to one call that suffers `fault`.
    private static func reply(to fault: Fault) async throws -> SimulatorClient.Reply {
        try await withSimulator { simulator, client in
            simulator.setFaults(.always(fault), for: .verifyReceipt)
            return try await client.call("/verifyReceipt", body: body())
        }
    }

    @Test(arguments: [500, 502, 503, 504, 429, 401])
    func httpStatusIsSent(_ code: Int) async throws {
        let reply = try await Self.reply(to: .http(code: code))

        #expect(reply.code == UInt(code))
        #expect(reply.headers["Retry-After"] == [])
    }

    @Test func retryAfterIsSentAsItStands() async throws {
        let reply = try await Self.reply(to: .http(code: 429, retryAfter: "1800000000123"))

        #expect(reply.code == 429)
        #expect(reply.headers["Retry-After"] == ["1800000000123"])
    }

    @Test func redirectNamesItsPlace() async throws {
        let reply = try await Self.reply(to: .redirect(location: "https://localhost/elsewhere"))

        #expect(reply.code == 302)
        #expect(reply.headers["Location"] == ["https://localhost/elsewhere"])
    }

    @Test func webPageComesWith200() async throws {
        let reply = try await Self.reply(to: .html)

        #expect(reply.code == 200)
        #expect(reply.headers["Content-Type"] == ["text/html;charset=UTF-8"])
        #expect(reply.text.hasPrefix("<!DOCTYPE html>"))
    }

    @Test(arguments: [Fault.truncatedJSON, .invalidJSON])
    func brokenJSONComesWith200AndItsRightLength(_ fault: Fault) async throws {
        let reply = try await Self.reply(to: fault)

        #expect(reply.code == 200)
        #expect(reply.headers["Content-Length"] == [String(reply.body.readableBytes)])
        #expect(reply.headers["Content-Type"] == ["application/json"])
        #expect(throws: DecodingError.self) { try reply.decoded(as: [String: String].self) }
    }

    @Test func truncatedJSONBeginsHonestly() async throws {
        let reply = try await Self.reply(to: .truncatedJSON)

        #expect(reply.text.hasPrefix(#"{"status":0,"environment":"Production","receipt":{"#))
    }

    @Test func statusCanBeMissingOrText() async throws {
        let missing = try await Self.reply(to: .statusMissing)
        let text = try await Self.reply(to: .statusNotInteger)

        #expect(missing.text == #"{"environment":"Production"}"#)
        #expect(text.text == #"{"status":"zero"}"#)
    }

    @Test(arguments: [21000, 21001, 21002, 21003, 21004, 21005, 21009, 21010, 21099, 21100, 21199, 31337])
    func statusIsSentWithoutAReceipt(_ status: Int) async throws {
        let reply = try await Self.reply(to: .status(code: status))

        #expect(reply.code == 200)
        #expect(reply.text == #"{"status":\#(status)}"#)
    }

    @Test(arguments: [
        (RetryableField(.dashed, .number(1)), #"{"status":21199,"is-retryable":1}"#),
        (RetryableField(.dashed, .number(0)), #"{"status":21199,"is-retryable":0}"#),
        (RetryableField(.dashed, .boolean(true)), #"{"status":21199,"is-retryable":true}"#),
        (RetryableField(.underscored, .number(0)), #"{"status":21199,"is_retryable":0}"#),
        (RetryableField(.underscored, .boolean(false)), #"{"status":21199,"is_retryable":false}"#),
    ])
    func retryableIsSpelledAsAsked(_ field: RetryableField, _ expected: String) async throws {
        let reply = try await Self.reply(to: .status(code: 21199, retryable: field))

        #expect(reply.text == expected)
    }

    @Test func oversizedBodyIsAsLargeAsAsked() async throws {
        let reply = try await Self.reply(to: .oversizedBody(bytes: 3_000_001))

        #expect(reply.body.readableBytes == 3_000_001 + #"{"status":0}"#.utf8.count)
        #expect(try reply.decoded(as: [String: Int].self) == ["status": 0])
    }

    @Test(arguments: [Fault.reset, .disconnect])
    func cutConnectionIsAnErrorAndTheNextCallIsGood(_ fault: Fault) async throws {
        try await withSimulator { simulator, client in
            simulator.setFaults(FaultPlan(nextCalls: [fault]), for: .verifyReceipt)

            await #expect(throws: (any Error).self) { try await client.verify(Self.receipt.base64) }
            let reply = try await client.verify(Self.receipt.base64)

            #expect(reply.status == 0)
            #expect(simulator.statistics.calls(to: .verifyReceipt, in: .production, as: .unanswered) == 1)
        }
    }

    @Test func resetComesAfterTheHeadAndHalfOfTheBody() async throws {
        try await withSimulator { simulator, client in
            simulator.setFaults(.always(.reset), for: .verifyReceipt)
            var request = HTTPClientRequest(url: "https://localhost:\(simulator.productionPort)/verifyReceipt")
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: try Self.body()))

            let response = try await client.http.execute(request, timeout: .seconds(30))

            let length = try #require(response.headers.first(name: "Content-Length").flatMap { Int($0) })
            #expect(response.status == .ok)
            var received = 0
            await #expect(throws: (any Error).self) {
                for try await piece in response.body { received += piece.readableBytes }
            }
            #expect(received <= length / 2)
        }
    }

    @Test func stalledCallStaysInFlightUntilTheClientGoes() async throws {
        try await withSimulator { simulator, client in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            let blob = try Self.receipt.base64

            let failed = try await withThrowingTaskGroup(of: VerifyReceiptReply.self) { group in
                group.addTask { try await client.verify(blob) }
                let stalled = try await simulator.statistics { $0.inFlight == 1 && !$0.ended.isEmpty }
                #expect(stalled.ended.values.reduce(0, +) == 1)
                group.cancelAll()
                return await group.nextResult()
            }

            #expect(throws: (any Error).self) { try #require(failed).get() }
            _ = try await simulator.statistics { $0.inFlight == 0 }
        }
    }

    @Test func stalledCallDoesNotHoldUpShutdown() async throws {
        let blob = try Self.receipt.base64
        try await withThrowingTaskGroup(of: Void.self) { group in
            let http = try await AppStoreSimulator.withRunning { simulator in
                let client = try SimulatorClient(of: simulator)
                simulator.setFaults(.always(.stall), for: .verifyReceipt)
                group.addTask {
                    await #expect(throws: (any Error).self) { try await client.verify(blob) }
                }
                _ = try await simulator.statistics { $0.inFlight == 1 }
                return client.http
            }

            // Reached only when the simulator has stopped, and the client has not.
            try await group.waitForAll()
            try await http.shutdown()
        }
    }

    @Test func latencyIsWaitedBeforeTheAnswer() async throws {
        let clock = RecordingClock()
        var configuration = SimulatorConfiguration()
        configuration.clock = clock
        try await withSimulator(configuration: configuration) { simulator, client in
            simulator.setFaults(FaultPlan(latency: .fixed(.milliseconds(300))), for: .verifyReceipt)

            let reply = try await client.verify(Self.receipt.base64)

            #expect(reply.status == 0)
            #expect(clock.recorded == [.milliseconds(300)])
        }
    }

    @Test func slowHeadersAddToTheLatency() async throws {
        let clock = RecordingClock()
        var configuration = SimulatorConfiguration()
        configuration.clock = clock
        try await withSimulator(configuration: configuration) { simulator, client in
            let plan = FaultPlan(
                latency: .fixed(.milliseconds(5)), faults: [.init(.slowHeaders(.seconds(20)), probability: 1)])
            simulator.setFaults(plan, for: .verifyReceipt)

            let reply = try await client.verify(Self.receipt.base64)

            #expect(reply.status == 0)
            #expect(clock.recorded == [.milliseconds(5), .seconds(20)])
        }
    }

    @Test func slowBodyIsWholeAndTakesItsTime() async throws {
        let clock = RecordingClock()
        var configuration = SimulatorConfiguration()
        configuration.clock = clock
        try await withSimulator(configuration: configuration) { simulator, client in
            simulator.setFaults(.always(.slowBody(.seconds(20))), for: .verifyReceipt)

            let reply = try await client.verify(Self.receipt.base64)

            #expect(reply.status == 0)
            #expect((18...20).contains(clock.recorded.count))
            #expect(clock.recorded.allSatisfy { $0 == .seconds(1) })
        }
    }

    @Test func faultsCanChangeWhileRunning() async throws {
        try await withSimulator { simulator, client in
            simulator.setFaults(.always(.status(code: 21005)), for: .verifyReceipt, in: .production)
            let first = try await client.verify(Self.receipt.base64)
            let other = try await client.verify(Self.receipt.base64, in: .sandbox)

            simulator.setFaults(FaultPlan(), for: .verifyReceipt)
            let last = try await client.verify(Self.receipt.base64)

            #expect([first.status, other.status, last.status] == [21005, 21008, 0])
        }
    }

    @Test func outageLastsForItsWindow() async throws {
        let time = ManualTime(Date(timeIntervalSince1970: 1_800_000_000))
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            let end = time.now.addingTimeInterval(3600)
            simulator.setFaults(
                FaultPlan(windows: [.init(.http(code: 503), from: time.now, until: end)]), for: .verifyReceipt)

            let during = try await client.call("/verifyReceipt", body: Self.body())
            time.set(end)
            let after = try await client.call("/verifyReceipt", body: Self.body())

            #expect(during.code == 503)
            #expect(after.code == 200)
        }
    }

    @Test func faultThatReplacesTheAnswerIsNoCallToTheProgram() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.emptyUntil = .call(2)
            simulator.setProgram(program, for: Self.receipt.id)
            simulator.setFaults(FaultPlan(nextCalls: [.http(code: 503)]), for: .verifyReceipt)

            _ = try await client.call("/verifyReceipt", body: Self.body())
            let reply = try await client.verify(Self.receipt.base64)

            #expect(reply.transactionIDs == [])
            #expect(simulator.statistics.calls(about: Self.receipt.id) == 2)
        }
    }
}
