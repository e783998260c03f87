// SPDX-License-Identifier: Apache-2.0

// Statements that are parsed and planned once: what is sent again and again costs the server a third less for it.
extension PostgresConnection {
    /// What the server was asked to keep of a statement.
    enum Preparation: Equatable {
        case underWay
        /// Under its name, with this text.
        case done(String)
    }

    /// Has the server keep the statement, unless another call began to. No pooler may stand between.
    func prepare(
        _ statement: PostgresStatement, _ parameters: EncodedParameters, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        guard preparations[statement.name] == nil else { return }
        preparations[statement.name] = .underWay
        let result = await run(.preparation(statement, parameters), until: deadline, heedsCancellation: true)
        guard case .failure(let error) = result else {
            preparations[statement.name] = .done(statement.sql)
            return
        }
        preparations[statement.name] = nil
        throw error
    }
}
