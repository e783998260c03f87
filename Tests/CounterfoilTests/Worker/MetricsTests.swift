// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Subprocess
import TestSupport
import Testing
import VerificationQueue

@testable import CommandSupport
@testable import counterfoil

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A worker's metrics, as Prometheus reads them.
@Suite struct MetricsTests {
    private static let address = ["COUNTERFOIL_METRICS_ADDRESS": "127.0.0.1:0"]

    @Test(.timeLimit(.minutes(3)))
    func whatAWorkerDidCanBeRead() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("signed", proof: shop.signedTransaction())
                try await shop.submit("forged", proof: shop.signedTransaction(forged: .payloadSwapped))
                try await shop.submit("receipt", proof: shop.receipt().base64)

                try await shop.whileWorking(Self.address) { worker in
                    for order in ["signed", "forged", "receipt"] {
                        try await worker.log.line(containing: "order.id=\(order)")
                    }
                    let page = try await MetricsPage.get("/metrics", of: worker)

                    for sample in [
                        "counterfoil_grants_total{environment=\"production\"} 2",
                        "counterfoil_settled_orders_total{outcome=\"fulfilled\"} 2",
                        "counterfoil_settled_orders_total{outcome=\"rejected\"} 1",
                        "counterfoil_attempts_total{disposition=\"complete\",reason=\"bad_signature\"} 1",
                        "counterfoil_fulfilment_latency_seconds_count 2",
                        "counterfoil_app_store_call_duration_seconds_count{endpoint=\"verify_receipt\","
                            + "environment=\"production\",result=\"answered\"} 1",
                        "counterfoil_ready 1",
                        "counterfoil_slots 200",
                        "counterfoil_gates{environment=\"production\",route=\"verify_receipt\",state=\"open\"} 1",
                        "counterfoil_build_info{version=\"\(Version.current)\"} 1",
                    ] {
                        #expect(page.lines.contains(sample), "\(sample)")
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func everyMetricIsThereAndPromtoolFindsNoFault() async throws {
        try await Shop.run { shop in
            try await shop.submit("signed", proof: shop.signedTransaction())

            try await shop.whileWorking(Self.address) { worker in
                try await worker.log.line(containing: "order.id=signed")
                let page = try await MetricsPage.get("/metrics", of: worker)

                for metric in Metric.all {
                    #expect(page.lines.contains { $0.hasPrefix("# TYPE \(metric.name) ") }, "\(metric.name)")
                }
                let check = try await Subprocess.run(
                    .name("promtool"), arguments: ["check", "metrics"], input: .string(page.body),
                    output: .string(limit: 1 << 16), error: .combinedWithOutput)
                #expect(check.terminationStatus.isSuccess)
                #expect(check.standardOutput == "")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theQueueIsCounted() async throws {
        try await Shop.run { shop in
            try await shop.submit("later", proof: shop.signedTransaction())
            try await shop.execute("update counterfoil.jobs set run_at = now() + interval '1 hour'")

            try await shop.whileWorking(Self.address) { worker in
                try await MetricsPage.wait(
                    for: "counterfoil_jobs{reason=\"none\",state=\"scheduled\"} 1", of: worker)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func healthAndReadinessFollowTheWorker() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            try await Shop.run(simulator: simulator) { shop in
                try await shop.submit("stalled", proof: shop.receipt().base64)

                try await shop.whileWorking(Self.address.merging(["COUNTERFOIL_DRAIN_DURATION": "5s"]) { $1 }) {
                    worker in
                    _ = try await simulator.statistics { $0.inFlight > 0 }
                    #expect(try await MetricsPage.get("/healthz", of: worker).status == 200)
                    #expect(try await MetricsPage.get("/readyz", of: worker).status == 200)

                    worker.send(SIGTERM)
                    // The worker hears of the signal a moment after the process does.
                    try await MetricsPage.wait(for: "counterfoil_ready 0", of: worker)

                    #expect(try await MetricsPage.get("/readyz", of: worker).status == 503)
                    let health = try await MetricsPage.get("/healthz", of: worker)
                    #expect(health.status == 200)
                    #expect(health.body.hasPrefix("draining for"))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAddressThatOthersReachIsWarnedOf() async throws {
        try await Shop.run { shop in
            try await shop.whileWorking(["COUNTERFOIL_METRICS_ADDRESS": "0.0.0.0:0"]) { worker in
                try await worker.log.line(containing: "metrics are readable by whoever reaches their address")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAddressThatIsTakenEndsTheWorkerByItsOwnStatus() async throws {
        try await Shop.run { shop in
            try await shop.whileWorking(Self.address) { worker in
                let line = try await worker.log.line(containing: "metrics can be read")
                let address = line.split(separator: "address=").last.map(String.init) ?? ""

                let second = try await Program.run(
                    ["worker"], environment: shop.environment.merging(["COUNTERFOIL_METRICS_ADDRESS": address]) { $1 })

                #expect(second.status == .exited(CommandSupport.ExitStatus.cannotListen.rawValue))
                #expect(
                    second.errorLines.last
                        == "counterfoil: COUNTERFOIL_METRICS_ADDRESS: can't listen on \(address): Address already in use"
                )
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func nobodyListensUnlessTold() async throws {
        try await Shop.run { shop in
            let ended = try await shop.whileWorking { worker in
                try await worker.log.line(containing: "worker started")
            }

            #expect(!ended.errors.contains("metrics can be read"))
        }
    }
}
