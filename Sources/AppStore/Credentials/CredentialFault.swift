// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a credential's file: a phrase to follow its name, without anything of its contents.
struct CredentialFault: Error, Hashable, Sendable {
    static let missing = CredentialFault("is missing or can't be read")
    static let tooLarge = CredentialFault("is too large")

    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }
}
