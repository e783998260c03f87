// SPDX-License-Identifier: Apache-2.0

/// An error of the simulated App Store Server API.
struct APIErrorReply: Decodable, Equatable {
    var errorCode: Int
    var errorMessage: String
}
