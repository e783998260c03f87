// SPDX-License-Identifier: Apache-2.0

/// What `orders show --json` says, as far as tests look at it.
struct OrderReport: Decodable, Equatable {
    struct Job: Decodable, Equatable {
        let id: Int64
        let state: String
        let rescues: Int
        let crashes: Int
    }

    struct Attempt: Decodable, Equatable {
        let disposition: String
        let reason: String?
        let message: String?
    }

    let state: String
    let reason: String?
    let client_action: String
    let transaction_id: String?
    let fulfilled_at: String?
    let jobs: [Job]
    /// Its finished attempts.
    let history: [Attempt]
}
