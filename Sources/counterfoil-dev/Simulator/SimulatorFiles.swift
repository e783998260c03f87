// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import CommandSupport
import FoundationEssentials

/// The files by which a worker trusts a simulator, and the guide that names them.
struct SimulatorFiles {
    let folder: String

    /// The root of its signed transactions, in DER.
    private var signingRoot: String { folder + "/signing-root.der" }
    /// The authority of its TLS certificates, in PEM.
    private var tlsAuthority: String { folder + "/tls-ca.pem" }
    /// The key of its App Store Server API, under the name that a worker looks for in its credentials.
    private var serverAPIKey: String { folder + "/default.server-api-key" }

    /// - Throws: ``CommandFailure`` that names the folder or file.
    func write(_ simulator: AppStoreSimulator) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(simulator.authority.rootCertificateDER).write(to: URL(fileURLWithPath: signingRoot))
            try Data(simulator.tlsCertificateAuthorityPEM.utf8).write(to: URL(fileURLWithPath: tlsAuthority))
            try writeServerAPIKey(simulator.apiKey().credential)
        } catch {
            throw CommandFailure(.failure, "can't write certificates and a key into \(folder)")
        }
    }

    /// Nobody else may read it, as with a real one.
    private func writeServerAPIKey(_ credential: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: serverAPIKey, contents: Data(credential.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw CommandFailure(.failure, "can't write \(serverAPIKey)") }
    }

    /// The variables of a worker, and the calls that steer the simulator. Its ports are known once it listens.
    func guide(to simulator: AppStoreSimulator, bundleIDs: [String]) -> String {
        let production = "https://localhost:\(simulator.productionPort)"
        let sandbox = "https://localhost:\(simulator.sandboxPort)"
        return """
            \(Variable.prefix)VERIFY_RECEIPT_PRODUCTION_URL=\(production)
            \(Variable.prefix)VERIFY_RECEIPT_SANDBOX_URL=\(sandbox)
            \(Variable.prefix)SERVER_API_PRODUCTION_URL=\(production)
            \(Variable.prefix)SERVER_API_SANDBOX_URL=\(sandbox)
            \(Variable.credentialsDirectory)=\(folder)
            \(Variable.tlsRoots)=\(tlsAuthority)
            \(Variable.extraRoots)=\(signingRoot)=\(bundleIDs.joined(separator: ","))

            # Steer it with curl --cacert \(tlsAuthority), JSON in and out:
            #   POST \(production)/simulator/transactions  {"bundleId": "\(bundleIDs.first ?? "")", "productId": "coins", "type": "Consumable"}
            #   POST \(production)/simulator/receipts      {"bundleId": "\(bundleIDs.first ?? "")", "inApp": [{"productId": "coins"}]}
            #   PUT  \(production)/simulator/receipts/ID   what to answer about a receipt
            #   PUT  \(production)/simulator/faults/verifyReceipt/production  {"faults": [{"probability": 0.1, "fault": {"kind": "http", "code": 503}}]}
            #   PUT  \(production)/simulator/faults/getTransactionInfo/production  {"faults": [{"probability": 0.1, "fault": {"kind": "error", "code": 5000001}}]}
            #   GET  \(production)/simulator/statistics
            """
    }
}
