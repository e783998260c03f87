// SPDX-License-Identifier: Apache-2.0

/// The known name that somebody who mistyped one may have meant.
package enum NearestName {
    /// The name with the smallest edit distance; nil when that is above a third of the name, or above 4. Of several that are as
    /// near the first is taken.
    ///
    /// - Parameter prefix: of all names; it doesn't count.
    package static func find(to name: String, among known: [String], ignoring prefix: String = "") -> String? {
        let length = name.hasPrefix(prefix) ? name.count - prefix.count : name.count
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
