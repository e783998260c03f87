// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Reads the `Retry-After` header, of which Apple's services and proxies before them know four forms.
package enum RetryAfter {
    /// The longest wait. A header that asks for more gets this.
    static let longest: Duration = .seconds(3600)

    /// How long to wait from `now`; nil when the header can't be read.
    ///
    /// | Value | Read as |
    /// |---|---|
    /// | above 10^12 | milliseconds since 1970 (Apple's own form) |
    /// | 10^9 to 10^12 | seconds since 1970 |
    /// | smaller | seconds from now (RFC 9110) |
    /// | `Sun, 06 Nov 1994 08:49:37 GMT` | that moment (RFC 9110) |
    ///
    /// Moments that have passed mean no wait.
    package static func delay(_ header: String, now: Date) -> Duration? {
        let text = Array(header.utf8)[...].trimmingWhitespace()
        guard let seconds = number(text, now: now) ?? moment(text)?.timeIntervalSince(now) else { return nil }
        return min(max(.zero, .milliseconds(Int64((min(seconds, 1e9) * 1000).rounded()))), longest)
    }

    private static func number(_ text: ArraySlice<UInt8>, now: Date) -> TimeInterval? {
        guard !text.isEmpty, text.count <= 18, text.allSatisfy(\.isDigit),
            let value = Int64(String(decoding: text, as: UTF8.self))
        else { return nil }
        switch value {
        case 1_000_000_000_001...: return Double(value) / 1000 - now.timeIntervalSince1970
        case 1_000_000_000...: return Double(value) - now.timeIntervalSince1970
        default: return Double(value)
        }
    }

    /// RFC 9110's preferred date format; its two obsolete ones are not sent by anybody since decades.
    private static func moment(_ text: ArraySlice<UInt8>) -> Date? {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT", let day = Int(words[1]),
            let month = months.firstIndex(of: String(words[2])), let year = Int(words[3])
        else { return nil }
        let time = words[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year), (0...23).contains(time[0]),
            (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        let seconds = time[0] * 3600 + time[1] * 60 + time[2]
        let days = AppleTime.daysSince1970(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + seconds))
    }
}
