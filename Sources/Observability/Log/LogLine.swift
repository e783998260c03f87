// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Logging

/// One entry of the log as text: prefix, level, message, and facts as `key=value` in the order of their keys.
///
/// Values are quoted where they would be ambiguous; line breaks, other control characters and what turns the direction of writing
/// are escaped everywhere.
package struct LogLine: Sendable {
    package enum Prefix: Sendable, Equatable {
        case none
        /// The priority of syslog in angle brackets (systemd's sd-daemon(3)).
        case priority
        /// RFC 3339 in UTC, to the millisecond.
        case time(Date)
    }

    package var prefix = Prefix.none
    package let level: Logger.Level
    package let message: String
    package let metadata: Logger.Metadata

    package init(level: Logger.Level, message: String, metadata: Logger.Metadata = [:]) {
        self.level = level
        self.message = message
        self.metadata = metadata
    }

    package var text: String {
        var text =
            switch prefix {
            case .none: ""
            case .priority: "<\(level.priority)>"
            case .time(let date): Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date) + " "
            }
        text += level.rawValue + " " + Self.escaped(message)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            text += " " + Self.escaped(key) + "=" + Self.quoted(value.description)
        }
        return text
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.unicodeScalars.allSatisfy { scalar in
            scalar != "\"" && scalar != "=" && scalar != "\\" && !scalar.properties.isWhitespace && !isControl(scalar)
        }
        return isPlain ? value : "\"" + escaped(value, quotes: true) + "\""
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\"" where quotes: result += "\\\""
            case "\\" where quotes: result += "\\\\"
            case _ where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Also the separators of lines and paragraphs, which some viewers break lines at, and marks without a shape, some of which
    /// change the order in which a terminal shows what follows.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Logger.Level {
    /// The priority of syslog, 7 (debug) to 2 (critical).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
