// SPDX-License-Identifier: Apache-2.0

/// Which process a worker is.
package struct WorkerIdentity: Sendable {
    package let name: String
    package let host: String
    package let processID: Int32
    package let version: String

    package init(name: String, host: String, processID: Int32, version: String) {
        self.name = name
        self.host = host
        self.processID = processID
        self.version = version
    }
}

/// A worker's row.
package struct WorkerID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
