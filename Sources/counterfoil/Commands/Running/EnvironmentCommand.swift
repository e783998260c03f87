// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

struct EnvironmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "Lists the environment variables that configure the program.",
        discussion: Variable.plainTable
    )

    @Flag(help: "Write tables in Markdown.")
    var markdown = false

    @Flag(help: "Write a file for systemd's EnvironmentFile= with every variable commented out.")
    var file = false

    @OptionGroup var output: OutputOptions

    func run() {
        if output.json {
            let variables = Variable.all.map { variable in
                OutputValue.object([
                    .init(name: "name", value: .text(variable.name)),
                    .init(name: "section", value: .text(variable.section.rawValue)),
                    .init(name: "default", value: variable.defaultText.map(OutputValue.text) ?? .null),
                    .init(name: "must_be", value: .text(variable.allowed)),
                    .init(name: "meaning", value: .text(variable.meaning)),
                ])
            }
            print(OutputValue.array(variables).json)
        } else {
            print(text)
        }
    }

    private var text: String {
        if file { return Variable.environmentFile }
        return markdown ? Variable.markdownTable : Variable.plainTable
    }
}
