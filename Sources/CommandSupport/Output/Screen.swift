// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

/// Where a command writes for people: how wide it is, and whether it is a terminal, which shows ages and colours.
///
/// A pipe or a file gets the times themselves and no colour, whatever the environment says.
package struct Screen: Sendable {
    /// No list is wider, whatever the terminal's width.
    package static let widest = 100

    /// The columns of a line.
    package let width: Int

    /// The present, to which ages are relative; nil: times are written as they are.
    package let now: Date?

    package let hasColour: Bool

    package init(width: Int = Screen.widest, now: Date? = nil, hasColour: Bool = false) {
        self.width = min(max(width, 40), Self.widest)
        self.now = now
        self.hasColour = hasColour
    }

    /// Standard output.
    package static var standardOutput: Screen {
        guard isatty(STDOUT_FILENO) == 1 else { return Screen() }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        // https://no-color.org: set, and not to nothing.
        let refuses = variable("NO_COLOR").map { !$0.isEmpty } ?? false
        return Screen(
            width: isKnown ? Int(size.ws_col) : 80, now: Date(), hasColour: !refuses && variable("TERM") != "dumb")
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// A value in one line: a time as its age on a terminal, else to the second.
    package func text(_ value: OutputValue) -> String {
        guard case .time(let text) = value else { return value.plainText }
        if let now, let age = AgeText(text, now: now)?.text { return age }
        return Self.toTheSecond(text)
    }

    private static func toTheSecond(_ text: String) -> String {
        guard text.hasSuffix("Z"), let dot = text.lastIndex(of: ".") else { return OutputValue.text(text).plainText }
        return text[..<dot] + "Z"
    }

    /// The cell of a column in the colour of what it says, if it says something of a state.
    package func coloured(_ cell: String, column: String) -> String {
        guard hasColour, ["state", "level", "client_action", "outcome", "gate", "credentials"].contains(column) else { return cell }
        let code: Int? =
            switch cell.trimmingSpaces {
            case "fulfilled", "granted", "ok", "accepted", "recorded", "finish": 32
            case "review", "unclaimed", "parked", "closed", "warning", "order_again", "contact_support", "refused": 33
            case "rejected", "refunded", "taken_back", "discarded", "critical", "odd", "at_fault": 31
            case "cancelled", "renewal", "restored", "denied": 2
            default: nil
            }
        return code.map { "\u{1B}[\($0)m\(cell)\u{1B}[0m" } ?? cell
    }
}

extension String {
    fileprivate var trimmingSpaces: Substring {
        let start = self.drop { $0 == " " }
        return start[..<(start.lastIndex { $0 != " " }.map(start.index(after:)) ?? start.startIndex)]
    }
}

/// The time between now and a moment, as people say it: `5 s ago`, `2 h ago`, `in 3 min`. Moments more than 60 days away are dates.
package struct AgeText {
    package let text: String

    /// - Parameter time: a moment in ISO 8601, in UTC; nil for anything else, as an infinity.
    package init?(_ time: String, now: Date) {
        guard let whole = time.split(separator: ".").first.map({ $0.hasSuffix("Z") ? String($0) : $0 + "Z" }),
            let moment = try? Date(whole, strategy: Date.ISO8601FormatStyle())
        else { return nil }
        let seconds = now.timeIntervalSince(moment)
        let amount = abs(seconds)
        let words: String
        switch amount {
        case ..<1:
            text = "now"
            return
        case ..<90: words = "\(Int(amount)) s"
        case ..<5400: words = "\(Int(amount / 60)) min"
        case ..<172_800: words = "\(Int(amount / 3600)) h"
        case ..<5_184_000: words = "\(Int(amount / 86400)) d"
        default:
            text = String(whole.prefix(10))
            return
        }
        text = seconds > 0 ? words + " ago" : "in " + words
    }
}
