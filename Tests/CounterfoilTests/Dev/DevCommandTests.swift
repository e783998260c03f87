// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import Testing

/// The command itself: real processes, a real database, real HTTPS.
@Suite struct DevCommandTests {
    @Test(.timeLimit(.minutes(5)), arguments: [UInt64(20), 21])
    func everyPurchaseComesToWhatItMustAlsoWhenWorkersAreKilled(seed: UInt64) async throws {
        let ended = try await Program.run(
            ["dev", "--purchases", "150", "--seed", "\(seed)", "--kill-workers", "2"], of: .counterfoilDev)

        #expect(ended.status == .exited(0), "\(Self.faults(ended))")
        #expect(ended.output.contains("after 2 kills"))
        #expect(ended.output.hasSuffix("no difference\n"))
    }

    /// The shop speaks HTTP to two gateways, and Apple to the first.
    @Test(.timeLimit(.minutes(5)))
    func everyPurchaseComesToWhatItMustOverHTTP() async throws {
        let ended = try await Program.run(["dev", "--purchases", "150", "--seed", "22", "--over", "http"], of: .counterfoilDev)

        #expect(ended.status == .exited(0), "\(Self.faults(ended))")
        #expect(ended.output.hasSuffix("no difference\n"))
    }

    @Test(.timeLimit(.minutes(5)))
    func aDifferenceIsExitCode1() async throws {
        let ended = try await Program.run(
            ["dev", "--purchases", "5", "--seed", "2", "--expect-something-wrong"], of: .counterfoilDev)

        #expect(ended.status == .exited(1))
        #expect(ended.output.contains("1 DIFFERENT"))
        #expect(ended.output.hasSuffix("1 differences, 0 wrong answers, 0 failed invariants, 0 pending jobs\n"))
    }

    @Test(.timeLimit(.minutes(5)))
    func nothingStaysBehindAfterItWasAskedToStop() async throws {
        let left = Left()

        let ended = try await Program.whileRunning(
            ["dev", "--purchases", "0", "--workers", "3", "--stay"], of: .counterfoilDev, environment: [:]
        ) { dev in
            try await dev.log.line(containing: "keeps running")
            left.note(childrenOf: dev.processID)
        }

        #expect(ended.status == .exited(0))
        #expect(ended.errorLines.last == Self.farewell)
        #expect(left.workers.count == 3)
        #expect(left.workers.allSatisfy { ProcessTable.commandLine(of: $0) == nil })
        #expect(left.folders.count == 2)
        #expect(left.folders.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    }

    /// Connections are open then, of the players and of the simulator.
    @Test(.timeLimit(.minutes(5)))
    func thePlayThatIsStoppedSaysWhatBecameOfEverything() async throws {
        let ended = try await Program.whileRunning(["dev", "--purchases", "1000"], of: .counterfoilDev, environment: [:]) { dev in
            try await dev.log.line(containing: "purchases have come to rest after")
        }

        #expect(ended.status == .exited(130))
        #expect(ended.errorLines.last == Self.farewell)
        #expect(ended.errorLines.filter { $0.contains("error counterfoil.dev") } == [])
    }

    private static let farewell = "Stopped: the workers, the simulator and the server have ended, and their files are removed."

    /// Each command works with the variables of its environment file. The simulator lists its calls.
    @Test(.timeLimit(.minutes(5)))
    func whatIsUpServesEachCommand() async throws {
        let ended = try await Program.whileRunning(["up"], of: .counterfoilDev, environment: [:]) { up in
            try await up.log.line(containing: "keeps running")
            let left = Left()
            left.note(childrenOf: up.processID)
            let file = try #require(left.folders.map { $0 + "/environment" }.first { FileManager.default.fileExists(atPath: $0) })
            let used = try await Program.run(
                shell: """
                    set -e
                    . '\(file)'
                    simulator=$COUNTERFOIL_SERVER_API_PRODUCTION_URL/simulator/
                    curl -sS --fail --cacert "$COUNTERFOIL_TLS_ROOTS" "$simulator" | grep -q 'PUT /simulator/faults/'
                    proof=$(curl -sS --fail --cacert "$COUNTERFOIL_TLS_ROOTS" "${simulator}transactions" \\
                        -d '{"bundleId": "com.example.puzzle", "productId": "coins.100"}' | cut -d '"' -f 4)
                    echo "$proof" | "$0" inspect -
                    echo "$proof" | "$0" submit --order o --bundle com.example.puzzle --product coins.100 --account ann --wait 30s
                    "$0" doctor
                    """)

            #expect(used.status.isSuccess, "\(used.output)\n\(used.errors)")
            #expect(used.output.contains("fulfilled"))
        }

        #expect(ended.status.isSuccess)
    }

    /// The faults of a report in the first line, then the whole report: a log may keep only the first line of a comment.
    private static func faults(_ ended: Program.Ended) -> String {
        let failed = ended.output.split(separator: "\n").map(String.init).filter { $0.contains("FAIL") || $0.contains("DIFFERENT") }
        let end = ended.output.split(separator: "\n\n").suffix(2).flatMap { $0.split(separator: "\n") }.map(String.init)
        return (failed + end).joined(separator: " / ") + "\n\(ended.output)\n\(ended.errors)"
    }

    @Test(arguments: [["--purchases", "-1"], ["--workers", "0"], ["--kill-workers", "101"]])
    func numbersOutOfRangeAreRefused(arguments: [String]) async throws {
        let ended = try await Program.run(["dev"] + arguments, of: .counterfoilDev)

        #expect(ended.status == .exited(64))
    }
}

/// What a run has started and made, as the process table shows it.
private final class Left: Sendable {
    private struct State {
        var workers: [Int32] = []
        var folders: Set<String> = []
    }

    private let state = Mutex(State())

    var workers: [Int32] { state.withLock { $0.workers } }
    var folders: Set<String> { state.withLock { $0.folders } }

    func note(childrenOf processID: Int32) {
        for child in ProcessTable.children(of: processID) {
            // The guards' last argument is what they remove.
            let last = child.commandLine.split(separator: " ").last.map(String.init) ?? ""
            state.withLock { state in
                if child.commandLine == "counterfoil worker" { state.workers.append(child.processID) }
                if last.hasPrefix("/tmp/counterfoil-") { state.folders.insert(last) }
            }
        }
    }
}
