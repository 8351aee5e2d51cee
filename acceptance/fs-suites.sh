#!/bin/sh
# Builds pjdfstest and fsx, the suites for file systems, from the registry of Rust into the directory
# named by the first argument, as its bin/. Where Cargo is missing and Debian can bring it, it is
# installed, for which one must be root.
set -eu
[ $# -eq 1 ] || { echo "usage: fs-suites.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
if [ -x "$directory/bin/pjdfstest" ] && [ -x "$directory/bin/fsx" ]; then
  exit 0
fi
PATH=$PATH:${HOME:-/root}/.cargo/bin
if ! command -v cargo >/dev/null; then
  command -v apt-get >/dev/null || { echo "needs cargo, of Rust 1.85 or later" >&2; exit 1; }
  apt-get -q update
  apt-get -q -y --no-install-recommends install cargo gcc libc6-dev
fi
cargo install --quiet --root "$directory" pjdfstest
cargo install --quiet --root "$directory" fsx
