// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Verification

/// A job as a claim returned it, with its place in the queue.
package struct ClaimedJob: Sendable {
    package let job: Job
    package let priority: Int
    package let runAt: PostgresTimestamp
}
