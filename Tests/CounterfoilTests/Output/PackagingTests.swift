// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess
import TestSupport
import Testing
import VerificationQueue

@testable import CommandSupport
@testable import counterfoil

/// What the Debian package installs beside the program.
@Suite struct PackagingTests {
    private static let folder = Repository.root.appending(path: "deploy/systemd").path

    private static let units = [
        "counterfoil-worker@.service", "counterfoil-deliver@.service", "counterfoil-gateway@.service", "counterfoil-migrate.service",
        "counterfoil-check.service",
        "counterfoil-check.timer", "counterfoil.target",
    ]

    private static func text(_ file: String) throws -> String {
        let bytes = try #require(FileManager.default.contents(atPath: folder + "/" + file), "\(file)")
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func systemdAnalyze(_ arguments: [String]) async throws -> (isSuccess: Bool, output: String) {
        let result = try await Subprocess.run(
            .name("systemd-analyze"), arguments: Arguments(arguments), output: .string(limit: 1 << 20),
            error: .combinedWithOutput)
        return (result.terminationStatus.isSuccess, result.standardOutput)
    }

    @Test func theEnvironmentFileNamesEveryVariable() async throws {
        let ended = try await Program.run(["environment", "--file"])

        let lines = Set(ended.output.split(separator: "\n").map { $0.prefix { $0 != "=" } })
        for variable in Variable.all {
            #expect(lines.contains("#\(variable.name)"), "\(variable.name)")
        }
    }

    /// As it is installed it changes nothing, and what is made of it by taking a `#` away is allowed.
    @Test func theEnvironmentFileHoldsDefaults() throws {
        for line in Variable.environmentFile.split(separator: "\n") {
            #expect(line.hasPrefix("#"))
            let parts = line.dropFirst().split(separator: "=", maxSplits: 1)
            guard let variable = Variable.all.first(where: { $0.name == parts[0] }), parts.count == 2 else { continue }
            var settings = Settings()

            #expect(variable.apply(String(parts[1]), &settings), "\(line)")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: units.filter { $0.hasSuffix(".service") })
    func aServiceIsExposedAsLittleAsCanBe(unit: String) async throws {
        let (isBelow, output) = try await Self.systemdAnalyze(
            ["security", "--offline=yes", "--threshold=15", "--no-pager", "\(Self.folder)/\(unit)"])

        #expect(isBelow, "\(output.suffix(200))")
    }

    /// Each status is either worth another try or not, and the unit knows which.
    @Test func aWorkerIsNotStartedAgainWhereThatCanNotHelp() throws {
        let line = try #require(
            try Self.text("counterfoil-worker@.service").split(separator: "\n").first {
                $0.hasPrefix("RestartPreventExitStatus=")
            })

        let statuses: [CommandSupport.ExitStatus] = [.usage, .configuration, .schemaTooNew]
        #expect(line == "RestartPreventExitStatus=" + statuses.map { String($0.rawValue) }.joined(separator: " "))
    }

    @Test(arguments: units)
    func nothingSecretIsInAUnit(unit: String) throws {
        let secrets = Variable.all.filter(\.isSecret).map(\.name)
        let text = try Self.text(unit)

        #expect(!secrets.contains(where: text.contains))
        #expect(!text.lowercased().contains("pgpassword"))
    }

    /// Crash reports and core dumps would hold what the memory holds.
    @Test(arguments: units.filter { $0.hasSuffix(".service") })
    func aCrashLeavesNoMemoryBehind(unit: String) throws {
        let lines = try Self.text(unit).split(separator: "\n")

        #expect(lines.contains("LimitCORE=0"))
        #expect(lines.contains("Environment=SWIFT_BACKTRACE=enable=no"))
    }

    // MARK: Upgrades

    /// Runs the part of postinst that restarts units, with units that are running and one that doesn't get ready.
    private static func restarts(failing: String = "") async throws -> [String] {
        let script = try text("../debian/postinst")
        let function = try #require(script.firstMatch(of: /(?s)\nrestart_all\(\) \{.*?\n\}\n/)).output
        let calls = script.split(separator: "\n").filter { $0.hasPrefix("    restart_all ") }
        let stubs = """
            systemctl() {
                case "$*" in
                    list-units*counterfoil-worker@*) printf 'counterfoil-worker@%s.service loaded active running\\n' 1 2 ;;
                    list-units*counterfoil-deliver@*) printf 'counterfoil-deliver@%s.service loaded active running\\n' a b ;;
                    list-units*counterfoil-gateway@*) printf 'counterfoil-gateway@%s.service loaded active running\\n' main ;;
                    *) echo "$*" && [ "$2" != '\(failing)' ] ;;
                esac
            }
            timeout() { shift && "$@"; }
            set -e
            """
        let ended = try await Program.run(shell: ([stubs, String(function)] + calls.map(String.init)).joined(separator: "\n"))
        try #require(ended.status.isSuccess, "\(ended.errors)")
        return ended.output.split(separator: "\n").map { line in
            String(line).replacing("restart counterfoil-", with: "").replacing(".service", with: "")
        }
    }

    @Test func anUpgradeRestartsWorkersAndThenDeliverersAndGateways() async throws {
        #expect(try await Self.restarts() == ["worker@1", "worker@2", "deliver@a", "deliver@b", "gateway@main"])
    }

    /// What keeps one from its work may keep the others of its kind from theirs.
    @Test func anUpgradeLeavesTheUnitsAfterOneThatIsNotReady() async throws {
        #expect(
            try await Self.restarts(failing: "counterfoil-worker@1.service")
                == ["worker@1", "deliver@a", "deliver@b", "gateway@main"])
        #expect(
            try await Self.restarts(failing: "counterfoil-deliver@a.service")
                == ["worker@1", "worker@2", "deliver@a", "gateway@main"])
    }

    // MARK: Alerts

    private static let prometheus = URL(fileURLWithPath: folder)
        .appendingPathComponent("../prometheus").standardized.path

    @Test(.timeLimit(.minutes(4)))
    func everyAlertFiresWhenItShould() async throws {
        let result = try await Subprocess.run(
            .name("promtool"), arguments: ["test", "rules", Self.prometheus + "/counterfoil.rules.test.yml"],
            output: .string(limit: 1 << 20), error: .combinedWithOutput)

        #expect(result.terminationStatus.isSuccess, "\(result.standardOutput)")
    }

    @Test func alertsAskForMetricsThatThereAre() throws {
        let rules = try Self.text("../prometheus/counterfoil.rules.yml")
        let known = Set((Metric.all + Metric.ofDeliverers + Metric.ofGateways).map(\.name))

        let asked = rules.matches(of: /counterfoil_[a-z_]+/)
            .map { String($0.output.replacing(/_(bucket|count|sum)$/, with: "")) }
        #expect(Set(asked).count > 10)
        #expect(Set(asked).subtracting(known) == [])
    }

    @Test func everyAlertIsTestedAndSaysWhatToDo() throws {
        let tests = try Self.text("../prometheus/counterfoil.rules.test.yml")
        let alerts = try Self.text("../prometheus/counterfoil.rules.yml").split(separator: "- alert: ").dropFirst()
        let runbook = try Self.text("../RUNBOOK.md")

        for alert in alerts {
            let name = alert.prefix { !$0.isNewline }
            #expect(tests.contains(name), "\(name)")
            for part in ["summary: ", "description: ", "first_command: "] {
                #expect(alert.contains(part), "\(name)")
            }
            let heading = try #require(alert.firstMatch(of: /runbook: RUNBOOK.md, "(.*)"/), "\(name)").output.1
            #expect(runbook.contains("\n## \(heading)\n"), "\(heading)")
        }
    }
}
