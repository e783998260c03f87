// SPDX-License-Identifier: Apache-2.0

import Verification

/// An attempt that finds out what a notification tells. What it means to orders, the settlement decides.
///
/// | Step | Does | Concludes the attempt early when |
/// |---|---|---|
/// | lane | finds the app that the job's lane belongs to | the lane is unknown: handed back |
/// | verify | verifies the signatures of the text and of the transaction in it; no call is made | the text is refused: recorded as such |
/// | compare | compares the app with that of the notification's row | it is another app's: recorded as refused |
/// | settle | hands over the payment, the words about it, and what else the notification tells | |
struct Record {
    let told: Told
    let job: Job
    let gate: Gate?
    let verifier: any TransactionVerifier

    func run() async -> Settlement {
        guard let gate else { return Settlement(job, .wait(.release, nil, lane: nil), message: "no gate for this app") }
        let notification: StoreNotification
        do {
            notification = try await verifier.verifyNotification(told.text)
        } catch {
            return Settlement(job, recording: NotificationEffects(refused: error))
        }
        // Its row says so, which was made of the same text.
        guard notification.bundleID == gate.bundleID else {
            return Settlement(job, recording: NotificationEffects(refused: .wrongApp))
        }
        return Settlement(job, recording: NotificationEffects(of: notification))
    }
}
