// SPDX-License-Identifier: Apache-2.0

extension Variable {
    /// All variables as plain text, for the help.
    package static var plainTable: String {
        Section.allCases.map { section in
            let entries = all.filter { $0.section == section }.map { variable in
                "  \(variable.name)\n      \(variable.meaning)\n      Must be \(variable.allowed)."
                    + (variable.defaultText.map { " Default: \($0)." } ?? "")
            }
            return section.rawValue + ":\n" + entries.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// All variables as a file of systemd's `EnvironmentFile=`, each commented out with its default.
    package static var environmentFile: String {
        let head = """
            # Configuration of counterfoil: NAME=value, one a line. A line that is commented out shows the default.
            # Nothing secret belongs here: passwords and keys are files in the credentials folder.
            """
        let sections = Section.allCases.map { section in
            let entries = all.filter { $0.section == section }.map { variable in
                let meaning = variable.meaning.split(separator: "\n").joined(separator: " ")
                return "# \(meaning)\n# Must be \(variable.allowed).\n#\(variable.name)=\(variable.writtenDefault)"
            }
            return "# \(section.rawValue)\n\n" + entries.joined(separator: "\n\n")
        }
        return ([head] + sections).joined(separator: "\n\n")
    }

    /// The default as it could be written; nothing where it is given in words only.
    private var writtenDefault: String {
        guard let text = defaultText, !text.contains(" "), !text.hasPrefix("$") else { return "" }
        return text
    }

    /// All variables as tables in Markdown, for the documentation.
    package static var markdownTable: String {
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
