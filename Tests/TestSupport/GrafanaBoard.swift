// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The Grafana board that the project ships, as far as tests look at it.
package struct GrafanaBoard: Decodable {
    package struct Panel: Decodable {
        package let title: String
        package let type: String
        package let description: String?
        package let timeFrom: String?
        package let datasource: Source?
        package let targets: [Target]?
    }

    package struct Source: Decodable {
        package let type: String
        package let uid: String
    }

    package struct Target: Decodable {
        package let rawSql: String
        package let format: String

        /// The query as Grafana sends it: macros and variables filled in, over the last thirty days.
        ///
        /// - Parameters:
        ///   - bundle: the app that is looked at; `*`: all.
        ///   - order: whose story is told.
        package func sql(bundle: String, order: String) -> String {
            var sql = rawSql.replacing("${bundle:sqlstring}", with: "'\(bundle)'")
                .replacing("${order:sqlstring}", with: "'\(order)'")
            while let start = sql.firstRange(of: "$__timeFilter("), let end = sql[start.upperBound...].firstIndex(of: ")") {
                let column = sql[start.upperBound..<end]
                sql.replaceSubrange(start.lowerBound...end, with: "\(column) between now() - interval '30 days' and now()")
            }
            for (unit, step) in [("minute", "1m"), ("hour", "1h")] {
                sql = sql.replacing("$__timeGroup(\(unit),'\(step)',0)", with: "date_trunc('\(unit)', \(unit))")
            }
            return sql
        }
    }

    package struct Templating: Decodable {
        package let list: [Variable]
    }

    package struct Variable: Decodable {
        package let name: String
        package let type: String
        package let query: String
    }

    package let uid: String
    package let panels: [Panel]
    package let templating: Templating

    /// Where the board and its provisioning lie.
    package static let folder = Repository.root.appending(path: "deploy/grafana")

    package static func read() throws -> GrafanaBoard {
        try JSONDecoder().decode(
            GrafanaBoard.self, from: Data(contentsOf: folder.appending(path: "dashboards/counterfoil.json")))
    }
}
