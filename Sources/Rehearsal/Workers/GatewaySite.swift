// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import AsyncHTTPClient
import EventSources
import FoundationEssentials
import NIOCore
import NIOHTTP1
import PrivatePostgres

/// The gateways of a rehearsal: where each listens for the shop, and where for the App Store.
package struct GatewaySite: Sendable {
    private struct Doors {
        let shop: Int
        let apple: Int
    }

    private let doors: [Doors]

    /// Chooses ports that nobody uses now.
    package init(gateways: Int) throws {
        doors = try (0..<gateways).map { _ in Doors(shop: try FreePort.find(), apple: try FreePort.find()) }
    }

    /// Where the shop reaches each.
    package var urls: [String] { doors.map { "http://127.0.0.1:\($0.shop)" } }

    /// Apple knows one address; the first gateway has it.
    package var notificationURL: String { "https://localhost:\(doors[0].apple)/v1/apple/notifications" }

    /// Returns once each says that it is ready; a minute later it fails.
    ///
    /// - Parameter gateway: only that one, by its number from 0.
    package func waitUntilReady(_ gateway: Int? = nil) async throws {
        let urls = gateway.map { [self.urls[$0]] } ?? self.urls
        try await before(.now + .seconds(60), waitingFor: "the gateways") {
            for url in urls {
                while true {
                    let status = try? await HTTPClient.shared.execute(
                        HTTPClientRequest(url: url + "/readyz"), timeout: .seconds(5)
                    ).status
                    if status == .ok { break }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// The processes, with the certificate that the App Store trusts in files of theirs.
    ///
    /// - Parameters:
    ///   - environment: of a worker beside them.
    ///   - databaseURL: as counterfoil_gateway.
    package func environments(
        beside environment: WorkerEnvironment, databaseURL: String, _ identity: TransportIdentity
    ) throws -> [WorkerEnvironment] {
        guard !doors.isEmpty else { return [] }
        let (certificate, key) = (environment.folder.path + "/gateway.pem", environment.folder.path + "/gateway-key.pem")
        try environment.folder.write(Data(identity.certificatePEM.utf8), to: certificate)
        try environment.folder.write(Data(identity.keyPEM.utf8), to: key)
        return doors.enumerated().map { number, doors in
            var gateway = environment
            gateway.databaseURL = databaseURL
            gateway.name = "gateway-\(number + 1)"
            gateway.program = nil
            gateway.arguments = [
                "gateway", "--listen", "127.0.0.1:\(doors.shop)", "--apple", "127.0.0.1:\(doors.apple)",
                "--apple-tls-certificate", certificate, "--apple-tls-key", key, "--connections", "2000",
            ]
            return gateway
        }
    }
}
