// SPDX-License-Identifier: Apache-2.0

/// The version of both programs, as their packages have it.
package enum Version {
    package static let current = "0.1.0"
}

// deploy/build-deb lists the packages in a file beside this one, and sets the flag.
#if !COUNTERFOIL_LISTS_DEPENDENCIES
    extension Version {
        /// The packages that the program was built with, each as its name and version; nil where the build listed none.
        package static let dependencies: [String]? = nil
    }
#endif
