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

    /// By which a gateway on this machine is known to the simulator, in PEM.
    private var gatewayCertificate: String { folder + "/gateway.pem" }
    private var gatewayKey: String { folder + "/gateway-key.pem" }

    /// - Throws: ``CommandFailure`` that names the folder or file.
    func write(_ simulator: AppStoreSimulator) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(simulator.authority.rootCertificateDER).write(to: URL(fileURLWithPath: signingRoot))
            try Data(simulator.tlsCertificateAuthorityPEM.utf8).write(to: URL(fileURLWithPath: tlsAuthority))
            try Data(simulator.receiverIdentity.certificatePEM.utf8).write(to: URL(fileURLWithPath: gatewayCertificate))
            try writeSecret(simulator.receiverIdentity.keyPEM, to: gatewayKey)
            try writeSecret(simulator.apiKey().credential, to: serverAPIKey)
        } catch {
            throw CommandFailure(.failure, "can't write certificates and a key into \(folder)")
        }
    }

    /// Nobody else may read it, as with a real one.
    private func writeSecret(_ secret: String, to path: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw CommandFailure(.failure, "can't write \(path)") }
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
            #   POST \(production)/simulator/apps          {"bundleId": "\(bundleIDs.first ?? "")", "notificationURL": "https://localhost:8481/v1/apple/notifications"}
            #   GET  \(production)/simulator/statistics

            # A gateway that takes notifications from it:
            #   counterfoil gateway --apple 127.0.0.1:8481 --apple-tls-certificate \(gatewayCertificate) --apple-tls-key \(gatewayKey)
            """
    }
}
