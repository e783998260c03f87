// SPDX-License-Identifier: Apache-2.0

extension Fault {
    /// What is sent in place of the honest answer, and how.
    ///
    /// `honest` is asked for only by the faults that damage the honest answer; the others come before the endpoint has
    /// looked at the request, and leave no trace in what it counts.
    func applied(to honest: () -> Answer) -> (answer: Answer, delivery: Delivery) {
        switch self {
        case .http(let code, let retryAfter):
            var answer = Answer(httpStatus: code, text: "simulated HTTP \(code)\n")
            answer.retryAfter = retryAfter
            return (answer, .whole)
        case .empty(let code): return (Answer(httpStatus: code, text: ""), .whole)
        case .error(let code, let retryAfter):
            return (ServerAPIRefusal(code: code).answer(retryAfter: retryAfter), .whole)
        case .redirect(let location):
            var answer = Answer(httpStatus: 302, text: "")
            answer.location = location
            return (answer, .whole)
        case .stall: return (Answer(httpStatus: 200, text: ""), .withheld)
        case .disconnect: return (Answer(httpStatus: 200, text: ""), .disconnected)
        case .reset: return (honest(), .cut)
        case .slowHeaders(let duration): return (honest(), .delayed(duration))
        case .slowBody(let duration): return (honest(), .dribbled(duration))
        case .html: return (Answer(httpStatus: 200, text: Self.page, contentType: "text/html;charset=UTF-8"), .whole)
        case .truncatedJSON:
            var answer = honest()
            answer.body = Array(answer.body.prefix(answer.body.count / 2))
            answer.status = nil
            return (answer, .whole)
        case .invalidJSON:
            return (Answer(httpStatus: 200, text: "status = 0;", contentType: "application/json"), .whole)
        case .statusMissing:
            return (Answer(status: nil) { $0.field("environment", "Production") }, .whole)
        case .statusNotInteger:
            return (Answer(status: nil) { $0.field("status", "zero") }, .whole)
        case .status(let code, let retryable):
            return (Self.answer(status: code, retryable: retryable), .whole)
        case .oversizedBody(let bytes):
            var answer = Answer(status: 0) { $0.field("status", 0) }
            answer.padding = bytes
            return (answer, .whole)
        }
    }

    private static func answer(status: Int, retryable: RetryableField?) -> Answer {
        Answer(status: status) { json in
            json.field("status", Int64(status))
            switch (retryable?.name, retryable?.value) {
            case (.dashed, .number(let number)): json.field("is-retryable", Int64(number))
            case (.dashed, .boolean(let boolean)): json.field("is-retryable", boolean)
            case (.underscored, .number(let number)): json.field("is_retryable", Int64(number))
            case (.underscored, .boolean(let boolean)): json.field("is_retryable", boolean)
            default: break
            }
        }
    }

    private static let page = """
        <!DOCTYPE html>
        <html><head><title>Simulated page</title></head><body><p>We'll be back soon.</p></body></html>

        """
}
