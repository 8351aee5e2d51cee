#!/bin/sh
# Builds pjdfstest and fsx, the suites for file systems, from the registry of Rust into the directory
# named by the first argument, as its bin/. Where Cargo is missing and Debian can bring it, it is
# installed, for which one must be root. Exit code 75: they could not be had, now.
set -eu
[ $# -eq 1 ] || { echo "usage: fs-suites.sh DIRECTORY" >&2; exit 2; }
. "$(dirname "$0")/deb-lists.sh"
mkdir -p "$1"
directory=$(cd "$1" && pwd)
if [ -x "$directory/bin/pjdfstest" ] && [ -x "$directory/bin/fsx" ]; then
  exit 0
fi
PATH=$PATH:${HOME:-/root}/.cargo/bin

install_cargo() {
  apt-get -q -o Acquire::Retries=3 update
  apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 --no-install-recommends \
    install cargo gcc libc6-dev
}

if ! command -v cargo >/dev/null; then
  command -v apt-get >/dev/null || { echo "needs cargo, of Rust 1.85 or later" >&2; exit $UNAVAILABLE; }
  again install_cargo
fi
for suite in pjdfstest fsx; do
  [ -x "$directory/bin/$suite" ] || again cargo install --quiet --root "$directory" "$suite"
done
