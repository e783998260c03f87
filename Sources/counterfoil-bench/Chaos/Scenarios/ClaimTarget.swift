// SPDX-License-Identifier: Apache-2.0

/// How long claims may take while a fault lasts, or after it.
struct ClaimTarget: Sendable {
    let window: ClaimTimes.Window
    /// What 99 of 100 are aimed to stay under, as a time to recovery is.
    var target = Duration.milliseconds(3)
    /// When 99 of 100 don't stay under that, the scenario has failed, on however busy a machine: a claim that walks over
    /// rows in its way takes longer the more there are.
    var limit = Duration.milliseconds(50)
}
