// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// All parameters of one call in a single piece of memory, as `PQsendQueryParams` wants them.
///
/// Encoding happens where the caller runs, not on the connection's queue.
// Unchecked: written in the initializer only, read afterwards.
final class EncodedParameters: @unchecked Sendable {
    /// libpq's own limit, for the count is sent in 16 bits.
    static let maximumCount = 65_535

    private let memory: UnsafeMutableRawPointer
    private var types: [Oid] = []
    private var lengths: [CInt] = []
    /// Where each value begins; -1 for a null.
    private var offsets: [Int] = []

    static let none = EncodedParameters()

    private init() {
        memory = .allocate(byteCount: 1, alignment: 1)
    }

    /// - Throws: ``PostgresError/Kind/encoding`` for more values or bytes than the protocol can carry.
    init(_ parameters: [PostgresParameter], statementName: String) throws(PostgresError) {
        let capacity = parameters.reduce(0) { $0 + $1.maximumSize }
        guard parameters.count <= Self.maximumCount, capacity <= Int(Int32.max) else {
            throw PostgresError(
                .encoding,
                message: "\(parameters.count) parameters of \(capacity) bytes are more than the protocol can carry",
                statementName: statementName
            )
        }
        memory = .allocate(byteCount: max(1, capacity), alignment: 8)
        types.reserveCapacity(parameters.count)
        lengths.reserveCapacity(parameters.count)
        offsets.reserveCapacity(parameters.count)
        var writer = ParameterWriter(memory, capacity: capacity)
        for parameter in parameters {
            let start = writer.offset
            types.append(parameter.type?.rawValue ?? 0)
            let isNull = !parameter.write(to: &writer)
            offsets.append(isNull ? -1 : start)
            lengths.append(CInt(writer.offset - start))
        }
    }

    deinit {
        memory.deallocate()
    }

    /// Calls `body` with libpq's five arguments: count, types, values, lengths and formats, all of them binary.
    func withArguments<Success>(
        _ body: (
            CInt, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?,
            UnsafePointer<CInt>?
        ) -> Success
    ) -> Success {
        let values = offsets.map { offset in
            offset < 0 ? nil : UnsafePointer(memory.advanced(by: offset).assumingMemoryBound(to: CChar.self))
        }
        let formats = [CInt](repeating: 1, count: offsets.count)
        return body(CInt(offsets.count), types, values, lengths, formats)
    }
}
