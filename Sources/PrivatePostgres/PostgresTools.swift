// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The folder with the server's programs.
struct PostgresTools: Sendable {
    /// The variable that names the folder where it is not found by itself.
    static let variable = "COUNTERFOIL_POSTGRES_BIN"

    let folder: String

    var initdb: String { folder + "/initdb" }
    var pgCtl: String { folder + "/pg_ctl" }

    /// Takes what ``variable`` names, or the newest of `/usr/lib/postgresql/*/bin` (Debian's place), or what `PATH` has.
    static func find() throws(PrivatePostgresError) -> PostgresTools {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment[variable] {
            guard isComplete(folder) else {
                throw PrivatePostgresError("\(variable) names \(folder), where initdb or pg_ctl is missing")
            }
            return PostgresTools(folder: folder)
        }
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard let folder = (installedVersions() + path).first(where: isComplete) else {
            throw PrivatePostgresError("no PostgreSQL server was found; install one or set \(variable)")
        }
        return PostgresTools(folder: folder)
    }

    /// The folders of Debian's packages, newest version first.
    private static func installedVersions() -> [String] {
        let root = "/usr/lib/postgresql"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy { FileManager.default.isExecutableFile(atPath: folder + "/" + $0) }
    }
}
