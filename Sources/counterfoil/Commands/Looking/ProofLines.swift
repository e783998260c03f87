// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Glibc

/// The lines of a file or of standard input, one at a time. No more than one line is kept, and never more of it than a proof may
/// have.
final class ProofLines {
    enum Line {
        /// Without its line end, a line feed or a carriage return and a line feed. May be empty.
        case text(String)
        /// Not UTF-8, or with a byte of zero.
        case notText
        /// Longer than ``ProofFile/limit``.
        case tooLarge
    }

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D

    private let name: String
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    /// What was read and not looked at yet.
    private var rest: Range<Int> = 0..<0
    private var isAtEnd = false

    /// - Parameter path: of a file; `-` is standard input.
    /// - Throws: ``CommandFailure`` of status `badInput`.
    init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(name) }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// The next line; nil at the end. What follows the last line end is a line unless it is empty.
    ///
    /// - Throws: ``CommandFailure`` of status `badInput` that never shows what was read.
    func next() throws -> Line? {
        var line: [UInt8] = []
        var isTooLarge = false
        var isStarted = false
        while true {
            if rest.isEmpty, try !fill() { return isStarted ? Self.line(line, isTooLarge) : nil }
            isStarted = true
            let end = buffer[rest].firstIndex(of: Self.lineFeed)
            let part = rest.lowerBound..<(end ?? rest.upperBound)
            // A carriage return may stand behind the longest line.
            isTooLarge = isTooLarge || line.count + part.count > ProofFile.limit + 1
            if isTooLarge { line.removeAll() } else { line += buffer[part] }
            guard let end else {
                rest = rest.upperBound..<rest.upperBound
                continue
            }
            rest = (end + 1)..<rest.upperBound
            return Self.line(line, isTooLarge)
        }
    }

    private static func line(_ bytes: [UInt8], _ isTooLarge: Bool) -> Line {
        var bytes = bytes
        if bytes.last == carriageReturn { bytes.removeLast() }
        guard !isTooLarge, bytes.count <= ProofFile.limit else { return .tooLarge }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return .notText }
        return .text(text)
    }

    /// - Returns: false at the end.
    private func fill() throws -> Bool {
        while !isAtEnd {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(name) }
            rest = 0..<count
            isAtEnd = count == 0
            if count > 0 { return true }
        }
        return false
    }

    private static func failure(_ name: String) -> CommandFailure {
        CommandFailure(.badInput, "the proofs in \(name) can't be read: \(String(cString: strerror(errno)))")
    }
}
