// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport

/// The production program: workers, and the commands of its operators.
@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil",
        abstract: "Verifies in-app purchases of the App Store and grants each exactly once.",
        discussion: """
            A shop's backend inserts orders and their proofs into a PostgreSQL database. Workers verify the proofs with \
            Apple and write the results into the same database. Environment variables configure everything: see \
            counterfoil help environment. The program counterfoil-dev rehearses all of it without Apple.

            The packages install a manual page, man counterfoil, and completions for bash, zsh and fish; counterfoil \
            --generate-completion-script SHELL prints them too.

            Exit status:
            \(ExitStatus.table)
            """,
        version: Version.current,
        subcommands: [
            MigrateCommand.self, WorkerCommand.self, DeliverCommand.self, GatewayCommand.self, KeysCommand.self,
            WebhooksCommand.self, SubmitCommand.self,
            FindCommand.self, OrdersCommand.self, CustomersCommand.self, AccountsCommand.self, PaymentsCommand.self,
            SubscriptionsCommand.self, ConsumptionCommand.self,
            ProofsCommand.self, JobsCommand.self, NotificationsCommand.self, GatesCommand.self, AppsCommand.self,
            ProductsCommand.self, CheckCommand.self, DoctorCommand.self, DashboardCommand.self, ChangesCommand.self,
            InspectCommand.self, EnvironmentCommand.self, VersionCommand.self,
            AttemptCommand.self,
        ]
    )

    static func main() async {
        await runAndExit()
    }
}
