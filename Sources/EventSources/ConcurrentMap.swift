// SPDX-License-Identifier: Apache-2.0

extension Collection where Element: Sendable {
    /// Runs `body` once for each element.
    ///
    /// - Parameter most: the most calls of `body` that run at the same time.
    /// - Returns: the results in the order of the elements.
    /// - Throws: the error that came first. The other calls are cancelled then, and have ended.
    package func concurrentMap<Value: Sendable, Failure: Error>(
        atMost most: Int, _ body: @escaping @Sendable (Element) async throws(Failure) -> Value
    ) async throws(Failure) -> [Value] {
        let ended: Result<[Value], Failure> = await withTaskGroup(of: (Int, Result<Value, Failure>).self) { group in
            var waiting = enumerated().makeIterator()
            var values: [Int: Value] = [:]
            func startNext() {
                guard let (place, element) = waiting.next() else { return }
                group.addTask {
                    do throws(Failure) {
                        return (place, .success(try await body(element)))
                    } catch {
                        return (place, .failure(error))
                    }
                }
            }
            for _ in 0..<most { startNext() }
            for await (place, result) in group {
                switch result {
                case .success(let value): values[place] = value
                case .failure(let error):
                    group.cancelAll()
                    return .failure(error)
                }
                startNext()
            }
            return .success(values.sorted { $0.key < $1.key }.map(\.value))
        }
        return try ended.get()
    }
}
