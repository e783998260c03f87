// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Verification

/// The App Store Server API's answer to one call in one environment.
///
/// An outage, a fault of ours, or a response that Apple doesn't document is no answer: it is thrown as a failure.
package enum ServerAPIAnswer<Value: Sendable>: Sendable {
    case answered(Value)

    /// There is no such thing in this environment, under this app, or not yet.
    case notFound(ServerAPIErrorCode)

    /// Our token isn't accepted. In production that is also Apple's answer for apps that were never released, so it means
    /// nothing by itself; ``EnvironmentSearch`` decides.
    case unauthorized

    /// This input is refused for good.
    case refused(ServerAPIErrorCode)
}

/// How an HTTP response is read. Pure: no clock, no input or output.
///
/// | HTTP | Body | Means |
/// |---|---|---|
/// | 2xx | anything | answered |
/// | 401 | any text | unauthorized |
/// | 429 | anything | rate limited, for as long as is asked for |
/// | 408, 3xx, 5xx | anything | transient, after the wait that is asked for |
/// | other | a known code | by the table of codes, ``ServerAPIErrorCode`` |
/// | 403 | without a known code | configuration: the key isn't entitled |
/// | 404 | without any code | transient: the answer is of what stands before Apple's service, which names a code with each 404 |
/// | other | else | uncertain, in the end for a person |
///
/// Sources: developer.apple.com/documentation/appstoreserverapi, the pages of the endpoints and `error-codes`.
extension ServerAPIAnswer<HTTPResponse> {
    /// The answer, its body unread yet. A position in a history that Apple doesn't take any more is a refusal.
    ///
    /// - Parameters: as of ``ServerAPIRequest``.
    /// - Throws: a failure when the response is no answer.
    package init(_ response: HTTPResponse, to endpoint: String, isPage: Bool) throws(VerificationFailure) {
        switch response.status {
        case 200..<300: self = .answered(response)
        case 401: self = .unauthorized
        default:
            let code = Self.code(in: response)
            let message = "\(endpoint) answered HTTP \(response.status)" + (code.map { ", code \($0)" } ?? "")
            try self.init(failed: response, code, message, isPage: isPage)
        }
    }

    private init(
        failed response: HTTPResponse, _ code: ServerAPIErrorCode?, _ message: String, isPage: Bool
    ) throws(VerificationFailure) {
        switch response.status {
        case 429: throw .limited(message, retryAfter: response.retryAfter)
        case 408, 300..<400, 500..<600: throw .unavailable(message, retryAfter: response.retryAfter)
        default: break
        }
        guard let code, let meaning = code.meaning else { throw Self.failure(response, message) }
        switch meaning {
        case .notFound: self = .notFound(code)
        case .refusal: self = .refused(code)
        case .restart where isPage: self = .refused(code)
        case .retry: throw .unavailable(message, retryAfter: response.retryAfter)
        case .rateLimit: throw .limited(message, retryAfter: response.retryAfter)
        case .configuration: throw .misconfigured(message)
        case .restart, .unexpected: throw .unknownAnswer(message)
        }
    }

    /// The failure that a response without a known code stands for.
    private static func failure(_ response: HTTPResponse, _ message: String) -> VerificationFailure {
        switch response.status {
        case 403: .misconfigured(message + ": the key is not entitled to this")
        case 404 where code(in: response) == nil: .unavailable(message + " without a code", retryAfter: response.retryAfter)
        default: .unknownAnswer(message)
        }
    }

    private static func code(in response: HTTPResponse) -> ServerAPIErrorCode? {
        let body = try? JSONDecoder().decode(ServerAPIErrorBody.self, from: response.body)
        return (body?.errorCode.value).map(ServerAPIErrorCode.init(rawValue:))
    }
}

extension ServerAPIAnswer {
    /// The same answer about something that is made from its value.
    func map<Other>(
        _ transform: (Value) async throws(VerificationFailure) -> Other
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Other> {
        switch self {
        case .answered(let value): .answered(try await transform(value))
        case .notFound(let code): .notFound(code)
        case .unauthorized: .unauthorized
        case .refused(let code): .refused(code)
        }
    }
}

private struct ServerAPIErrorBody: Decodable {
    let errorCode: LenientField<Int>

    private enum CodingKeys: String, CodingKey {
        case errorCode
    }

    init(from decoder: any Decoder) throws {
        errorCode = LenientField(try decoder.container(keyedBy: CodingKeys.self), .errorCode)
    }
}
