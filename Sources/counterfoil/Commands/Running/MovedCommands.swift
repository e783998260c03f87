// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// `counterfoil dev`, which the program counterfoil-dev has.
struct MovedDevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "dev", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var rest: [String] = []

    func run() throws {
        throw CommandFailure(.usage, "dev is a command of another program: run counterfoil-dev dev")
    }
}

/// `counterfoil simulator`, which the program counterfoil-dev has.
struct MovedSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "simulator", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var rest: [String] = []

    func run() throws {
        throw CommandFailure(.usage, "simulator is a command of another program: run counterfoil-dev simulator")
    }
}
