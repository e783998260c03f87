// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Gateway
import PrivatePostgres
import Rehearsal

/// How to look around in an environment that stays: URLs and commands that can be pasted as they stand.
struct LookAround {
    private let environment: DevEnvironment
    private let password: DevPassword

    init(_ environment: DevEnvironment, _ password: DevPassword) {
        self.environment = environment
        self.password = password
    }

    /// What other commands find.
    var installation: RunningInstallation {
        let roles = RehearsalDatabase.rolesWithPassword
        return RunningInstallation(
            urls: Dictionary(uniqueKeysWithValues: roles.map { ($0, url(as: $0)) }), simulatorURL: control,
            tlsRoot: environment.folder.tlsRoot, gateway: gateway)
    }

    private var gateway: RunningInstallation.GatewayFacts? {
        guard let site = environment.gateways, let key = environment.gatewayKey else { return nil }
        return .init(url: site.urls[0], key: key.text, notificationURL: site.notificationURL)
    }

    private static let backend = RehearsalDatabase.rolesWithPassword[0]

    private var control: String { "https://localhost:\(environment.simulator.productionPort)/simulator/" }

    private func url(as role: String) -> String {
        environment.server.loopbackURL(database: RehearsalDatabase.name, user: role, password: password.text)
    }

    var text: String {
        let connection = "-h \(environment.server.socketFolder) -p \(environment.server.port) -d \(RehearsalDatabase.name)"
        let others = RehearsalDatabase.rolesWithPassword.dropFirst().map { "  " + url(as: $0) }.joined(separator: "\n")
        let jdbc = environment.server.loopbackJDBCURL(
            database: RehearsalDatabase.name, user: Self.backend, password: password.text)
        return """
            Your backend connects with any driver, or by JDBC:
              \(url(as: Self.backend))
              \(jdbc)

            An operator, a dashboard and the superuser:
            \(others)

            One purchase and its refund, statement by statement:
              \(Self.program) buy

            Commands of an operator:
              . \(environment.folder.environment)
              counterfoil doctor
              counterfoil dashboard
              counterfoil orders list --limit 20
              counterfoil orders show ID

            A purchase by hand: a signed transaction that the simulator makes, and an order. (A backend binds the proof as a
            parameter: README.md.)
              proof=$(curl -s --cacert \(environment.folder.tlsRoot) \(control)transactions \\
                -d '{"bundleId": "\(ShopApp.puzzle.bundleID)", "productId": "\(ShopProduct.coins.productID)"}' | cut -d '"' -f 4)
              psql \(connection) -U counterfoil_backend -v proof="$proof" <<'END'
              insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
              values ('mine', '\(ShopApp.puzzle.bundleID)', '\(ShopProduct.coins.productID)', 'me');
              insert into counterfoil.jobs (order_id, proof) values ('mine', :'proof');
              select pg_sleep(0.5);
              select * from counterfoil.order_status_of('mine', 'me');
            END

            The simulator's calls, for refunds, receipts, faults and more:
              curl -s --cacert \(environment.folder.tlsRoot) \(control)

            \(http)The workers' logs: \(environment.folder.path)/worker-*.log
            """
    }

    /// An order and its status over HTTP; empty where no gateway runs.
    private var http: String {
        guard let gateway else { return "" }
        let (url, call) = (gateway.url, "curl -s -H 'Authorization: Bearer \(gateway.key)' -H 'Counterfoil-Account: me'")
        return """
            The gateway, for a backend that has no route to the database, a key of it, and its address for Apple:
              \(url)
              \(gateway.key)
              \(gateway.notificationURL)
              \(Self.program) buy --over http
              \(call) -X PUT \(url)/v1/orders/over-http -H 'Content-Type: application/json' \\
                -d '{"bundle_id": "\(ShopApp.puzzle.bundleID)", "product_id": "\(ShopProduct.coins.productID)"}'
              \(call) '\(url)/v1/orders/over-http?wait=5'


            """
    }

    /// This program as it was called.
    private static var program: String { CommandLine.arguments.first ?? "counterfoil-dev" }
}
