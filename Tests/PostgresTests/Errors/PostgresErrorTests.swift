// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Postgres

@Suite struct PostgresErrorTests {
    @Test(arguments: [
        ("FATAL:  28P01: password authentication failed for user \"app\"", PostgresError.Kind.authentication, "28P01"),
        ("FATAL:  28000: no pg_hba.conf entry for host", .authentication, "28000"),
        ("FATAL:  57P03: the database system is starting up", .unavailable, "57P03"),
        ("FATAL:  53300: sorry, too many clients already", .unavailable, "53300"),
        // PgBouncer, whose server is away.
        ("FATAL:  08P01: server login has been failing, try again later (server_login_retry)", .unavailable, "08P01"),
        ("FATAL:  08P01: client_login_timeout (server down)", .unavailable, "08P01"),
        ("FATAL:  08P01: no such database: nowhere", .connect, "08P01"),
        ("FATAL:  08P01: password authentication failed", .connect, "08P01"),
        ("FATAL:  58000: could not access the directory", .unavailable, "58000"),
        ("FATAL:  57P04: the database was dropped", .connect, "57P04"),
        ("FATAL:  3D000: database \"nowhere\" does not exist", .connect, "3D000"),
        ("FATALE :  3D000: la base n'existe pas", .connect, "3D000"),
    ])
    func sqlStateOfARefusedStartIsFoundInTheMessage(text: String, kind: PostgresError.Kind, state: String) {
        let message = "connection to server at \"127.0.0.1\", port 5432 failed: " + text + "\nLOCATION:  auth.c:1"

        let error = PostgresError(connectMessage: message)

        #expect(error.kind == kind)
        #expect(error.sqlState == SQLState(rawValue: state))
        #expect(!error.message.contains(state))
        #expect(!error.message.contains("LOCATION"))
    }

    @Test(arguments: [
        "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running?",
        "connection to server on socket \"/x/.s.PGSQL.1\" failed: session is read-only",
        "a:  b:  12345 : c", "",
    ])
    func messageWithoutASQLStateIsAFailureToConnect(text: String) {
        let error = PostgresError(connectMessage: text)

        #expect(error.kind == .connect)
        #expect(error.sqlState == nil)
        #expect(!error.message.contains("\n"))
    }

    /// libpq's own word, which bears no SQLSTATE: the server asks for a password again, however often it is tried.
    @Test func aMissingPasswordIsARefusal() {
        let error = PostgresError(connectMessage: "connection to server at \"::1\", port 1 failed: fe_sendauth: no password supplied")

        #expect(error.kind == .authentication)
        #expect(error.isRefusal)
    }

    @Test(
        arguments: [
            (PostgresError.Kind.connectionLost, nil, true), (.unavailable, nil, true), (.connect, nil, true),
            (.server, SQLState.readOnlyTransaction, true), (.server, .uniqueViolation, false),
            (.outcomeUnknown, nil, false),
            (.timedOut, nil, false), (.cancelled, nil, false), (.closed, nil, false), (.authentication, nil, false),
        ] as [(PostgresError.Kind, SQLState?, Bool)])
    func connectionLossIsWhatAnotherConnectionMends(kind: PostgresError.Kind, state: SQLState?, isLoss: Bool) {
        #expect(PostgresError(kind, message: "", sqlState: state).isConnectionLoss == isLoss)
    }

    @Test(
        arguments: [
            (PostgresError.Kind.timedOut, nil, true), (.server, SQLState.lockNotAvailable, true),
            (.server, .queryCanceled, true), (.server, .serializationFailure, true), (.server, .uniqueViolation, false),
            (.server, .readOnlyTransaction, false), (.connectionLost, .adminShutdown, false), (.server, nil, false),
        ] as [(PostgresError.Kind, SQLState?, Bool)])
    func whatMayPassIsOfTheMoment(kind: PostgresError.Kind, state: SQLState?, mayPass: Bool) {
        #expect(PostgresError(kind, message: "", sqlState: state).mayPass == mayPass)
    }

    @Test func descriptionNamesStatementStateAndConstraint() {
        let error = PostgresError(
            .server,
            message: "duplicate key",
            sqlState: .uniqueViolation,
            constraint: "one_grant_per_order",
            statementName: "settle"
        )

        #expect(error.description == "settle: server 23505 (one_grant_per_order): duplicate key")
    }
}
