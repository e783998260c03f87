// SPDX-License-Identifier: Apache-2.0

/// The interface in OpenAPI 3.1, as the gateway serves it.
package enum OpenAPIDocument {
    package static let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)
}
