// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// How a command that shows something writes it to standard output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, an array or an object, with times in ISO 8601.")
    var json = false

    /// Writes a list; for people, `nothing` when it is empty.
    func list(_ values: [OutputValue], nothing: String) {
        if json {
            print(OutputValue.array(values).json)
        } else {
            print(values.isEmpty ? nothing : TextTable(values).text)
        }
    }

    /// Reports what was done: its numbers in JSON, or a sentence.
    func report(_ numbers: [(name: String, count: Int)], _ sentence: String) {
        let fields = numbers.map { OutputValue.Field(name: $0.name, value: .integer(Int64($0.count))) }
        print(json ? OutputValue.object(fields).json : sentence)
    }

    /// Writes one thing.
    func show(_ value: OutputValue) {
        print(json ? value.json : TextTable.details(value))
    }

    /// Writes one thing with lists that belong to it, which in JSON are its last fields.
    func show(_ value: OutputValue, with lists: KeyValuePairs<String, [OutputValue]>) {
        if json {
            guard case .object(let fields) = value else { return print(value.json) }
            print(OutputValue.object(fields + lists.map { .init(name: $0.key, value: .array($0.value)) }).json)
        } else {
            print(TextTable.details(value))
            for (name, values) in lists where !values.isEmpty {
                print("\n\(name):\n\(TextTable(values).text)")
            }
        }
    }
}
