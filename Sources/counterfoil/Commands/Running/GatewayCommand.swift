// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Gateway
import Logging
import Observability

struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Answers a shop's servers over HTTP, and takes Apple's notifications.",
        discussion: """
            Connect by counterfoil_gateway. It runs in the foreground until it is stopped, and any number of gateways may run. \
            Keys are made by counterfoil keys add. An address is numeric, 127.0.0.1:8480 or [::1]:8480, or unix:PATH. Plain HTTP \
            from a network is refused: give the listener a certificate, or put a proxy with TLS before it, on a socket's path or \
            on the loopback. SIGHUP reads certificates and keys again.
            """
    )

    @Option(help: "Where the shop's servers are answered, or none.", transform: GatewayAddressArgument.init(text:))
    var listen = GatewayAddressArgument(address: .network(host: "127.0.0.1", port: 8480))

    @Option(help: "Where Apple's notifications are taken. Default: nowhere.", transform: GatewayAddressArgument.init(text:))
    var apple: GatewayAddressArgument?

    @Option(help: ArgumentHelp("The certificate of --listen with those that lead to its root, in PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("Its key, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(help: ArgumentHelp("The certificate of --apple, in the same form.", valueName: "file"))
    var appleTlsCertificate: String?

    @Option(help: ArgumentHelp("Its key, in PEM.", valueName: "file"))
    var appleTlsKey: String?

    @Option(help: "Connections of each address.")
    var connections = GatewayLimits().connections

    @Option(help: "Requests that wait at a time.")
    var waits = GatewayLimits().waits

    func validate() throws {
        guard (1...1_000_000).contains(connections), (1...1_000_000).contains(waits) else {
            throw ValidationError("--connections and --waits are 1 to 1000000.")
        }
        guard listen.address != nil || apple?.address != nil else { throw ValidationError("It would listen nowhere.") }
        guard (tlsCertificate == nil) == (tlsKey == nil), (appleTlsCertificate == nil) == (appleTlsKey == nil) else {
            throw ValidationError("A certificate goes with its key.")
        }
        guard tlsKey == nil || listen.address != nil, appleTlsKey == nil || apple?.address != nil else {
            throw ValidationError("A certificate goes with an address.")
        }
    }

    func run() async throws {
        var configuration = GatewayConfiguration()
        configuration.shopAddress = listen.address
        configuration.appleAddress = apple?.address
        configuration.tls[.shop] = Self.tls(tlsCertificate, tlsKey)
        configuration.tls[.apple] = Self.tls(appleTlsCertificate, appleTlsKey)
        configuration.limits.connections = connections
        configuration.limits.waits = waits
        configuration.version = Version.current
        try await GatewayRun(assembly: Assembly(logLevel: .info), configuration: configuration).run()
    }

    private static func tls(_ certificate: String?, _ key: String?) -> TLSFiles? {
        guard let certificate, let key else { return nil }
        return TLSFiles(certificate: certificate, key: key)
    }
}

/// An address, or none.
struct GatewayAddressArgument: Sendable {
    let address: GatewayAddress?

    init(address: GatewayAddress?) {
        self.address = address
    }

    init(text: String) throws {
        if text == "none" {
            address = nil
        } else if text.hasPrefix("unix:/") {
            address = .unix(path: String(text.dropFirst(5)))
        } else if let network = MetricsAddress(text) {
            address = .network(host: network.host, port: network.port)
        } else {
            throw ValidationError("An address is numeric, such as 127.0.0.1:8480, or unix:PATH, or none.")
        }
    }
}
