// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Hummingbird
import HummingbirdCore
import NIOCore

/// Takes each call from its arrival to the last byte of its answer.
///
/// The steps: find the endpoint and the environment, count, read, draw what befalls the call, wait, answer, count,
/// send.
struct CallHandler: Sendable {
    /// A call that has been read and waits for its answer.
    private enum Call: Sendable {
        case verifyReceipt(VerifyReceiptEndpoint.Call)
        case serverAPI(ServerAPICall)
    }

    let counters: CallCounters
    let faults: FaultInjector
    let verifyReceipt: VerifyReceiptEndpoint
    let serverAPI: ServerAPIEndpoint
    let control: ControlInterface
    let sender: AnswerSender
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let maximumRequestSize: Int

    @concurrent
    func respond(
        to request: Request,
        with writer: consuming ResponseWriter,
        on channel: any Channel,
        at listener: Listener
    ) async throws {
        let path = request.uri.path
        if path.hasPrefix(ControlInterface.root) {
            let body = try await body(of: request)
            let answer = control.answer(method: request.method.rawValue, path: path, body: body)
            return try await sender.send(answer, by: .whole, with: writer, on: channel)
        }
        guard let route = CallRoute(method: request.method.rawValue, path: path) else {
            return try await sender.send(.notFound, by: .whole, with: writer, on: channel)
        }
        let environment = request.head.authority.flatMap { SimulatedEnvironment(host: $0) } ?? listener.environment
        let target = CallTarget(route.endpoint, environment)
        counters.arrived(at: target, now())
        defer { counters.left() }
        let (answer, delivery) = try await prepare(request, route, for: target)
        try await sender.send(answer, by: delivery, with: writer, on: channel)
    }

    /// Reads the request and decides its answer; counts the outcome in every case.
    private func prepare(
        _ request: Request, _ route: CallRoute, for target: CallTarget
    ) async throws -> (Answer, Delivery) {
        do {
            guard let body = try await body(of: request) else {
                let answer = Answer(httpStatus: 413, text: "request too large\n")
                counters.ended(target, as: .answered(http: answer.httpStatus, status: nil))
                return (answer, .whole)
            }
            let call = read(request, route, body: body, for: target)
            let injection = faults.draw(for: target, at: now())
            if injection.latency > .zero { try await clock.sleep(for: injection.latency) }
            let honest = { self.answer(call, for: target) }
            let (answer, delivery) = injection.fault?.applied(to: honest) ?? (honest(), .whole)
            counters.ended(target, as: CallOutcome(of: answer, delivery))
            return (answer, delivery)
        } catch {
            counters.ended(target, as: .unanswered)
            throw error
        }
    }

    private func read(_ request: Request, _ route: CallRoute, body: [UInt8], for target: CallTarget) -> Call {
        if route.endpoint == .verifyReceipt {
            let call = verifyReceipt.read(method: request.method.rawValue, body: body)
            counters.asked(about: call.receipt?.id, transactions: call.receipt?.transactionIDs ?? [])
            return .verifyReceipt(call)
        }
        let call = ServerAPICall(
            route, query: request.uri.query, authorization: request.headers[.authorization], body: body)
        counters.asked(about: nil, transactions: call.transactionID.map { [$0] } ?? [])
        if let bundleID = BearerCheck.claimedBundleID(authorization: call.authorization) {
            counters.called(target, bundleID: bundleID, now())
        }
        return .serverAPI(call)
    }

    private func answer(_ call: Call, for target: CallTarget) -> Answer {
        switch call {
        case .verifyReceipt(let call): verifyReceipt.answer(call, in: target.environment, at: now())
        case .serverAPI(let call): serverAPI.answer(call, in: target.environment, at: now())
        }
    }

    /// The whole body; nil when it is larger than allowed.
    private func body(of request: Request) async throws -> [UInt8]? {
        do {
            return Array(buffer: try await request.body.collect(upTo: maximumRequestSize))
        } catch is NIOTooManyBytesError {
            return nil
        }
    }
}
