// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A job's state, as a list is narrowed by it.
enum JobStateArgument: String, ExpressibleByArgument, CaseIterable {
    case available, running, discarded
}
