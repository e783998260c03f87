// SPDX-License-Identifier: Apache-2.0

import NIOCore

@testable import counterfoil_bench

/// Messages of PostgreSQL's protocol, version 3.0.
enum Wire {
    static let start: [UInt8] = [0, 0, 0, 9, 0, 3, 0, 0, 0]
    static let sync = message("S", [])
    static let bindDone = message("2", [])
    static let row = message("D", [0, 0])
    static let done = message("C", Array("SELECT 1".utf8) + [0]) + message("Z", Array("I".utf8))

    /// As one call of the extended protocol: parse, bind, execute, sync.
    static func query(_ text: String) -> [UInt8] {
        parsed(text) + sync
    }

    static func parsed(_ text: String) -> [UInt8] {
        message("P", [0] + Array(text.utf8) + [0, 0, 0]) + message("B", [0, 0, 0, 0, 0, 0, 0, 0]) + message("E", [0, 0, 0, 0, 0])
    }

    static func preparation(_ text: String, name: String) -> [UInt8] {
        message("P", Array(name.utf8) + [0] + Array(text.utf8) + [0, 0, 0]) + message("S", [])
    }

    static func execution(of name: String) -> [UInt8] {
        bound(name) + sync
    }

    static func bound(_ name: String) -> [UInt8] {
        message("B", [0] + Array(name.utf8) + [0, 0, 0, 0, 0, 0, 0]) + message("E", [0, 0, 0, 0, 0])
    }

    static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count + 4)
        return Array(String(type).utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
    }
}

extension [Conversation.Event] {
    var points: [NamedPoint] {
        compactMap { if case .point(let point) = $0 { point } else { nil } }
    }

    var bytes: [UInt8] {
        var all: [UInt8] = []
        for case .bytes(let bytes) in self { all += bytes.readableBytesView }
        return all
    }
}
