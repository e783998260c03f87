// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Logging
import PrivatePostgres
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct WorkerProcessTests {
    @Test(.timeLimit(.minutes(3)))
    func anHonestProofFulfilsItsOrder() async throws {
        try await Shop.run { shop in
            try await shop.submit("honest", proof: shop.signedTransaction())

            let ended = try await shop.whileWorking { worker in
                try await worker.log.line(containing: "order.id=honest")
            }

            let order = try await shop.order("honest")
            #expect(order.state == "fulfilled")
            #expect(order.client_action == "finish")
            #expect(order.transaction_id != nil)
            #expect(order.jobs == [])
            #expect(ended.status == .exited(0))
        }
    }

    /// It waited for ever, and said nothing: Dispatch waits where the system makes it no thread.
    @Test(.timeLimit(.minutes(3)), arguments: [("-d", 16), ("-d", 48)])
    func aWorkerWithoutRoomForThreadsEndsWithALine(limit: String, mebibytes: Int) async throws {
        let ended = try await Program.run(
            shell:
                "ulimit \(limit) \(mebibytes * 1024); COUNTERFOIL_DATABASE_URL=postgresql://nobody@127.0.0.1:1/none exec \"$0\" worker"
        )

        #expect(ended.status == .exited(78), "\(ended.errors)")
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains("there is no room for threads"), "\(ended.errors)")
    }

    @Test(.timeLimit(.minutes(3)))
    func aForgedProofIsRejected() async throws {
        try await Shop.run { shop in
            try await shop.submit("forged", proof: shop.signedTransaction(forged: .payloadSwapped))

            try await shop.whileWorking { worker in
                try await worker.log.line(containing: "order.id=forged")
            }

            let order = try await shop.order("forged")
            #expect(order.state == "rejected")
            #expect(order.reason == "bad_signature")
            #expect(order.fulfilled_at == nil)
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aReceiptIsAskedAboutAtTheAddressGiven() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("receipt", proof: shop.receipt().base64)

                try await shop.whileWorking { worker in
                    try await worker.log.line(containing: "disposition=complete")
                }

                let order = try await shop.order("receipt")
                #expect(order.state == "fulfilled")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func itWarnsOfRootsBesideApples() async throws {
        try await Shop.run { shop in
            let ended = try await shop.whileWorking { try await $0.log.line(containing: "worker started") }

            let warning = ended.errorLines.first { $0.contains("warning a root beside Apple's is trusted") }
            #expect(warning?.contains("apps=\(Shop.bundle)") == true)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [SIGTERM, SIGINT])
    func aSecondSignalEndsItAtOnce(signal: Int32) async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("stalled", proof: shop.receipt().base64)

                let ended = try await shop.whileWorking(["COUNTERFOIL_DRAIN_DURATION": "1h"]) { worker in
                    _ = try await simulator.statistics { $0.inFlight > 0 }
                    worker.send(signal)
                    try await worker.log.line(containing: "draining")
                    worker.send(signal)
                    try await worker.log.line(containing: "stopped at once")
                }

                #expect(ended.status == .exited(128 + signal))
                #expect(try await shop.order("stalled").jobs.map(\.state) == ["running"])
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aDrainHandsBackWhatRunsTooLong() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("stalled", proof: shop.receipt().base64)

                let ended = try await shop.whileWorking(["COUNTERFOIL_DRAIN_DURATION": "10ms"]) { worker in
                    _ = try await simulator.statistics { $0.inFlight > 0 }
                }

                let order = try await shop.order("stalled")
                #expect(ended.status == .exited(0))
                #expect(order.state == "open")
                #expect(order.jobs.map(\.state) == ["available"])
                #expect(order.history.last?.disposition == "release")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aHangupReadsTheCredentialsAgain() async throws {
        try await Shop.run { shop in
            let credentials = shop.folder.path + "/credentials"
            try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)

            let ended = try await shop.whileWorking(["CREDENTIALS_DIRECTORY": credentials]) { worker in
                try await worker.log.line(containing: "worker started")
                _ = try shop.folder.write([0x20], to: "credentials/\(Shop.bundle).shared-secret")
                worker.send(SIGHUP)
                try await worker.log.line(containing: "credential=\(Shop.bundle).shared-secret")
            }

            #expect(ended.errors.contains("credentials read again"))
            #expect(ended.status == .exited(0))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func itWaitsForADatabaseThatIsAway() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            let environment = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_worker")]
            let operating = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_support")]
            #expect(try await Program.run(["migrate"], environment: ["COUNTERFOIL_DATABASE_URL": server.url()]).status.isSuccess)
            #expect(try await Program.run(["apps", "add", Shop.bundle], environment: operating).status.isSuccess)
            try await server.stop()

            let ended = try await Program.whileRunning(["worker"], environment: environment) { worker in
                try await worker.log.line(containing: "waiting for the database")
                try await server.start()
                try await worker.log.line(containing: "worker started")
                let submitted = try await Program.run(
                    ["submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann"],
                    environment: operating, input: "eyJ.not.real")
                #expect(submitted.status.isSuccess)
                try await worker.log.line(containing: "order.id=o ")
            }

            #expect(ended.status == .exited(0))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func itSurvivesALossOfTheDatabase() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            let environment = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_worker")]
            let operating = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_support")]
            #expect(try await Program.run(["migrate"], environment: ["COUNTERFOIL_DATABASE_URL": server.url()]).status.isSuccess)
            #expect(try await Program.run(["apps", "add", Shop.bundle], environment: operating).status.isSuccess)

            let ended = try await Program.whileRunning(["worker"], environment: environment) { worker in
                try await worker.log.line(containing: "worker started")
                try await server.kill()
                try await worker.log.line(containing: "warning could not")
                try await server.start()
                let submitted = try await Program.run(
                    ["submit", "--order", "o", "--bundle", Shop.bundle, "--product", "coins", "--account", "ann"],
                    environment: operating, input: "eyJ.not.real")
                #expect(submitted.status.isSuccess)
                try await worker.log.line(containing: "order.id=o ")
            }

            #expect(ended.status == .exited(0))
        }
    }
}
