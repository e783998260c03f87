// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A command that doesn't exist. The argument parser calls it an unexpected argument, and names no other.
package struct UnknownCommand: Equatable, CustomStringConvertible {
    /// The command that has no such subcommand: `counterfoil`, or `counterfoil orders`.
    let parent: String
    let name: String
    /// The subcommand that is most like it; nil when none is.
    let nearest: String?

    package var description: String {
        let printed = OutputValue.text(name).plainText
        return "\(parent) has no command \(printed)"
            + (nearest.map { "; did you mean \(parent) \($0)?" } ?? ": see \(parent) --help")
    }

    /// - Parameter arguments: those of the process, without its own name.
    /// - Returns: nil where the arguments name a command, or none.
    package static func find(in root: any ParsableCommand.Type, _ arguments: [String]) -> UnknownCommand? {
        var command = root
        var path = name(of: root)
        // `help` takes the names of a command as its arguments.
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
            if argument == "help" { return nil }
            if let next = subcommands.first(where: { name(of: $0) == argument }) {
                command = next
                path += " " + argument
                continue
            }
            let known = subcommands.filter { $0.configuration.shouldDisplay }.map(name)
            let nearest = NearestName.find(to: argument, among: known)
            return UnknownCommand(parent: path, name: argument, nearest: nearest)
        }
        return nil
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
