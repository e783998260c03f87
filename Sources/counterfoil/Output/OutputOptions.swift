// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// How a command that shows something writes it to standard output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, an array or an object, with times in ISO 8601.")
    var json = false

    /// Writes a list; for people, `nothing` when it is empty.
    ///
    /// - Parameter first: the columns that people see first; the others follow. JSON has them as they are.
    func list(_ values: [OutputValue], first: [String] = [], nothing: String) {
        if json {
            print(OutputValue.array(values).json)
        } else {
            print(values.isEmpty ? nothing : TextTable(values.map { $0.putting(first) }, on: .standardOutput).text)
        }
    }

    /// Reports what was done: its numbers in JSON, or a sentence.
    func report(_ numbers: [(name: String, count: Int)], _ sentence: String) {
        let fields = numbers.map { OutputValue.Field(name: $0.name, value: .integer(Int64($0.count))) }
        print(json ? OutputValue.object(fields).json : sentence)
    }

    /// Writes one thing.
    func show(_ value: OutputValue) {
        print(json ? value.json : TextTable.details(value, on: .standardOutput))
    }

    /// Writes one thing with lists that belong to it, which in JSON are its last fields.
    func show(_ value: OutputValue, with lists: KeyValuePairs<String, [OutputValue]>) {
        if json {
            guard case .object(let fields) = value else { return print(value.json) }
            print(OutputValue.object(fields + lists.map { .init(name: $0.key, value: .array($0.value)) }).json)
        } else {
            let screen = Screen.standardOutput
            print(TextTable.details(value, on: screen))
            for (name, values) in lists where !values.isEmpty {
                print("\n\(name):\n\(TextTable(values, on: screen).text)")
            }
        }
    }
}

extension OutputValue {
    /// The same fields, those that are named first; for people.
    func putting(_ first: [String]) -> OutputValue {
        guard case .object(let fields) = self, !first.isEmpty else { return self }
        return .object(first.compactMap { name in fields.first { $0.name == name } } + fields.filter { !first.contains($0.name) })
    }
}
