// SPDX-License-Identifier: Apache-2.0

// Statements that are parsed and planned once: what is sent again and again costs the server a third less for it.
extension PostgresConnection {
    /// What the server was asked to keep of a statement.
    enum Preparation: Equatable {
        case underWay
        /// Under its name, with this text.
        case done(String)
    }

    /// Has the server keep the statement, unless a pooler stands between.
    func prepare(
        _ statement: PostgresStatement, _ parameters: EncodedParameters, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        guard try await serverStaysTheSame(until: deadline), preparations[statement.name] == nil else { return }
        preparations[statement.name] = .underWay
        let result = await run(.preparation(statement, parameters), until: deadline, heedsCancellation: true)
        guard case .failure(let error) = result else {
            preparations[statement.name] = .done(statement.sql)
            return
        }
        preparations[statement.name] = nil
        throw error
    }

    /// A pooler that lends its server connections out by the transaction must hand its clients cancel keys of its own, since
    /// no one server process is theirs: then the process that answers is not the one that the connection was told of.
    private func serverStaysTheSame(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Bool {
        if let keepsPreparations { return keepsPreparations }
        let answer = try await run(
            .statements([BoundStatement(Self.whoAnswers)]), until: deadline, heedsCancellation: true
        ).get()
        let isTheSame = try answer[0].int32(0) == serverProcessID
        keepsPreparations = isTheSame
        return isTheSame
    }

    private static let whoAnswers = PostgresStatement(name: "backend_pid", sql: "select pg_catalog.pg_backend_pid()")
}
