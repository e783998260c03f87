// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials

/// Changes an input of a reader somewhere behind its encodings: in a certificate in the base64 in the JSON in the base64
/// of a JWS, for one.
///
/// Where exactly is up to the generator, so that equal generators change alike; how bytes change is up to the caller.
package struct StructuredMutation<Generator: RandomNumberGenerator> {
    package var generator: Generator
    private let damage: ([UInt8]) -> [UInt8]

    package init(using generator: Generator, damage: @escaping ([UInt8]) -> [UInt8]) {
        self.generator = generator
        self.damage = damage
    }

    /// The input, changed in one place. One in four times that is any place of it, encodings disregarded.
    package mutating func changed(_ bytes: [UInt8], for reader: UntrustedReader) -> [UInt8] {
        guard Int.random(in: 0..<4, using: &generator) > 0 else { return damage(bytes) }
        return switch reader {
        case .proofReader, .appleJSON: damage(bytes)
        case .signedTransaction: changed(jws: bytes)
        case .appReceipt: changed(der: bytes)
        }
    }

    private mutating func changed(jws bytes: [UInt8]) -> [UInt8] {
        var parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Base64.decode(unpadded: $0, as: .url) ?? Array($0) }
        let index = parts.indices.randomElement(using: &generator) ?? 0
        parts[index] = index == 0 && Bool.random(using: &generator) ? changed(header: parts[0]) : damage(parts[index])
        return Array(parts.map { Base64.encode($0, as: .url) }.joined(separator: ".").utf8)
    }

    /// Changes one of the texts in quotes that is a certificate.
    private mutating func changed(header: [UInt8]) -> [UInt8] {
        changed(quoted: header, over: 100) { mutation, bytes in mutation.changed(der: bytes) }
    }

    private mutating func changed(der bytes: [UInt8]) -> [UInt8] {
        guard var trees = DERTree.trees(of: bytes[...]), !trees.isEmpty else { return damage(bytes) }
        DERTree.change(&trees, using: &generator, damage)
        return trees.flatMap(\.encoded)
    }

    /// Changes what one of the longer texts in quotes is the base64 of.
    private mutating func changed(
        quoted bytes: [UInt8], over length: Int, _ change: (inout Self, [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        var texts = bytes.split(separator: quote, omittingEmptySubsequences: false).map(Array.init)
        let candidates = texts.indices.filter { texts[$0].count > length }
        guard let index = candidates.randomElement(using: &generator),
            let inner = Base64.decode(padded: texts[index][...], as: .standard)
        else { return damage(bytes) }
        texts[index] = Array(Data(change(&self, inner)).base64EncodedString().utf8)
        return Array(texts.joined(separator: [quote]))
    }
}
