// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Logging

extension Assembly {
    /// Names the variables that bear our prefix and that nobody reads, for who mistyped one.
    func warnOfUnknownVariables() {
        for variable in settings.unknownVariables {
            var metadata: Logger.Metadata = ["variable": "\(variable.name)"]
            if let nearest = variable.nearest { metadata["did_you_mean"] = "\(nearest)" }
            logger.warning("unknown variable", metadata: metadata)
        }
    }
}
