// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Postgres
import Schema
import VerificationQueue
import Webhooks

/// The findings about endpoints of webhooks that the database can't have: whether workers here have their secrets. Health has how
/// each endpoint fares.
extension Doctor {
    func webhookSecrets(_ connection: PostgresConnection) async throws -> [DoctorFinding] {
        guard assembly.settings.credentialsDirectory != nil else { return [] }
        let files = WebhookSecretFiles(directory: assembly.settings.credentialsDirectory)
        return try await connection.execute(SQLFile.findWebhookNames.statement).map { row in
            let name = try row.string(0)
            let subject = "credential \(WebhookSecretFiles.fileName(of: name))"
            do throws(WebhookSecrets.Fault) {
                _ = try files[name]
                return .ok(subject, "it holds secrets")
            } catch {
                return .warning(
                    subject, "it \(error.problem)",
                    mend: "put it into the credentials directory: workers here don't send to \(name)")
            }
        }
    }
}
