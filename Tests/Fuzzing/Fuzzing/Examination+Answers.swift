// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Verification

extension Examination {
    private static let statuses = [200, 204, 302, 400, 401, 403, 404, 408, 429, 500]

    /// The same bytes as answers of both services, and as the payload of a signed transaction.
    func jsonReadings(of bytes: [UInt8]) -> [() -> Violation?] {
        let body = Data(bytes)
        let answers: [() -> Violation?] = [AppStoreEnvironment.production, .sandbox].map { host in
            { receiptAnswerViolation(body, host: host) }
        }
        let replies: [() -> Violation?] = Self.statuses.map { status in
            { replyViolation(HTTPResponse(status: status, body: body)) }
        }
        return answers + replies + [{ payloadViolation(bytes) }]
    }

    /// A payload that nobody signed is shown to people without harm.
    private func payloadViolation(_ payload: [UInt8]) -> Violation? {
        let jws = [Array(#"{"alg":"ES256","x5c":[]}"#.utf8), payload, [UInt8](repeating: 1, count: 64)]
            .map { Base64.encode($0, as: .url) }.joined(separator: ".")
        return CallerExecutor.run { await inspectionViolation(jws) }
    }

    /// Evidence comes with HTTP 200 only, is about the host's environment, and names each transaction once.
    private func receiptAnswerViolation(_ body: Data, host: AppStoreEnvironment) -> Violation? {
        let answer = VerifyReceiptAnswer(host: host, proof: .appReceipt("MIIT"), bundleID: BundleID(rawValue: "com.example.app"))
        guard (try? answer.evidence(in: HTTPResponse(status: 500, body: body))) == nil else {
            return .believed("an answer of HTTP 500")
        }
        switch try? answer.evidence(in: HTTPResponse(status: 200, body: body)) {
        case .transactions(let transactions)?:
            let all = transactions.all
            guard Set(all.map(\.id)).count == all.count, all.allSatisfy({ $0.environment == host }) else {
                return .impossible("a transaction twice, or of another environment")
            }
            return all.allSatisfy { $0.quantity >= 1 && !$0.id.rawValue.isEmpty }
                ? nil : .impossible("a transaction without an id, or of nothing")
        case .elsewhere(let environment)? where environment == host:
            return .impossible("sent to where it came from")
        case .elsewhere?, .refused?, nil:
            return nil
        }
    }

    /// The body of an answer never outweighs its status.
    private func replyViolation(_ answer: HTTPResponse) -> Violation? {
        switch try? ServerAPIAnswer(answer, to: "Get Transaction Info", isPage: answer.status == 400) {
        case .answered?: answer.status < 300 ? nil : .believed("an answer of HTTP \(answer.status)")
        case .unauthorized?: answer.status == 401 ? nil : .impossible("HTTP \(answer.status) is no 401")
        case .notFound?, .refused?:
            [400, 403, 404].contains(answer.status) ? nil : .impossible("a refusal with HTTP \(answer.status)")
        case nil: nil
        }
    }
}
