// SPDX-License-Identifier: Apache-2.0

/// Where lines of the log go.
package protocol LogSink: Sendable {
    /// Whether whoever reads the lines notes the time and wants a priority: the journal does.
    var keepsTime: Bool { get }

    /// Takes one line, its end included.
    func write(_ line: String)
}
