// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How long a list may get.
struct LimitOption: ParsableArguments {
    @Option(help: "The most to list, 1 to 100000.")
    var limit: Int32 = 50

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("The limit must be from 1 to 100000.")
        }
    }
}
