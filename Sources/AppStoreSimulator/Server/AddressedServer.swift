// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import ServiceLifecycle

extension AppStoreSimulator {
    /// An address can't be listened on.
    package struct CannotListen: Error, CustomStringConvertible {
        package let description: String
    }
}

/// A server whose failure to listen names its address.
struct AddressedServer: Service {
    let server: any Service
    let address: String

    func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            throw AppStoreSimulator.CannotListen(
                description: "can't listen on \(address): \(String(cString: strerror(error.errnoCode)))")
        }
    }
}
