// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport

@Suite struct UnknownVariableTests {
    private static let known = Variable.all.map(\.name)

    @Test(
        arguments: [
            ("SLOT", "SLOTS"), ("SLOTSS", "SLOTS"), ("SOLTS", "SLOTS"), ("LEASE_DURATON", "LEASE_DURATION"),
            ("LEASE_TIME", nil), ("DATABASE", nil), ("DATABASE_URI", "DATABASE_URL"), ("DATABSE_UR", "DATABASE_URL"),
            ("CREDENTIAL_DIRECTORY", "CREDENTIALS_DIRECTORY"), ("VERIFY_RECEIPT_URL", nil), ("BREAKER_ACCOUNTS", nil),
            ("SERVER_API_SANDBX_URL", "SERVER_API_SANDBOX_URL"), ("LISTN", "LISTEN"), ("X", nil), ("", nil),
        ] as [(String, String?)])
    func theNearestNameIsSuggested(name: String, nearest: String?) {
        let unknown = UnknownVariable(Variable.prefix + name, among: Self.known)

        #expect(unknown.nearest == nearest.map { Variable.prefix + $0 })
    }

    @Test func aSuggestionIsAQuestion() {
        let unknown = UnknownVariable("COUNTERFOIL_SLOT", among: Self.known)

        #expect(unknown.description == "COUNTERFOIL_SLOT is not a variable of this program; did you mean COUNTERFOIL_SLOTS?")
    }

    @Test func withoutALikelyNameThereIsNone() {
        let unknown = UnknownVariable("COUNTERFOIL_COLOUR", among: Self.known)

        #expect(unknown.description == "COUNTERFOIL_COLOUR is not a variable of this program")
    }

    @Test func ofTwoAsNearTheFirstIsTaken() {
        #expect(
            NearestName.find(to: "COUNTERFOIL_BAT", among: ["COUNTERFOIL_CAT", "COUNTERFOIL_BAR"], ignoring: Variable.prefix)
                == "COUNTERFOIL_CAT")
    }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "abcd", 1),
        ("abc", "acb", 1), ("abc", "bca", 2), ("kitten", "sitting", 3),
    ])
    func theDistanceCountsEdits(left: String, right: String, edits: Int) {
        #expect(NearestName.distance(left, right) == edits)
        #expect(NearestName.distance(right, left) == edits)
    }
}
