// SPDX-License-Identifier: Apache-2.0

import AppStore
import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Calls endpoints: one signed POST an event.
struct WebhookCaller: Sendable {
    let clients: WebhookClients
    let secrets: WebhookSecretFiles
    let configuration: WebhookConfiguration
    /// The time of day, which signatures bear.
    let now: @Sendable () -> Date

    /// Sends an event, and returns how the call ended. The call ends after its time at the latest.
    func call(_ event: WebhookEvent) async -> WebhookResult {
        let signers: WebhookSecrets
        do {
            signers = try secrets[event.name]
        } catch {
            return .failed("\(WebhookSecretFiles.fileName(of: event.name)) \(error.problem)")
        }
        guard let url = WebhookURL(event.url) else { return .failed("the address isn't https") }
        let deadline = NIODeadline.now() + TimeAmount(configuration.callTimeout)
        do {
            let client = try await clients.client(of: event.name, at: url)
            let answer = try await send(event, signers, url, by: client, until: deadline)
            return WebhookResult(
                status: answer.status,
                retryAfter: answer.retryAfter.flatMap { RetryAfter.delay($0, now: now()) }.map {
                    min($0, configuration.longestPause)
                },
                text: answer.text)
        } catch where clients.isShutDown {
            // Ours: the worker stops.
            return .released
        } catch let refusal as WebhookClients.Refusal {
            return .failed(refusal.text)
        } catch let enough as WebhookAnswerReader.Enough {
            return WebhookResult(status: enough.answer.status, retryAfter: nil, text: enough.answer.text)
        } catch {
            return result(of: error, event)
        }
    }

    private func send(
        _ event: WebhookEvent, _ signers: WebhookSecrets, _ url: WebhookURL, by client: HTTPClient, until deadline: NIODeadline
    ) async throws -> WebhookAnswerReader.Answer {
        let timestamp = Int64(now().timeIntervalSince1970)
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "User-Agent": "counterfoil", "webhook-id": event.id,
            "webhook-timestamp": String(timestamp),
            "webhook-signature": signers.signature(id: event.id, timestamp: timestamp, body: event.body),
        ]
        let request = try HTTPClient.Request(url: url.text, method: .POST, headers: headers, body: .string(event.body))
        let exchange = client.execute(request: request, delegate: WebhookAnswerReader(), deadline: deadline)
        return try await withTaskCancellationHandler {
            try await exchange.get()
        } onCancel: {
            exchange.cancel()
        }
    }

    private func result(of error: any Error, _ event: WebhookEvent) -> WebhookResult {
        switch error {
        case is CancellationError: return .released
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded: return .failed("no whole answer within \(configuration.callTimeout.components.seconds) s")
            case .connectTimeout, .getConnectionFromPoolTimeout:
                clients.connectFailed(to: event.name)
                return .failed("no connection within \(configuration.connectTimeout.components.seconds) s")
            case .tlsHandshakeTimeout: return .failed("the TLS handshake took too long")
            case .cancelled, .alreadyShutdown: return .released
            default: return .failed("the connection broke")
            }
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return .failed("TLS failed: the certificate isn't trusted, or is for another name")
        case is NIOConnectionError, is IOError:
            clients.connectFailed(to: event.name)
            return .failed("no connection: \(Self.phrase(of: error))")
        default: return .failed("the connection broke")
        }
    }

    private static func phrase(of error: any Error) -> String {
        guard let error = error as? IOError else { return "refused or unreachable" }
        return String(cString: strerror(error.errnoCode))
    }
}
