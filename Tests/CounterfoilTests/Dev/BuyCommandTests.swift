// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import PrivatePostgres
import Rehearsal
import TestSupport
import Testing

@testable import counterfoil_dev

/// The way in: `up`, the URLs that it prints, and a purchase on it.
@Suite struct BuyCommandTests {
    /// A folder for `TMPDIR` in which a server can live: everybody may make folders in it, and its path is short.
    private static func withPlace(_ body: @Sendable (String) async throws -> Void) async throws {
        let path = "/tmp/place-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o1777])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private static func folders(in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place).map { String($0.dropLast(6)) }.sorted()
    }

    private static func buy(_ arguments: String..., in place: String) async throws -> Program.Ended {
        try await Program.run(["buy"] + arguments, of: .counterfoilDev, environment: ["TMPDIR": place])
    }

    @Test(.timeLimit(.minutes(5)))
    func aPurchaseIsShownStatementByStatement() async throws {
        try await Self.withPlace { place in
            let up = try await Program.whileRunning(["up"], of: .counterfoilDev, environment: ["TMPDIR": place + "/"]) { up in
                try await up.log.line(containing: "keeps running")
                #expect(try Self.folders(in: place) == ["counterfoil-dev-", "counterfoil-postgres-"])
                let installation = try RunningInstallation.find(in: place)

                let ended = try await Self.buy(in: place)

                #expect(ended.status.isSuccess, "\(ended.errors)")
                let lines = ended.output.split(separator: "\n").map { line in
                    line.replacing(/buy-[0-9a-f]{6}/, with: "ORDER").replacing(/after [0-9]+/, with: "after N")
                        .replacing(/[0-9]{2,}/, with: "N")
                }
                #expect(
                    lines == [
                        "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)",
                        "values ('ORDER', 'com.example.puzzle', 'coins.N', 'ann')",
                        "  => the order is there, and ann pays",
                        "insert into counterfoil.jobs (order_id, proof) values ('ORDER', $1)",
                        "  => $1 is transaction N as Apple signed it, N characters",
                        "select state, client_action from counterfoil.order_status_of('ORDER', 'ann')",
                        "  => fulfilled | finish   after N ms",
                        "select counterfoil.receive_notification($1)",
                        "  => stored   Apple refunds; $1 is the body that it sends to your address",
                        "select kind, order_id, refunded_share from counterfoil.changes_since($1)",
                        "  => order_fulfilled | ORDER",
                        "  => order_refunded | ORDER | N",
                    ])
                let overHTTP = try await Self.buy("--over", "http", in: place)
                #expect(overHTTP.status.isSuccess, "\(overHTTP.errors)")
                let answers = overHTTP.output.split(separator: "\n").filter { $0.hasPrefix("  => ") }.map { line in
                    line.replacing(/buy-[0-9a-f]{6}/, with: "ORDER").replacing(/after [0-9]+/, with: "after N")
                }
                #expect(
                    answers == [
                        "  => 201 open | upload_proof   ann pays", "  => 202 open | wait",
                        "  => 200 fulfilled | finish   after N ms",
                        #"  => 200 {"outcome":"stored"}"#, "  => order_fulfilled | ORDER", "  => order_refunded | ORDER",
                    ])
                for product in ShopProduct.listed {
                    let ended = try await Self.buy(product.productID, in: place)
                    #expect(ended.status.isSuccess, "\(product): \(ended.output)\n\(ended.errors)")
                }
                try await Self.expectURLs(of: installation)
            }

            let farewell = "Stopped: the workers, the simulator and the server have ended, and their files are removed."
            #expect(up.errorLines.last == farewell)
            #expect(try Self.folders(in: place) == [])
        }
    }

    /// Over TCP, each by its password and by nothing else.
    private static func expectURLs(of installation: RunningInstallation) async throws {
        #expect(installation.urls.count == 4)
        for (role, url) in installation.urls {
            try await PostgresConnection.withConnection(to: url) { connection in
                let row = try await connection.execute("select current_user::text, host(inet_server_addr())")[0]
                #expect(try row.string(0) == role)
                #expect(try row.string(1) == "127.0.0.1")
            }
            let end = try #require(url.firstIndex(of: "@"))
            let wrong = url[..<url.index(before: end)] + "-" + url[end...]
            let error = await #expect(throws: PostgresError.self) {
                try await PostgresConnection.withConnection(to: String(wrong)) { _ in }
            }
            #expect(error?.kind == .authentication, "\(role)")
        }
    }

    /// The file that a crash left behind has no lock.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func withoutARunningInstallationALineSaysSo(isLeft: Bool) async throws {
        try await Self.withPlace { place in
            if isLeft {
                let folder = place + "/counterfoil-dev-ABCDEF"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                let left = RunningInstallation(urls: ["counterfoil_backend": "postgresql:///gone"], simulatorURL: "", tlsRoot: "")
                try JSONEncoder().encode(left).write(to: URL(fileURLWithPath: folder + "/installation.json"))
            }

            let ended = try await Self.buy(in: place)

            #expect(ended.status == .exited(69))
            #expect(
                ended.errors
                    == "counterfoil-dev: no installation of yours runs in \(place): start one with counterfoil-dev up\n")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func anUnknownProductIsSaidInALine() async throws {
        try await Self.withPlace { place in
            let ended = try await Self.buy("coins.7", in: place)

            #expect(ended.status == .exited(64))
            #expect(
                ended.errors == """
                    counterfoil-dev: no product is called coins.7: there are coins.100, coins.1000, unlock.everything, \
                    season.pass, pro.monthly, premium.monthly, sport.monthly, pro.yearly

                    """)
        }
    }

    /// As for a home folder of root's, or a long path of a build server.
    @Test(.timeLimit(.minutes(5)))
    func aServerLivesElsewhereIfItCanNotLiveInTMPDIR() async throws {
        try await Self.withPlace { place in
            let long = place + "/" + String(repeating: "x", count: 60)
            try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
            let up = try await Program.whileRunning(["up"], of: .counterfoilDev, environment: ["TMPDIR": long]) { up in
                try await up.log.line(containing: "The server's files are in /tmp: in \(long), ")
                try await up.log.line(containing: "keeps running")
                #expect(try Self.folders(in: long) == ["counterfoil-dev-"])
            }

            #expect(up.status.isSuccess)
        }
    }

    @Test func aStatementIsShownWithItsParametersButTheHiddenOne() {
        let statement = PostgresStatement(name: "any", sql: "-- A header.\nselect $1::text,\n    $2::text")

        #expect(PurchaseStory.text(of: statement, ["a", "b"], hides: false) == "select 'a',\n    'b'")
        #expect(PurchaseStory.text(of: statement, ["a"], hides: true) == "select 'a',\n    $1")
    }
}
