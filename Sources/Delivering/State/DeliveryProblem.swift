// SPDX-License-Identifier: Apache-2.0

/// Why a reader can't deliver; a person has to mend it. One line.
package enum DeliveryProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case mayNotReadFeed(role: String)
    case schemaIsOlder
    case noFunction(QualifiedName)
    case functionTakesOthers(QualifiedName, arguments: String)
    case functionIsNotPlain(QualifiedName)
    case mayNotCall(QualifiedName, role: String)
    case noSchema(String)
    case stateIsAnother(QualifiedName, columns: String)
    case stateIsIncomplete(QualifiedName, missing: String)
    case stateIsMissing(QualifiedName)
    case stateIsEmpty(QualifiedName)
    case badStart(String)

    package var description: String {
        switch self {
        case .mayNotReadFeed(let role):
            "the role \(role) may not read the feed: grant counterfoil_backend to it"
        case .schemaIsOlder:
            "the schema lacks the type counterfoil.change: run counterfoil migrate"
        case .noFunction(let name):
            "there is no function \(name)"
        case .functionTakesOthers(let name, let arguments):
            "the function \(name) takes (\(arguments)), and not one counterfoil.change"
        case .functionIsNotPlain(let name):
            "\(name) is a procedure or an aggregate, or returns several rows: it must be a plain function"
        case .mayNotCall(let name, let role):
            "the role \(role) may not call the function \(name)"
        case .noSchema(let name):
            "there is no schema \(name)"
        case .stateIsAnother(let name, let columns):
            "the table \(name) isn't a state that counterfoil deliver made: it has the columns \(columns)"
        case .stateIsIncomplete(let name, let missing):
            "the state \(name) is incomplete: \(missing) is missing"
        case .stateIsMissing(let name):
            "there is no state \(name) yet: say with --from where it begins (now, a time, or all)"
        case .stateIsEmpty(let name):
            "the state \(name) has lost its row: drop its three tables, and begin again with --from"
        case .badStart(let text):
            "--from \(text): it must be now, all, or a time such as 2026-03-01T09:30:00Z"
        }
    }
}
