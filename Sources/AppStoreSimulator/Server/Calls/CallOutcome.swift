// SPDX-License-Identifier: Apache-2.0

/// How a call ended, as far as the simulator's side knows.
package enum CallOutcome: Hashable, Sendable {
    /// Answered with this HTTP status and, where the body has one, this status in it.
    case answered(http: Int, status: Int?)
    /// Never answered in full: the connection was cut or left waiting, or the client went.
    case unanswered

    init(of answer: Answer, _ delivery: Delivery) {
        switch delivery {
        case .whole, .delayed, .dribbled: self = .answered(http: answer.httpStatus, status: answer.status)
        case .cut, .disconnected, .withheld: self = .unanswered
        }
    }

    /// The words that stand for it in the statistics: `200 status 21007`, `503`, `unanswered`.
    package var label: String {
        switch self {
        case .answered(let http, let status?): "\(http) status \(status)"
        case .answered(let http, nil): "\(http)"
        case .unanswered: "unanswered"
        }
    }
}
