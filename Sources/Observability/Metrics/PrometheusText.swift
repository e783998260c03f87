// SPDX-License-Identifier: Apache-2.0

/// The words of Prometheus's text format 0.0.4.
///
/// Source: prometheus.io/docs/instrumenting/exposition_formats.
package enum PrometheusText {
    /// What the format is called in HTTP.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func header(_ family: PrometheusFamily) -> String {
        "# HELP \(family.name) \(escaped(family.help, quotes: false))\n# TYPE \(family.name) \(family.kind.name)\n"
    }

    /// Backslashes and line breaks, and quotes where the text stands in them.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A number as Go reads it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value), abs(whole) < 1 << 53 { return String(whole) }
        return "\(value)"
    }
}
