// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Prints the program's version.")

    @Flag(help: "Print the packages that the program was built with, a name and a version a line.")
    var dependencies = false

    func run() throws {
        guard dependencies else {
            print("counterfoil \(Version.current)")
            return
        }
        guard let packages = Version.dependencies else {
            throw CommandFailure(
                .failure, "this program was built without a list of its packages; one of the Debian package has it")
        }
        print(packages.joined(separator: "\n"))
    }
}
