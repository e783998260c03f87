// SPDX-License-Identifier: Apache-2.0

/// The version of both programs, as their packages have it.
package enum Version {
    package static let current = "0.1.0"
}
