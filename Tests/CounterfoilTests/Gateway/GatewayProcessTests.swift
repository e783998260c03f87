// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing

/// `counterfoil gateway` as a process, with the keys of `counterfoil keys`.
@Suite struct GatewayProcessTests {
    private struct Site: Sendable {
        let database: MigratedDatabase

        static func open(_ body: @escaping @Sendable (Site) async throws -> Void) async throws {
            try await withMigratedDatabase { database in
                try await database.withConnection { admin in
                    try await admin.executeScript("insert into counterfoil.apps (bundle_id) values ('com.example.game')")
                }
                try await body(Site(database: database))
            }
        }

        /// A command of an operator's.
        func keys(_ arguments: String...) async throws -> Program.Ended {
            try await Program.run(
                ["keys"] + arguments, environment: ["COUNTERFOIL_DATABASE_URL": database.url(user: "counterfoil_support")])
        }

        func addKey(_ name: String) async throws -> String {
            let added = try await keys("add", name, "--scopes", "orders,read")
            return try #require(added.output.firstMatch(of: /cf_live_[0-9A-Za-z]{49}/).map { String($0.output) }, "\(added.errors)")
        }

        func whileRunning(_ act: @escaping @Sendable (Program.Running, _ port: String) async throws -> Void) async throws
            -> Program.Ended
        {
            try await Program.whileRunning(
                ["gateway", "--listen", "127.0.0.1:0", "--connections", "100"],
                environment: ["COUNTERFOIL_DATABASE_URL": database.url(user: "counterfoil_gateway")]
            ) { gateway in
                let line = try await gateway.log.line(containing: "the gateway listens")
                let port = try #require(line.firstMatch(of: /port=(\d+)/)).output.1
                try await act(gateway, String(port))
            }
        }

        func value(_ query: String) async throws -> String? {
            try await database.withConnection { try await $0.execute("select (\(query))::text").first?.optionalString(0) }
        }
    }

    private func put(_ order: String, _ key: String, _ port: String) async throws -> UInt {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/orders/\(order)")
        request.method = .PUT
        request.headers.add(name: "authorization", value: "Bearer \(key)")
        request.headers.add(name: "counterfoil-account", value: "ann")
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"bundle_id":"com.example.game","product_id":"coins","proof":"eyJ"}"#))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        _ = try await response.body.collect(upTo: 1 << 20)
        return response.status.code
    }

    @Test(.timeLimit(.minutes(3)))
    func aKeyOpensTheDoorUntilItIsRevoked() async throws {
        try await Site.open { site in
            let key = try await site.addKey("checkout")
            let again = try await site.keys("add", "checkout")
            let ended = try await site.whileRunning { _, port in
                #expect(try await put("a", key, port) == 201)
                let rotated = try await site.keys("rotate", "checkout", "--hours", "1")
                let newer = try #require(rotated.output.firstMatch(of: /cf_live_[0-9A-Za-z]{49}/).map { String($0.output) })
                #expect(try await put("a", newer, port) == 200)
                #expect(try await put("a", key, port) == 200)

                let revoked = try await site.keys("revoke", "checkout", "--why", "leaked")

                #expect(revoked.output.contains("keys revoked: 2"))
                try await eventually("both are refused", within: .seconds(20)) {
                    let statuses = [try await put("a", key, port), try await put("a", newer, port)]
                    return statuses == [401, 401]
                }
            }

            #expect(again.status == .exited(1))
            #expect(ended.status == .exited(0), "\(ended.errors)")
            // No key stands in a log, nor in the database.
            #expect(!ended.errors.contains(key))
            #expect(
                try await site.value("select count(*) from counterfoil.gateway_keys k where k::text like '%\(key.dropFirst(16))%'")
                    == "0")
            #expect(try await site.value("select string_agg(distinct why, ',') from counterfoil.gateway_keys") == "leaked")
        }
    }

    /// Whatever was answered is there, and what was not can be sent again.
    @Test(.timeLimit(.minutes(3)))
    func aGatewayThatIsKilledLosesNothing() async throws {
        try await Site.open { site in
            let key = try await site.addKey("checkout")
            var answered: Set<String> = []
            for round in 0..<3 {
                let found = AnsweredOrders()
                _ = try await site.whileRunning { gateway, port in
                    await withTaskGroup(of: Void.self) { group in
                        for number in 0..<40 {
                            group.addTask {
                                let order = "o\(round)-\(number)"
                                if let status = try? await put(order, key, port), status == 201 { await found.add(order) }
                            }
                        }
                        group.addTask {
                            try? await Task.sleep(for: .milliseconds(60))
                            gateway.send(SIGKILL)
                        }
                    }
                }
                answered.formUnion(await found.orders)
            }
            let kept = try await site.value(
                "select count(*) from counterfoil.orders where order_id = any ('{\(answered.joined(separator: ","))}')")
            #expect(kept == String(answered.count))

            // All are sent again, whether or not they were answered.
            _ = try await site.whileRunning { _, port in
                for round in 0..<3 {
                    for number in 0..<40 {
                        let status = try await put("o\(round)-\(number)", key, port)
                        #expect(status == 200 || status == 201)
                    }
                }
            }
            #expect(try await site.value("select count(*) from counterfoil.orders") == "120")
            #expect(try await site.value("select count(*) from counterfoil.jobs") == "120")
        }
    }

    private actor AnsweredOrders {
        var orders: Set<String> = []

        func add(_ order: String) { orders.insert(order) }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [["--listen", "nonsense"], ["--listen", "none"], ["--connections", "0"]])
    func aWrongLineIsRefused(_ arguments: [String]) async throws {
        let ended = try await Program.run(["gateway"] + arguments, environment: [:])

        #expect(ended.status == .exited(64))
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ["--tls-certificate", "/x"], ["--apple-tls-key", "/x"], ["--apple-tls-certificate", "/x", "--apple-tls-key", "/x"],
        ])
    func aCertificateWithoutItsKeyOrItsAddressIsRefused(_ arguments: [String]) async throws {
        let ended = try await Program.run(["gateway"] + arguments, environment: [:])

        #expect(ended.status == .exited(64))
    }

    @Test(.timeLimit(.minutes(1)))
    func aCertificateThatIsNotGoodIsAWrongSetUp() async throws {
        let ended = try await Program.run(
            ["gateway", "--connections", "100", "--tls-certificate", "/nowhere/chain.pem", "--tls-key", "/nowhere/key.pem"],
            environment: ["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/x"])

        #expect(ended.status == .exited(78))
        #expect(ended.errors.contains("certificate_unreadable: /nowhere/chain.pem"))
    }

    /// As systemctl reload sends it.
    @Test(.timeLimit(.minutes(2)))
    func aHangupReadsTheCertificatesAgain() async throws {
        try await Site.open { site in
            let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-hangup-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (chain, key) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
            @Sendable func write(_ identity: TransportIdentity) throws {
                try Data(identity.certificatePEM.utf8).write(to: chain)
                try Data(identity.keyPEM.utf8).write(to: key)
            }
            try write(TransportIdentity(now: Date()))
            let ended = try await Program.whileRunning(
                [
                    "gateway", "--listen", "127.0.0.1:0", "--connections", "100", "--tls-certificate", chain.path,
                    "--tls-key", key.path,
                ], environment: ["COUNTERFOIL_DATABASE_URL": site.database.url(user: "counterfoil_gateway")]
            ) { gateway in
                try await gateway.log.line(containing: "the gateway listens")
                try Data().write(to: key)
                gateway.send(SIGHUP)
                try await gateway.log.line(containing: "problem=key_unreadable")
                try write(TransportIdentity(now: Date()))
                gateway.send(SIGHUP)
                try await gateway.log.line(containing: "certificate read again")
            }

            #expect(ended.status == .exited(0), "\(ended.errors)")
            #expect(!ended.errors.contains("PRIVATE KEY"))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func tooFewDescriptorsAreAWrongSetUp() async throws {
        let ended = try await Program.run(
            ["gateway", "--connections", "1000000", "--apple", "127.0.0.1:0"],
            environment: ["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/x"])

        #expect(ended.status == .exited(78))
        #expect(ended.errors.contains("descriptors"))
    }
}
