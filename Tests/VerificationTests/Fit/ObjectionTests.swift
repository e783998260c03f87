// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// The rows of the table in ``Objection``'s documentation, each with facts by which it stands.
struct ObjectionRow: CustomTestStringConvertible, Sendable {
    let name: String
    let objection: Objection
    let reason: Reason
    let scope: Objection.Scope
    let overruling: Objection.Overruling
    let description: String

    /// Changes a case in which nothing stands, so that this objection does.
    let arrange: @Sendable (inout FitCase) -> Void

    var testDescription: String { name }
}

/// A payment, an order and a policy. Nothing stands against the payment.
struct FitCase: Sendable {
    var transaction = makeTransaction("1", token: token)
    var order = makeOrder(token: token)
    var policy = AppPolicy(absentToken: .review, ledgerStartsAt: moment(-1_000))
    var listedKind: ProductKind? = .consumable
    var isConfirmed = false
    var provesPossession = true
    var signedAt: Date?
    var faults: [String] = []
    var holder: LedgerFacts.Holder?
    var refund: LedgerFacts.Refund?
    var isPartlyRefunded = false
    var isAddition = false
    var isBoughtAgain = false
    var isAnotherAccounts = false
    var isAdvancedCommerce = false
    var firstOrderedAt: Date?
    var knownToken: UUID?
    var paidAt: Date?
    var ownOrder: OrderID?
    var orderState: OrderState?

    var shown: ShownPayment {
        ShownPayment(
            transaction, listedKind: transaction.productID == order.productID ? listedKind : nil, isConfirmed: isConfirmed,
            provesPossession: provesPossession, signedAt: signedAt, faults: faults)
    }

    var payment: PaymentFacts {
        PaymentFacts(
            shown,
            ledger: LedgerFacts(
                holder: holder, refund: refund, isPartlyRefunded: isPartlyRefunded, isAddition: isAddition,
                isBoughtAgain: isBoughtAgain, isAnotherAccounts: isAnotherAccounts, ownOrder: ownOrder,
                orderState: orderState, firstOrderedAt: firstOrderedAt, token: knownToken, listedKind: listedKind,
                isAdvancedCommerce: isAdvancedCommerce, paidAt: paidAt))
    }

    var objections: [Objection] { Fit.objections(to: payment, for: order, under: policy) }
}

@Suite struct ObjectionTests {
    private static let holder = LedgerFacts.Holder(
        orderID: OrderID(rawValue: "other"), accountID: AccountID(rawValue: "bob"), transactionID: TransactionID(rawValue: "1"))

    /// In order of weight.
    static let rows: [ObjectionRow] = [
        ObjectionRow(
            name: "granted", objection: .granted(holder), reason: .alreadyGranted, scope: .payment, overruling: .nobody,
            description: "the transaction was granted to order other", arrange: { $0.holder = holder }),
        ObjectionRow(
            name: "anotherApp", objection: .anotherApp(BundleID(rawValue: "theirs")), reason: .wrongApp, scope: .payment,
            overruling: .nobody, description: "the transaction belongs to the app theirs",
            arrange: { $0.transaction.bundleID = BundleID(rawValue: "theirs") }),
        ObjectionRow(
            name: "sandbox", objection: .sandbox, reason: .sandboxNotAllowed, scope: .payment, overruling: .nobody,
            description: "it is a sandbox purchase, which doesn't count for this account",
            arrange: { $0.transaction.environment = .sandbox }),
        ObjectionRow(
            name: "paidBySomebodyElse", objection: .paidBySomebodyElse(.familyShared), reason: .familyShared, scope: .payment,
            overruling: .nobody, description: "somebody else paid for it: a family member",
            arrange: { $0.transaction.ownership = .familyShared }),
        ObjectionRow(
            name: "orderIsOver", objection: .orderIsOver(.fulfilled), reason: .orderAlreadyPaid, scope: .order,
            overruling: .nobody, description: "the order is fulfilled", arrange: { $0.orderState = .fulfilled }),
        ObjectionRow(
            name: "takenBack", objection: .takenBack, reason: .refunded, scope: .payment, overruling: .nobody,
            description: "the payment was taken back", arrange: { $0.refund = recent }),
        ObjectionRow(
            name: "anotherOwner", objection: .anotherOwner, reason: .ownerMismatch, scope: .payment,
            overruling: .operatorByOverride, description: "the payment seems to be another account's",
            arrange: { $0.isAnotherAccounts = true }),
        ObjectionRow(
            name: "refundReversed", objection: .refundReversed, reason: .refundReversed, scope: .payment, overruling: .nobody,
            description: "it is recorded as refunded, and according to Apple it stands: "
                + "counterfoil orders refund --reversed comes first",
            arrange: {
                $0.refund = recent
                $0.signedAt = moment(61)
            }),
        ObjectionRow(
            name: "unknownOwnership", objection: .unknownOwnership, reason: .unknownAnswer, scope: .payment,
            overruling: .operatorByOverride,
            description: "Apple names an ownership that is not documented, so nobody knows who paid for it",
            arrange: { $0.transaction.ownership = .unknown }),
        ObjectionRow(
            name: "odd", objection: .odd(["price can't be read", "type can't be read"]), reason: .unknownAnswer, scope: .payment,
            overruling: .operatorByOverride,
            description: "in the transaction that Apple signed, the price can't be read, the type can't be read",
            arrange: { $0.faults = ["price can't be read", "type can't be read"] }),
        ObjectionRow(
            name: "advancedCommerce", objection: .advancedCommerce, reason: .unsupportedYet, scope: .payment,
            overruling: .operatorByOverride,
            description: "it was sold through Apple's Advanced Commerce, whose items and refunds are not read",
            arrange: { $0.transaction.isAdvancedCommerce = true }),
        ObjectionRow(
            name: "addedSeats", objection: .addedSeats, reason: .seatsAdded, scope: .payment, overruling: .operatorPlainly,
            description: "seats were added to its period of a subscription: each has a payment of its own",
            arrange: { $0.transaction.additionalReason = .seatAddition }),
        ObjectionRow(
            name: "partlyRefunded", objection: .partlyRefunded, reason: .partlyRefunded, scope: .payment,
            overruling: .operatorByOverride,
            description: "a part of the payment was refunded, or Apple leaves open how much",
            arrange: { $0.isPartlyRefunded = true }),
        ObjectionRow(
            name: "boughtAgain", objection: .boughtAgain, reason: .boughtAgainAfterRevocation, scope: .payment,
            overruling: .operatorByOverride, description: "its original transaction was refunded before",
            arrange: { $0.isBoughtAgain = true }),
        ObjectionRow(
            name: "beforeLedger", objection: .beforeLedger, reason: .beforeLedger, scope: .payment,
            overruling: .operatorByOverride,
            description: "it was made before the ledger began, so another system may have delivered it",
            arrange: { $0.policy.ledgerStartsAt = moment(2) }),
        ObjectionRow(
            name: "anotherProduct",
            objection: .anotherProduct(paid: ProductID(rawValue: "coins"), ordered: ProductID(rawValue: "gems")),
            reason: .wrongProduct, scope: .order, overruling: .operatorByOverride, description: "coins was paid, gems was ordered",
            arrange: { $0.order.productID = ProductID(rawValue: "gems") }),
        ObjectionRow(
            name: "unknownKind", objection: .unknownKind(ProductID(rawValue: "coins")), reason: .unknownProduct, scope: .payment,
            overruling: .nobody,
            description: "nothing says of which kind the product coins is: add it with counterfoil products add",
            arrange: { $0.listedKind = nil }),
        ObjectionRow(
            name: "restoresConsumable", objection: .restoresConsumable(TransactionID(rawValue: "0")),
            reason: .productKindMismatch, scope: .payment, overruling: .nobody,
            description: "it restores or renews 0, as no consumable does: mend its product's kind by counterfoil products add",
            arrange: { $0.transaction.originalID = TransactionID(rawValue: "0") }),
        ObjectionRow(
            name: "anotherKind", objection: .anotherKind(signed: .consumable, listed: .nonRenewing), reason: .productKindMismatch,
            scope: .payment, overruling: .operatorPlainly,
            description: "according to Apple its product is of the kind consumable, and non_renewing is listed",
            arrange: {
                $0.transaction.productKind = .consumable
                $0.listedKind = .nonRenewing
            }),
        ObjectionRow(
            name: "unconfirmedPeriod", objection: .unconfirmedPeriod, reason: .subscriptionUnconfirmed, scope: .payment,
            overruling: .operatorPlainly,
            description: "its proof shows no number of the subscription's period, and Apple did not confirm it",
            arrange: { $0.listedKind = .autoRenewable }),
        ObjectionRow(
            name: "beforeOrder", objection: .beforeOrder, reason: .purchaseBeforeOrder, scope: .age, overruling: .operatorPlainly,
            description: "it was paid before the order was made", arrange: { $0.order.createdAt = moment(12) }),
        ObjectionRow(
            name: "noToken", objection: .noToken, reason: .tokenMissing, scope: .form, overruling: .operatorByOverride,
            description: "it lacks the token that ties it to the order's account",
            arrange: { $0.transaction.appAccountToken = nil }),
        ObjectionRow(
            name: "tooFew", objection: .tooFew(paid: 1, ordered: 2), reason: .quantityShort, scope: .order,
            overruling: .operatorByOverride, description: "1 were paid, 2 were ordered", arrange: { $0.order.quantity = 2 }),
    ]

    private static let recent = LedgerFacts.Refund(asOf: moment(60), recordedAt: moment(61))

    /// These and their lighter neighbours can't be arranged together: a kind is known or isn't, and the shop lists one.
    private static let exclusive: Set<String> = ["unknownKind", "anotherKind"]

    @Test func nothingStandsAgainstAFittingPayment() {
        #expect(FitCase().objections == [])
    }

    @Test(arguments: rows)
    func eachStandsAlone(_ row: ObjectionRow) {
        var facts = FitCase()
        row.arrange(&facts)

        #expect(facts.objections == [row.objection])
    }

    @Test(arguments: zip(rows, rows.dropFirst()))
    func theHeavierComesFirst(_ heavier: ObjectionRow, _ lighter: ObjectionRow) {
        guard !Self.exclusive.contains(heavier.name) else { return }
        var facts = FitCase()
        lighter.arrange(&facts)
        heavier.arrange(&facts)

        #expect(facts.objections == [heavier.objection, lighter.objection])
    }

    /// Rows that neighbours pass over, because the neighbours can't stand together.
    @Test func theHeavierComesFirstOfRowsThatAreNoNeighbours() throws {
        for (heavier, lighter) in [
            ("anotherProduct", "restoresConsumable"), ("beforeLedger", "unknownKind"), ("unknownKind", "beforeOrder"),
            ("anotherKind", "beforeOrder"), ("anotherProduct", "anotherKind"),
        ] {
            var facts = FitCase()
            let rows = try [heavier, lighter].map { name in try #require(Self.rows.first { $0.name == name }) }
            for row in rows.reversed() { row.arrange(&facts) }

            #expect(facts.objections.map(\.reason) == rows.map(\.reason))
        }
        var period = FitCase()
        period.transaction.productKind = .autoRenewable

        #expect(period.objections == [.anotherKind(signed: .autoRenewable, listed: .consumable), .unconfirmedPeriod])
    }

    @Test(arguments: rows)
    func eachHasItsConsequences(_ row: ObjectionRow) {
        #expect(row.objection.reason == row.reason)
        #expect(row.objection.scope == row.scope)
        #expect(row.objection.overruling == row.overruling)
        #expect(row.objection.description == row.description)
    }

    @Test func whoPaidAndWhatTheOrderIsHaveReasonsOfTheirOwn() {
        #expect(Objection.paidBySomebodyElse(.assigned).reason == .assignedSeat)
        #expect(Objection.paidBySomebodyElse(.assigned).description == "somebody else paid for it: whoever assigned the seat")
        #expect(Objection.orderIsOver(.cancelled).reason == .orderCancelled)
        #expect(Objection.orderIsOver(.refunded).reason == .orderAlreadyPaid)
    }

    // MARK: The documentation

    /// The table is what people read: its rows are these.
    @Test func theDocumentationHasTheseRows() throws {
        let tables = try Self.documentedTables()

        #expect(tables.count == 2)
        let names = Self.rows.map(\.name)
        #expect(tables.map { $0.map { $0[0] } } == [names, names])
        for (documented, row) in zip(try #require(tables.last), Self.rows) {
            let overruling =
                switch row.overruling {
                case .nobody: "nobody"
                case .operatorByOverride: "override"
                case .operatorPlainly: "plainly"
                }
            let (older, new) =
                switch row.name {
                case "anotherProduct": ("starts", "yes")
                case "beforeOrder": ("starts", "no")
                default:
                    switch row.scope {
                    case .payment: ("no", "no")
                    case .order: ("-", "yes")
                    case .age: ("starts", "no")
                    case .form: ("-", "no")
                    }
                }
            #expect(documented.suffix(3) == [overruling, older, new], "\(row.name)")
            let isNotKept = documented[2].hasPrefix("not") || row.name == "granted"
            #expect((row.reason.traits.keeping == nil) == isNotKept, "\(row.name)")
            guard documented[1].hasPrefix("review") else { continue }
            #expect(documented[1].hasPrefix("review \(row.reason.rawValue)"), "\(row.name)")
        }
    }

    /// The cells of the tables' rows, without their headings.
    /// An objection that no row has would be tested by nothing.
    @Test func eachObjectionHasItsRow() throws {
        let declaration = try Self.source().split(separator: "package enum Objection")[1].prefix { $0 != "}" }
        let cases = declaration.split(separator: "\n").compactMap { line in
            line.split(separator: "    case ").first.map { String($0.prefix { $0.isLetter }) }
        }

        #expect(cases.filter { !$0.isEmpty } == Self.rows.map(\.name))
    }

    private static func source(_ path: String = #filePath) throws -> String {
        let folder = String(path[..<(path.firstRange(of: "/Tests/")?.lowerBound ?? path.endIndex)])
        let file = URL(fileURLWithPath: folder + "/Sources/Verification/Fit/Objection.swift")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private static func documentedTables() throws -> [[[String]]] {
        let text = try source()
        var tables: [[[String]]] = []
        for line in text.split(separator: "\n") where line.hasPrefix("/// |") {
            if line.hasPrefix("/// | Objection") {
                tables.append([])
            } else if !line.hasPrefix("/// |---") {
                let cells = line.dropFirst(5).dropLast().split(separator: "|").map { cell in
                    cell.filter { $0 != "`" }.split(separator: " ").joined(separator: " ")
                }
                tables[tables.count - 1].append(cells)
            }
        }
        return tables
    }
}
