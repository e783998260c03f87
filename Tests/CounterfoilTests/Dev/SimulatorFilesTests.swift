// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@testable import counterfoil_dev

@Suite struct SimulatorFilesTests {
    @Test func theGuideNamesAllThatAWorkerNeeds() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            let guide = SimulatorFiles(folder: "/run/fake").guide(to: simulator, bundleIDs: ["com.example.a", "com.example.b"])

            #expect(
                guide.split(separator: "\n").prefix(7) == [
                    "COUNTERFOIL_VERIFY_RECEIPT_PRODUCTION_URL=https://localhost:\(simulator.productionPort)",
                    "COUNTERFOIL_VERIFY_RECEIPT_SANDBOX_URL=https://localhost:\(simulator.sandboxPort)",
                    "COUNTERFOIL_SERVER_API_PRODUCTION_URL=https://localhost:\(simulator.productionPort)",
                    "COUNTERFOIL_SERVER_API_SANDBOX_URL=https://localhost:\(simulator.sandboxPort)",
                    "COUNTERFOIL_CREDENTIALS_DIRECTORY=/run/fake",
                    "COUNTERFOIL_TLS_ROOTS=/run/fake/tls-ca.pem",
                    "COUNTERFOIL_EXTRA_ROOTS=/run/fake/signing-root.der=com.example.a,com.example.b",
                ])
        }
    }

    @Test func theKeyIsWrittenForItsOwnerOnly() async throws {
        try await TemporaryFolder.with { folder in
            let simulator = try AppStoreSimulator()

            try SimulatorFiles(folder: folder.path).write(simulator)

            let key = folder.path + "/default.server-api-key"
            let credential = simulator.apiKey().credential
            #expect(FileManager.default.contents(atPath: key) == Data(credential.utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let gatewayKey = folder.path + "/gateway-key.pem"
            #expect(try FileManager.default.attributesOfItem(atPath: gatewayKey)[.posixPermissions] as? Int == 0o600)
            #expect(FileManager.default.contents(atPath: gatewayKey) == Data(simulator.receiverIdentity.keyPEM.utf8))
        }
    }
}
