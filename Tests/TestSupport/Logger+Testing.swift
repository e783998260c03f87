// SPDX-License-Identifier: Apache-2.0

package import Logging

extension Logger {
    /// Says nothing, so that the output of tests is theirs.
    package static let test = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
