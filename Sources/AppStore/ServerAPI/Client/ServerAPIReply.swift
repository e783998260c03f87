// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Verification

/// What an HTTP answer of the App Store Server API means. Pure: no clock, no input or output.
///
/// | HTTP | Body | Means |
/// |---|---|---|
/// | 2xx | anything | answered |
/// | 401 | text, whatever it says | unauthorized |
/// | 429 | anything | rate limited, for as long as is asked for |
/// | 408, 3xx, 5xx | anything | transient, after the wait that is asked for |
/// | other | a known code | what the table of codes says |
/// | 403 | without a known code | configuration: the key isn't entitled |
/// | 404 | none at all | configuration: there is no such path, so the address is wrong |
/// | other | else | uncertain, in the end for a person |
///
/// Sources: developer.apple.com/documentation/appstoreserverapi, the pages of the endpoints and `error-codes`.
package struct ServerAPIReply {
    private struct ErrorBody: Decodable {
        let errorCode: LenientField<Int>

        private enum CodingKeys: String, CodingKey {
            case errorCode
        }

        init(from decoder: any Decoder) throws {
            errorCode = LenientField(try decoder.container(keyedBy: CodingKeys.self), .errorCode)
        }
    }

    private let name: String
    private let isPage: Bool

    init(to request: ServerAPIRequest) {
        self.init(to: request.name, isPage: request.isPage)
    }

    /// - Parameters: as of ``ServerAPIRequest``.
    package init(to name: String, isPage: Bool) {
        self.name = name
        self.isPage = isPage
    }

    /// The answer, its body unread yet. A position in a history that Apple doesn't take any more is a refusal.
    ///
    /// - Throws: a failure when it is no answer at all.
    package func read(_ answer: HTTPResponse) throws(VerificationFailure) -> ServerAPIAnswer<HTTPResponse> {
        switch answer.status {
        case 200..<300: return .answered(answer)
        case 401: return .unauthorized
        case 429: throw .limited(message(answer, code(in: answer)), retryAfter: answer.retryAfter)
        case 408, 300..<400, 500..<600:
            throw .unavailable(message(answer, code(in: answer)), retryAfter: answer.retryAfter)
        default: break
        }
        let code = code(in: answer)
        let message = message(answer, code)
        guard let code, let meaning = code.meaning else { throw failure(answer, message) }
        switch meaning {
        case .notFound: return .notFound(code)
        case .refusal: return .refused(code)
        case .restart where isPage: return .refused(code)
        case .retry: throw .unavailable(message, retryAfter: answer.retryAfter)
        case .rateLimit: throw .limited(message, retryAfter: answer.retryAfter)
        case .configuration: throw .misconfigured(message)
        case .restart, .unexpected: throw .unknownAnswer(message)
        }
    }

    /// What an answer means whose body tells nothing that we know.
    private func failure(_ answer: HTTPResponse, _ message: String) -> VerificationFailure {
        switch answer.status {
        case 403: .misconfigured(message + ": the key is not entitled to this")
        case 404 where answer.body.isEmpty: .misconfigured(message + " without a body: there is no such path")
        default: .unknownAnswer(message)
        }
    }

    private func code(in answer: HTTPResponse) -> ServerAPIErrorCode? {
        let body = try? JSONDecoder().decode(ErrorBody.self, from: answer.body)
        return (body?.errorCode.value).map(ServerAPIErrorCode.init(rawValue:))
    }

    private func message(_ answer: HTTPResponse, _ code: ServerAPIErrorCode?) -> String {
        "\(name) answered HTTP \(answer.status)" + (code.map { ", code \($0)" } ?? "")
    }
}
