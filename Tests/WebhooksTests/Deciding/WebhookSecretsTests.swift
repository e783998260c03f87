// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Testing

@testable import Webhooks

@Suite struct WebhookSecretsTests {
    /// The example of the specification's own libraries (standard-webhooks, `libraries/python/tests`).
    private static let known = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func signaturesAreThoseOfStandardWebhooks() throws {
        let secrets = try WebhookSecrets(contents: Array(Self.known.utf8))

        let signature = secrets.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: #"{"test": 2432232314}"#)

        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func eachOfTwoSecretsSigns() throws {
        let other = WebhookSecrets.makeLine()
        let both = try WebhookSecrets(contents: Array("\(Self.known)\r\n  \(other) \n\n".utf8))
        let alone = try [Self.known, other].map { try WebhookSecrets(contents: Array($0.utf8)) }

        let signature = both.signature(id: "a", timestamp: 1, body: "b")

        #expect(signature == alone.map { $0.signature(id: "a", timestamp: 1, body: "b") }.joined(separator: " "))
    }

    static let faulty = [
        "", "\n\n", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_!!!", "whsec_AAAA", known + "\nwhsec_AAAA",
        [known, known, known].joined(separator: "\n"), "whsec_" + Data(repeating: 1, count: 65).base64EncodedString(),
        "whsec_" + Data(repeating: 1, count: 23).base64EncodedString(), String(repeating: known + "\n", count: 200),
    ]

    @Test(arguments: Self.faulty)
    func aFileThatHoldsNoSecretsIsRefusedWithoutItsContents(_ contents: String) {
        let fault = #expect(throws: WebhookSecrets.Fault.self) { try WebhookSecrets(contents: Array(contents.utf8)) }

        #expect(fault.map { !$0.problem.contains("MfKQ") } == true)
    }

    @Test func nothingPrintsSecrets() throws {
        let secrets = try WebhookSecrets(contents: Array(Self.known.utf8))
        var dumped = ""
        dump(secrets, to: &dumped)

        #expect("\(secrets)" == "secrets")
        #expect(!dumped.contains("Key"))
    }
}
