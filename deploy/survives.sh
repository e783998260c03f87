# SPDX-License-Identifier: Apache-2.0
# Whether Sources/counterfoil-bench/survives.md speaks of these sources; sourced, not run, and called in the repository's folder.

survives_file=Sources/counterfoil-bench/survives.md

# The files that decide whether a payment is granted, and a change delivered, exactly once: the domain, the queue, the deliverer,
# webhooks, the Postgres client, and all SQL but that which only shows or checks. No git is asked: what lies in the folders is built,
# whether it was added or not, and a tree that was exported without git has the same checksum.
survives_sources() {
    found=$(
        find Sources/CPostgres Sources/Delivering Sources/EventSources Sources/Postgres Sources/Verification \
            Sources/VerificationQueue Sources/Webhooks sql \
            \( -path sql/checks -o -path sql/dashboards -o -path sql/show -o -path sql/schema.sql \) -prune -o \
            -type f \( -name '*.swift' -o -name '*.sql' -o -name '*.h' -o -name '*.modulemap' \) -print
    ) || return 1
    printf '%s\n' "$found" | LC_ALL=C sort
}

# SHA-256 over the lines "SHA-256 of the file, its path", in the order of their paths' bytes.
survives_checksum() {
    found=$(survives_sources) || return 1
    printf '%s\n' "$found" | xargs -d '\n' sha256sum | sha256sum | cut -d ' ' -f 1
}

# Prints whether the runs in the file were of these sources, and fails where they weren't.
survives_speaks_of_these_sources() {
    now=$(survives_checksum) || return 1
    written=$(sed -n 's/^| Sources | `\([0-9a-f]*\)` |$/\1/p' "$survives_file" 2>/dev/null || true)
    if [ "$written" = "$now" ]; then
        echo "$survives_file speaks of these sources: $now."
    else
        echo "$survives_file speaks of other sources: ${written:-none}, and these are $now."
        echo "New runs: .build/release/counterfoil-bench chaos --scenario all --survives $survives_file"
        return 1
    fi
}

# Prints the tags of a version and of the commit that is checked out, a line each; nothing outside of git.
survives_tags() { # VERSION
    [ -e .git ] || return 0
    { git tag --points-at HEAD && git tag --list "$1" "v$1"; } | sort -u
}
