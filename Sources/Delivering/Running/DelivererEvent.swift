// SPDX-License-Identifier: Apache-2.0

/// A step of a deliverer that ended, for tests that wait for it.
package struct DelivererEvent: Sendable, Equatable {
    package let step: DeliveryMachine.Step
    package let outcome: DeliveryMachine.Outcome
}
