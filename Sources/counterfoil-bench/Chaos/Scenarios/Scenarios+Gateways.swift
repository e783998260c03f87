// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal

extension Scenarios {
    /// What befalls gateways. The shop speaks HTTP alone, and Apple's notifications go to the first gateway.
    static let gateways = [
        Scenario(
            name: "gateway-killed",
            summary: "SIGKILL and SIGTERM of one of two gateways, in turn, while all purchases go over HTTP",
            settings: ChaosSettings(load: .seconds(16), notificationHour: .milliseconds(300), gateways: 2),
            schedule: { series, _ in
                series.every(.seconds(1)) { number, _ in
                    number % 2 == 0 ? .killGateway(number / 2 % 2) : .stopGateway(number / 2 % 2)
                }
            },
            leastFaults: 8, faultsThatMustCome: ["gateway killed", "gateway stopped"], isDecidedBySettlement: false)
    ]
}
