// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Delivering
import EventSources
import Logging
import Postgres
import VerificationQueue

struct DeliverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliver",
        abstract: "Calls a shop's function for each change of the feed, exactly once.",
        discussion: """
            The function takes one counterfoil.change. Connect by the shop's own role, which was granted counterfoil_backend: the \
            function has that role's rights. The cursor is kept in the shop's schema and is committed together with what the \
            function wrote. A change that fails waits and is tried again; later changes of its order wait behind it. A second \
            deliverer of the same state stands by.

            Without --waiting, --retry and --skip the command runs in the foreground until it is stopped.
            """
    )

    @Option(help: "The function, as schema.name.")
    var function: QualifiedName

    @Option(help: "The table of the reader's state, as schema.name. It is made with two more, NAME_pages and NAME_waiting.")
    var state: StateTables

    @Option(help: "Where a reader without a state begins: now, all, or a time such as 2026-03-01T09:30:00Z.")
    var from: String?

    @Option(help: "Only changes of these kinds, separated by commas. Default: all.")
    var kinds: ChangeKinds?

    @Option(help: "Only changes of this app. May be given again.")
    var bundle: [String] = []

    @Flag(help: "List the changes that wait, and those that were skipped.")
    var waiting = false

    @Option(help: "Try this waiting change at once.")
    var retry: Int64?

    @Option(help: "Give this waiting change up; it needs --why. The next one of its order goes on.")
    var skip: Int64?

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [waiting, retry != nil, skip != nil].filter(\.self).count <= 1 else {
            throw ValidationError("--waiting, --retry and --skip exclude each other.")
        }
    }

    func run() async throws {
        let isOfOperator = waiting || retry != nil || skip != nil
        let assembly = try Assembly(logLevel: isOfOperator ? .warning : .info)
        do {
            if isOfOperator {
                try await operate(assembly)
            } else {
                try await DelivererRun(assembly: assembly, plan: plan).run()
            }
        } catch let problem as DeliveryProblem {
            throw CommandFailure(problem)
        }
    }

    private var plan: DeliveryPlan {
        var plan = DeliveryPlan(function: function, tables: state)
        plan.start = from.map { DeliveryStart($0) }
        plan.selection.kinds = kinds?.names
        plan.selection.bundleIDs = bundle.isEmpty ? nil : Set(bundle)
        return plan
    }

    private func operate(_ assembly: Assembly) async throws {
        var configuration = try assembly.makeDatabaseConfiguration()
        // The function's names are looked up as its own role looks them up.
        configuration.isPinned = false
        let connection = try await PostgresConnection.connect(configuration, logger: assembly.logger)
        try await endingLast(connection.close) {
            let changes = WaitingChanges(plan, connection)
            try await changes.check()
            if let retry {
                try report(try await changes.retry(retry), of: retry)
            } else if let skip {
                let act = try manual.act(assembly)
                guard try await changes.skip(skip, by: act.who, why: act.why) else {
                    throw CommandFailure(.failure, "no change \(skip) waits")
                }
                output.report([("changes_skipped", 1)], "change \(skip) is skipped")
            } else {
                let rows = try await changes.list(atMost: limit.rowsToRead).map { OutputValue($0) }
                output.list(limit.cut(rows), nothing: "nothing waits")
            }
        }
    }

    private func report(_ retry: WaitingChanges.Retry, of id: Int64) throws {
        switch retry {
        case .delivered: output.report([("changes_delivered", 1)], "change \(id) is delivered")
        case .failed(let text): throw CommandFailure(.failure, "change \(id) failed again: \(text)")
        case .unknown: throw CommandFailure(.failure, "no change \(id) waits")
        case .skipped: throw CommandFailure(.failure, "change \(id) was skipped")
        case .behind(let first): throw CommandFailure(.failure, "change \(id) waits behind change \(first) of its order")
        }
    }
}

extension CommandFailure {
    fileprivate init(_ problem: DeliveryProblem) {
        let status: CommandSupport.ExitStatus =
            switch problem {
            case .mayNotReadFeed, .mayNotCall: .noPermission
            case .schemaIsOlder: .schemaTooOld
            default: .configuration
            }
        self.init(status, problem.description)
    }
}

/// Kinds of changes, separated by commas. A kind that nobody knows is refused: it would pass over what it means.
struct ChangeKinds: ExpressibleByArgument {
    let names: Set<String>

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ ChangeKind(rawValue: $0) != nil }) else { return nil }
        self.names = Set(names)
    }

    static var allValueStrings: [String] { ChangeKind.allCases.map(\.rawValue) }
}

extension QualifiedName: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

extension StateTables: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}
