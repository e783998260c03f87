// SPDX-License-Identifier: Apache-2.0

/// A worker's row.
package struct WorkerID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
