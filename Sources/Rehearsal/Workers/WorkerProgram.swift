// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The program counterfoil, of which workers are processes.
package enum WorkerProgram {
    /// Its path: it lies beside this program, in a build folder and where packages install both.
    package static func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path = folder + "/counterfoil"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw RehearsalError("the program counterfoil does not lie beside this one; in a source tree, swift build builds both")
        }
        return path
    }
}
