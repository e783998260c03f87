// SPDX-License-Identifier: Apache-2.0

/// A condition that a test waits for did not come true.
package struct WaitingTooLong: Error, CustomStringConvertible {
    let condition: String

    package var description: String { "this did not come true in time: \(condition)" }
}
