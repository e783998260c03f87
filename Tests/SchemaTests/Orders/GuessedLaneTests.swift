// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// A proof goes to the lane that its first characters call for. In a wrong one, it would wait behind that lane's gate.
@Suite struct GuessedLaneTests {
    @Test(arguments: [
        ("eyJ1", "local 1"), (" \neyJ1", "local 1"), (#""eyJ1""#, "local 1"), ("\u{FEFF}eyJ1", "local 1"),
        (#"{"jws": "eyJ1"}"#, "local 1"),
        ("ZXlK1", "local 1"), (#"\x65794a"#, "local 1"), ("MII1", "verify_receipt 1"), ("MIIeyJ1", "verify_receipt 1"),
        ("12345", "server_api 2"), (#""12345""#, "server_api 2"), ("12345 and more", "verify_receipt 1"),
    ])
    func wrappedProofGoesWhereTheProofInsideBelongs(proof: String, lane: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await shop.upload("a", proof)

            let found = try await shop.value(
                "select g.route || ' ' || j.priority from counterfoil.jobs j join counterfoil.gates g on g.lane = j.lane")
            #expect(found == lane)
        }
    }
}
