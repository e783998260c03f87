// SPDX-License-Identifier: Apache-2.0

/// The right to settle one attempt of a job.
///
/// The token rises at every claim and never goes down: settling must show it, and a stale one changes nothing.
package struct Lease: Hashable, Sendable {
    package let jobID: JobID
    package let token: Int64

    package init(jobID: JobID, token: Int64) {
        self.jobID = jobID
        self.token = token
    }
}
