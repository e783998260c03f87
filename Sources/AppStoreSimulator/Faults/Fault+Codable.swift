// SPDX-License-Identifier: Apache-2.0

extension Fault: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, code, retryAfter, location, milliseconds, retryable, bytes
    }

    private enum Kind: String, Codable {
        case http, empty, error, redirect, stall, disconnect, reset, slowHeaders, slowBody, html, truncatedJSON,
            invalidJSON
        case statusMissing, statusNotInteger, status, oversizedBody
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .http:
            self = .http(
                code: try container.decode(Int.self, forKey: .code),
                retryAfter: try container.decodeIfPresent(String.self, forKey: .retryAfter)
            )
        case .empty: self = .empty(code: try container.decode(Int.self, forKey: .code))
        case .error:
            self = .error(
                code: try container.decode(Int.self, forKey: .code),
                retryAfter: try container.decodeIfPresent(String.self, forKey: .retryAfter)
            )
        case .redirect: self = .redirect(location: try container.decode(String.self, forKey: .location))
        case .stall: self = .stall
        case .disconnect: self = .disconnect
        case .reset: self = .reset
        case .slowHeaders: self = .slowHeaders(.milliseconds(try container.decode(Double.self, forKey: .milliseconds)))
        case .slowBody: self = .slowBody(.milliseconds(try container.decode(Double.self, forKey: .milliseconds)))
        case .html: self = .html
        case .truncatedJSON: self = .truncatedJSON
        case .invalidJSON: self = .invalidJSON
        case .statusMissing: self = .statusMissing
        case .statusNotInteger: self = .statusNotInteger
        case .status:
            self = .status(
                code: try container.decode(Int.self, forKey: .code),
                retryable: try container.decodeIfPresent(RetryableField.self, forKey: .retryable)
            )
        case .oversizedBody: self = .oversizedBody(bytes: try container.decode(Int.self, forKey: .bytes))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        switch self {
        case .http(let code, let retryAfter), .error(let code, let retryAfter):
            try container.encode(code, forKey: .code)
            try container.encodeIfPresent(retryAfter, forKey: .retryAfter)
        case .empty(let code):
            try container.encode(code, forKey: .code)
        case .redirect(let location):
            try container.encode(location, forKey: .location)
        case .slowHeaders(let duration), .slowBody(let duration):
            try container.encode(duration / .milliseconds(1), forKey: .milliseconds)
        case .status(let code, let retryable):
            try container.encode(code, forKey: .code)
            try container.encodeIfPresent(retryable, forKey: .retryable)
        case .oversizedBody(let bytes):
            try container.encode(bytes, forKey: .bytes)
        case .stall, .disconnect, .reset, .html, .truncatedJSON, .invalidJSON, .statusMissing, .statusNotInteger:
            break
        }
    }

    private var kind: Kind {
        switch self {
        case .http: .http
        case .empty: .empty
        case .error: .error
        case .redirect: .redirect
        case .stall: .stall
        case .disconnect: .disconnect
        case .reset: .reset
        case .slowHeaders: .slowHeaders
        case .slowBody: .slowBody
        case .html: .html
        case .truncatedJSON: .truncatedJSON
        case .invalidJSON: .invalidJSON
        case .statusMissing: .statusMissing
        case .statusNotInteger: .statusNotInteger
        case .status: .status
        case .oversizedBody: .oversizedBody
        }
    }
}
