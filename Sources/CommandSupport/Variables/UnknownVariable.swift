// SPDX-License-Identifier: Apache-2.0

/// A variable that has our prefix and that this program does not read.
package struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The known name that is most like it; nil when none is.
    package let nearest: String?

    init(_ name: String, among known: [String]) {
        self.name = name
        nearest = NearestName.find(to: name, among: known, ignoring: Variable.prefix)
    }

    package var description: String {
        "\(name) is not a variable of this program" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }
}
