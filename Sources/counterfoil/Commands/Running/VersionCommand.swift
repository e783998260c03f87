// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Prints the program's version.")

    func run() {
        print("counterfoil \(Version.current)")
    }
}
