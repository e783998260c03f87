// SPDX-License-Identifier: Apache-2.0

/// ASN.1 taken apart so that one place can be changed and all lengths above it stay right. Without that, nearly every
/// change is refused for a length, and what lies deeper is never reached.
struct DERTree {
    private enum Body {
        case bytes([UInt8])
        /// What is inside, and what stood before it: a bit string begins with a count.
        case elements([DERTree], after: [UInt8])
    }

    /// Deeper than anything that the App Store makes: a container, in it a certificate, in it an extension.
    private static let depth = 24

    private var tag: UInt8
    private var body: Body

    /// The elements that fill bytes exactly; nil when bytes are anything else.
    static func trees(of bytes: ArraySlice<UInt8>, depth: Int = depth) -> [DERTree]? {
        var rest = bytes
        var trees: [DERTree] = []
        while !rest.isEmpty {
            guard let (tag, content, end) = element(rest) else { return nil }
            trees.append(DERTree(tag: tag, body: body(content, tag: tag, depth: depth)))
            rest = rest[end...]
        }
        return trees
    }

    var encoded: [UInt8] {
        let content =
            switch body {
            case .bytes(let bytes): bytes
            case .elements(let elements, let prefix): prefix + elements.flatMap(\.encoded)
            }
        let size = content.count
        let length: [UInt8] =
            switch size {
            case ..<0x80: [UInt8(size)]
            case ..<0x100: [0x81, UInt8(size)]
            case ..<0x10000: [0x82, UInt8(size >> 8), UInt8(size & 0xFF)]
            default: [0x83, UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
            }
        return [tag] + length + content
    }

    /// Changes one place somewhere in trees: its content, its tag, or how often it stands there.
    static func change(
        _ trees: inout [DERTree], using generator: inout some RandomNumberGenerator, _ damage: ([UInt8]) -> [UInt8]
    ) {
        guard let index = trees.indices.randomElement(using: &generator) else { return }
        // Most of the nodes lie deep: going down is likelier than stopping.
        if case .elements(var elements, let prefix) = trees[index].body, Int.random(in: 0..<8, using: &generator) > 0 {
            change(&elements, using: &generator, damage)
            trees[index].body = .elements(elements, after: prefix)
            return
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: trees.remove(at: index)
        case 1: trees.insert(trees[index], at: index)
        case 2: trees.swapAt(index, trees.indices.randomElement(using: &generator) ?? index)
        case 3: trees[index].tag = UInt8.random(in: 0...0xFF, using: &generator)
        case 4: trees[index].body = .elements([trees[index]], after: [])
        default: trees[index].body = .bytes(damage(trees[index].content))
        }
    }

    private var content: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .elements(let elements, let prefix): prefix + elements.flatMap(\.encoded)
        }
    }

    /// Looks into constructed elements, and into strings of bytes that hold elements again.
    private static func body(_ content: ArraySlice<UInt8>, tag: UInt8, depth: Int) -> Body {
        let isBitString = tag == 0x03 && content.first == 0
        guard depth > 0, !content.isEmpty, tag & 0x20 != 0 || tag == 0x04 || isBitString,
            let elements = trees(of: isBitString ? content.dropFirst() : content, depth: depth - 1), !elements.isEmpty
        else { return .bytes(Array(content)) }
        return .elements(elements, after: isBitString ? [0] : [])
    }

    private static func element(_ bytes: ArraySlice<UInt8>) -> (UInt8, content: ArraySlice<UInt8>, end: Int)? {
        guard bytes.count >= 2 else { return nil }
        var start = bytes.startIndex + 2
        var length = Int(bytes[bytes.startIndex + 1])
        if length >= 0x80 {
            let size = length & 0x7F
            guard (1...3).contains(size), bytes.endIndex - start >= size else { return nil }
            length = bytes[start..<(start + size)].reduce(0) { $0 << 8 | Int($1) }
            start += size
        }
        guard length <= bytes.endIndex - start else { return nil }
        return (bytes[bytes.startIndex], bytes[start..<(start + length)], start + length)
    }
}
