// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Glibc

/// A proof as a command takes it: from a file or from standard input.
enum ProofFile {
    /// What the database takes at most.
    static let limit = 4 * 1024 * 1024

    /// Reads a proof byte for byte, as a worker reads it from its row: spaces at the end may be a part of it. Only one line end,
    /// which an editor adds, is left out.
    ///
    /// - Parameter path: of a file; `-` is standard input.
    /// - Throws: ``CommandFailure`` of status `badInput` that never shows what was read.
    static func read(_ path: String) throws -> String {
        let name = path == "-" ? "standard input" : path
        var bytes = try contents(path, name)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard bytes.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            throw CommandFailure(.badInput, "there is no proof in \(name)")
        }
        guard bytes.count <= limit else {
            throw CommandFailure(.badInput, "the proof in \(name) is larger than 4 MiB")
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "the proof in \(name) isn't text")
        }
        return text
    }

    private static func contents(_ path: String, _ name: String) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "the proof in \(name) can't be read: \(String(cString: strerror(errno)))")
        }
        defer {
            if path != "-" {
                close(descriptor)
            }
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        // A line end may go past the limit; nothing is read without end.
        while bytes.count <= limit + 2 {
            let count = platformRead(descriptor, &buffer)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw CommandFailure(.badInput, "the proof in \(name) can't be read: \(String(cString: strerror(errno)))")
            }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// The system's `read`, whose name the method above hides.
private func platformRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
}
