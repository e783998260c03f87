// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A call of the operating system that failed: which one, and `errno`.
package struct SystemCallError: Error, Sendable, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// The error of `call`, taken from `errno`: to be made right after the call.
    package init(call: String) {
        self.init(call: call, code: errno)
    }

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String {
        "\(call): \(String(cString: strerror(code)))"
    }
}
