// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification
import VerificationQueue

@testable import CommandSupport
@testable import counterfoil

/// A bad value stops the program at its start: one line that names the variable, status 78.
@Suite struct ConfigurationTests {
    /// Values that no variable of its kind may have.
    private static let badValues: [String: String] = [
        "COUNTERFOIL_DATABASE_URL": "nonsense://hunter2",
        "COUNTERFOIL_LISTEN_URL": "nonsense://hunter2",
        "COUNTERFOIL_CREDENTIALS_DIRECTORY": "/nowhere/credentials",
        "COUNTERFOIL_TLS_ROOTS": "/nowhere/tls.pem",
        "COUNTERFOIL_WEBHOOK_TLS_ROOTS": "/nowhere/tls.pem",
        "COUNTERFOIL_EXTRA_ROOTS": "/nowhere/root.der=com.example.game",
        "COUNTERFOIL_WORKER_NAME": String(repeating: "hunter2", count: 15),
    ]

    @Test(arguments: Variable.all.map(\.name))
    func aBadValueStopsTheWorkerAndIsNamed(variable: String) async throws {
        let value = Self.badValues[variable] ?? "hunter2"
        var environment = ["COUNTERFOIL_DATABASE_URL": "postgresql://nobody@localhost:1/nothing"]
        environment[variable] = value

        let ended = try await Program.run(["worker"], environment: environment)

        #expect(ended.status == .exited(ExitStatus.configuration.rawValue))
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains(variable))
        #expect(!ended.errors.contains("hunter2"))
    }

    @Test func theDatabaseMustBeNamed() async throws {
        let ended = try await Program.run(["worker"])

        #expect(ended.status == .exited(ExitStatus.configuration.rawValue))
        #expect(ended.errorLines.count == 1)
        #expect(ended.errors.contains("COUNTERFOIL_DATABASE_URL"))
    }

    @Test func aVariableThatIsSetToNothingIsNotSet() throws {
        let settings = try Settings.read(from: ["COUNTERFOIL_SLOTS": "", "CREDENTIALS_DIRECTORY": ""])

        #expect(settings.worker.slots == Settings().worker.slots)
        #expect(settings.credentialsDirectory == nil)
    }

    @Test func everyDefaultIsAllowedAndChangesNothing() throws {
        for variable in Variable.all {
            guard let value = variable.defaultText, !value.hasPrefix("$"), !value.contains(" ") else { continue }
            var settings = Settings()

            #expect(variable.apply(value, &settings), "\(variable.name)")

            #expect(settings.worker.slots == Settings().worker.slots)
            #expect(settings.worker.retry == Settings().worker.retry)
            #expect(settings.worker.breaker == Settings().worker.breaker)
            #expect(settings.worker.leaseDuration == Settings().worker.leaseDuration)
        }
    }

    @Test func aLeaseMustOutlastItsAttempt() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try Settings.read(from: ["COUNTERFOIL_LEASE_DURATION": "44s", "COUNTERFOIL_ATTEMPT_DEADLINE": "40s"])
        }

        #expect(failure?.status == .configuration)
        #expect(failure?.description.contains("COUNTERFOIL_LEASE_DURATION must be at least 45s") == true, "\(failure as Any)")
    }

    @Test func noDelayExceedsTheCap() throws {
        let retry = try Settings.read(from: ["COUNTERFOIL_RETRY_DELAY_CAP": "5min"]).worker.retry

        #expect(retry.delayCap == .seconds(300))
        #expect(retry.backoff == Backoff(base: .seconds(2), cap: .seconds(300)))
    }

    @Test(arguments: [("2s", 125), ("4s", 250), ("10s", 625), ("16s", 1000), ("1h", 1000)])
    func expiredLeasesAreLookedForMoreOftenWhenLeasesAreShort(lease: String, milliseconds: Int) throws {
        let settings = try Settings.read(from: ["COUNTERFOIL_LEASE_DURATION": lease, "COUNTERFOIL_ATTEMPT_DEADLINE": "1s"])

        #expect(settings.worker.rescueInterval == .milliseconds(milliseconds))
    }

    @Test func thereAreAboutThirty() {
        #expect(Variable.all.count <= 30)
    }

    @Test func misspelledVariablesAreFound() throws {
        let settings = try Settings.read(from: ["COUNTERFOIL_SLOT": "5", "COUNTERFOIL_TEST_DATABASE_URL": "x", "SLOT": "5"])

        #expect(
            settings.unknownVariables.map(\.description)
                == ["COUNTERFOIL_SLOT is not a variable of this program; did you mean COUNTERFOIL_SLOTS?"])
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerWarnsOfAMisspelledVariable() async throws {
        try await Shop.run { shop in
            try await shop.whileWorking(["COUNTERFOIL_SLOT": "5"]) { worker in
                let line = try await worker.log.line(containing: "unknown variable")

                #expect(line.contains("variable=COUNTERFOIL_SLOT"))
                #expect(line.contains("did_you_mean=COUNTERFOIL_SLOTS"))
            }
        }
    }

    @Test func namesOfVariablesAreUnique() {
        #expect(Set(Variable.all.map(\.name)).count == Variable.all.count)
    }

    @Test func everyVariableIsInTheHelpAndInTheTable() async throws {
        let help = try await Program.run(["help", "environment"])
        let table = try await Program.run(["environment", "--markdown"])

        for variable in Variable.all {
            #expect(help.output.contains(variable.name))
            #expect(table.output.contains("`\(variable.name)`"))
        }
    }
}
