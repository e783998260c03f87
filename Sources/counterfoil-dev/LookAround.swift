// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import PrivatePostgres
import Rehearsal

/// How to look around in an environment that stays: commands that can be pasted as they stand.
struct LookAround {
    private let environment: DevEnvironment

    init(_ environment: DevEnvironment) {
        self.environment = environment
    }

    var text: String {
        let control = "https://localhost:\(environment.simulator.productionPort)/simulator/"
        let connection = "-h \(environment.server.socketFolder) -p \(environment.server.port) -d \(RehearsalDatabase.name)"
        return """
            Look around, in SQL as the server's superuser, and by commands as an operator:
              psql \(connection) -U postgres
              . \(environment.folder.environment)
              counterfoil doctor
              counterfoil dashboard
              counterfoil orders list --limit 20
              counterfoil orders show ID

            Buy something: an order, and a fresh signed transaction that the simulator mints. (A backend binds the proof as a
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

            The workers' logs: \(environment.folder.path)/worker-*.log
            """
    }
}
