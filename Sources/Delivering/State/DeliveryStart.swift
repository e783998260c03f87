// SPDX-License-Identifier: Apache-2.0

/// Where a reader without a state begins.
package enum DeliveryStart: Sendable, Equatable {
    case now
    case all
    /// A time, as PostgreSQL reads it.
    case time(String)

    package init(_ text: String) {
        self =
            switch text {
            case "now": .now
            case "all": .all
            default: .time(text)
            }
    }

    /// As the feed is asked.
    package var time: String {
        switch self {
        case .now: "infinity"
        case .all: "-infinity"
        case .time(let text): text
        }
    }
}
