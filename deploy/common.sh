# SPDX-License-Identifier: Apache-2.0
# What deploy/quickstart and deploy/test share; sourced, not run.

set -eu

say() {
    printf '%s\n' "$*" >&2
}

# Runs a command as root: directly, or through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        say "This needs root for: $*"
        say "Run it as root, or install sudo and give this user the right to use it."
        exit 1
    fi
}

# Installs the Debian packages among the arguments that are missing.
install_packages() {
    missing=
    for package in "$@"; do
        if ! dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
            missing="$missing $package"
        fi
    done
    if [ -n "$missing" ]; then
        say "Installing$missing"
        as_root apt-get update --quiet --quiet
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends $missing
    fi
}

require_swift() {
    if ! command -v swift >/dev/null; then
        say "The Swift toolchain is missing: no 'swift' is on the PATH."
        say "Install Swift 6.3 or later (https://www.swift.org/install/linux/), then run this again."
        exit 1
    fi
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    case $version in
        6.[0-2] | [0-5].*)
            say "Swift $version is too old: 6.3 or later is needed."
            exit 1
            ;;
    esac
}

# One configuration for everything, so that the dependencies are built once.
swift_flags="-c release -Xswiftc -enable-testing"
