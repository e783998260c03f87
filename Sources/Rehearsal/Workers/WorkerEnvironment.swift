// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The environment variables of the play's workers: the same that an operator sets, with shorter delays.
package struct WorkerEnvironment: Sendable {
    /// How long a worker's lease lasts, unless a variable says otherwise.
    package static let lease = Duration.seconds(10)

    package var databaseURL: String
    package var productionURL: String
    package var sandboxURL: String
    package var folder: RehearsalFolder
    /// The apps that the simulator may sign for.
    package var signedApps: [ShopApp]
    /// Variables, by their whole names, that are set otherwise or besides.
    package var changes: [String: String] = [:]
    /// The path of a program to start in place of the fleet's; it gets the same arguments.
    package var program: String?
    /// The program's arguments. Default: a worker's.
    package var arguments = ["worker"]
    /// The process's name; nil: that of a worker of its number.
    package var name: String?

    package init(
        databaseURL: String, productionURL: String, sandboxURL: String, folder: RehearsalFolder, signedApps: [ShopApp]
    ) {
        self.databaseURL = databaseURL
        self.productionURL = productionURL
        self.sandboxURL = sandboxURL
        self.folder = folder
        self.signedApps = signedApps
    }

    /// - Parameter name: what the worker is called.
    package func variables(name: String) -> [String: String] {
        let settings = [
            "DATABASE_URL": databaseURL,
            "VERIFY_RECEIPT_PRODUCTION_URL": productionURL,
            "VERIFY_RECEIPT_SANDBOX_URL": sandboxURL,
            "SERVER_API_PRODUCTION_URL": productionURL,
            "SERVER_API_SANDBOX_URL": sandboxURL,
            "TLS_ROOTS": folder.tlsRoot,
            "EXTRA_ROOTS": folder.transactionRoot + "=" + signedApps.map(\.bundleID).joined(separator: ","),
            "CREDENTIALS_DIRECTORY": folder.credentials,
            "WORKER_NAME": name,

            // A killed worker's jobs come back soon, and a stalled call doesn't hold its slot for long.
            "LEASE_DURATION": "\(Self.lease.components.seconds)s",
            "ATTEMPT_DEADLINE": "4s",
            "DRAIN_DURATION": "5s",

            // Delays of seconds where they would be minutes and hours.
            "RETRY_DELAY_CAP": "2s",
            // Longer than faults and a closed gate keep a job from its next look.
            "MISSING_HORIZON": "30s",
        ]
        // Nothing of the caller's own set-up: only what any program needs.
        var variables = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR", "LANG"].contains($0.key) }
        for (name, value) in settings { variables["COUNTERFOIL_" + name] = value }
        return variables.merging(changes) { $1 }
    }

    /// Writes the same variables for commands that are given by hand.
    ///
    /// - Parameter databaseURL: of the role that gives them.
    package func writeFile(databaseURL: String) throws {
        var variables = variables(name: "worker").filter { $0.key.hasPrefix("COUNTERFOIL_") }
        variables["COUNTERFOIL_DATABASE_URL"] = databaseURL
        variables["COUNTERFOIL_WORKER_NAME"] = nil
        let lines = variables.sorted { $0.key < $1.key }.map { "export \($0.key)='\($0.value)'\n" }
        try folder.write(Data(lines.joined().utf8), to: folder.environment)
    }
}
