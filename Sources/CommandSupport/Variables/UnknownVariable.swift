// SPDX-License-Identifier: Apache-2.0

/// A variable that has our prefix and that this program does not read.
package struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The known name that is most like it; nil when none is.
    package let nearest: String?

    init(_ name: String, among known: [String]) {
        self.name = name
        nearest = Self.nearest(to: name, among: known)
    }

    package var description: String {
        "\(name) is not a variable of this program" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// The name with the smallest edit distance; nil when that is above a third of the name without its prefix, or above 4. Of
    /// several that are equally near the first is taken.
    static func nearest(to name: String, among known: [String]) -> String? {
        let length = name.hasPrefix(Variable.prefix) ? name.count - Variable.prefix.count : name.count
        let limit = min(4, max(1, length / 3))
        return known.map { (name: $0, distance: distance(name, $0)) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.name
    }

    /// Insertions, removals, replacements and exchanges of neighbours that turn one text into the other (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var line = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var least = min(last[column + 1] + 1, line[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                line.append(least)
            }
            (beforeLast, last) = (last, line)
        }
        return last[right.count]
    }
}
