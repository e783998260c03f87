// SPDX-License-Identifier: Apache-2.0

extension Variable {
    /// All variables as plain text, for the help.
    static var plainTable: String {
        Section.allCases.map { section in
            let entries = all.filter { $0.section == section }.map { variable in
                "  \(variable.name)\n      \(variable.meaning)\n      Must be \(variable.allowed)."
                    + (variable.defaultText.map { " Default: \($0)." } ?? "")
            }
            return section.rawValue + ":\n" + entries.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// All variables as tables in Markdown, for the documentation.
    static var markdownTable: String {
        Section.allCases.map { section in
            let rows = all.filter { $0.section == section }.map { variable in
                let standard = variable.defaultText.map { "`\($0)`" } ?? ""
                return "| `\(variable.name)` | \(standard) | \(variable.allowed) | \(variable.meaning) |"
            }
            return """
                ### \(section.rawValue)

                | Variable | Default | Must be | Meaning |
                |---|---|---|---|
                \(rows.joined(separator: "\n"))
                """
        }.joined(separator: "\n\n")
    }
}
