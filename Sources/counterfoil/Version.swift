// SPDX-License-Identifier: Apache-2.0

/// The version of this program, as its package gives it.
enum Version {
    static let current = "1.0.0"
}
