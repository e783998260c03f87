// SPDX-License-Identifier: Apache-2.0

/// One of the simulator's ports.
enum Listener: CaseIterable, Sendable {
    case production
    case sandbox
    /// As production, with a certificate of an unknown authority.
    case foreignCertificate

    /// The environment of a call whose host is none of Apple's.
    var environment: SimulatedEnvironment {
        self == .sandbox ? .sandbox : .production
    }

    func port(in configuration: SimulatorConfiguration) -> Int {
        switch self {
        case .production: configuration.productionPort
        case .sandbox: configuration.sandboxPort
        case .foreignCertificate: configuration.foreignCertificatePort
        }
    }
}
