// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Testing
import Verification

@testable import AppStore

@Suite
struct RepeatedFieldsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: String
        let names: Set<String>

        init(_ name: String, _ json: String, _ names: Set<String> = []) {
            testDescription = name
            self.json = json
            self.names = names
        }
    }

    static let cases = [
        Case("no field", "{}"),
        Case("each once", #"{"a":1,"b":1,"c":[1,1],"d":{"a":2}}"#),
        Case("the same value twice", #"{"a":1,"b":2, "a" : 1 }"#),
        Case("two numbers", #"{"a":1,"b":2,"a":3}"#, ["a"]),
        Case("null beside a value", #"{"a":null,"a":3}"#, ["a"]),
        Case("another type", #"{"a":"1","a":1}"#, ["a"]),
        Case("another spelling of the name", #"{"a":1,"\u0061":2}"#, ["a"]),
        Case("an object and another", #"{"a":{"b":1},"a":{"b":2}}"#, ["a"]),
        Case("inside of an object", #"{"a":{"b":1,"b":2},"c":3}"#, ["a"]),
        Case("in an object in an array", #"{"a":[{"b":1},{"b":1,"b":2}],"c":3}"#, ["a"]),
        Case("one name in two objects of an array", #"{"a":[{"b":1},{"b":2}]}"#),
        Case("a comma, a brace and a quote in a text", #"{"a":"1,\"}","a":"1,\"}"}"#),
        Case("texts that differ behind an escape", #"{"a":"\"x","a":"\"y"}"#, ["a"]),
        Case("a name that ends in a backslash", #"{"a\\":1,"a\\":2}"#, [#"a\"#]),
        Case("three values, first and last alike", #"{"a":1,"a":2,"a":1}"#, ["a"]),
    ]

    @Test(arguments: cases)
    func repeatedFieldIsFound(of row: Case) {
        #expect(RepeatedFields(in: Array(row.json.utf8)).names == row.names)
    }

    /// Whatever the bytes are: nothing is read beyond their end.
    @Test(arguments: ["", "\"", "{", #"{"a"#, #"{"a\"#, #"{"a":"#, "}", "]}", #"{"a":1"#, ",", "[,]", #"{"a","b"}"#])
    func bytesWithoutFormAreRead(json: String) {
        #expect(RepeatedFields(in: Array(json.utf8)).names.isEmpty)
    }

    private static func text(_ extra: String, _ changes: [String: String] = [:]) -> String {
        String(PayloadText.json(changes).dropLast()) + "," + extra + "}"
    }

    @Test
    func repeatedFieldThatDecidesAboutMoneyIsLeftToAnOperator() async throws {
        let fixture = try SigningFixture()

        let repetitions = [
            #""productId":"com.example.app.dear""#, #""quantity":1,"quantity":2"#, #""revocationDate":null,"revocationDate":1e12"#,
        ]
        for extra in repetitions {
            #expect(try await fixture.verdict(onPayload: Self.text(extra)) == .failure(.unknownAnswer), "\(extra)")
        }
    }

    @Test
    func repeatedFieldThatIsPassedOverIsNoObstacle() async throws {
        let fixture = try SigningFixture()
        let plain = try await fixture.verdict(onPayload: PayloadText.json())

        let repeated = try await fixture.verdict(onPayload: Self.text(#""storefrontId":"143441","storefrontId":"143443""#))

        #expect(try repeated.get() == plain.get())
    }

    @Test
    func forgedRepetitionIsAForgery() async throws {
        let payload = Array(Self.text(#""productId":"com.example.app.dear""#).utf8)
        let verifier = try SigningFixture().verifier()

        let jws = try SigningFixture().authority.sign(payload: payload, at: SigningFixture.purchaseDate)

        #expect(await SigningFixture.verdict(of: verifier, on: jws) == .failure(.untrustedRoot))
    }
}
