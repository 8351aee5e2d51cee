#!/bin/sh
# Fetches the sources of a JDK's tests of java.nio from the package sources that this machine knows, and
# unpacks them into the directory named by the first argument, as its test/. Nothing is installed, and
# the machine's own lists are left alone. Any user may run it.
set -eu
[ $# -eq 1 ] || { echo "usage: jdk-tests.sh DIRECTORY" >&2; exit 2; }
command -v apt-get >/dev/null || { echo "needs apt-get, to fetch a source package" >&2; exit 1; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
apt=$directory/apt
. "$(dirname "$0")/deb-src.sh"
deb_src "$apt"
# shellcheck disable=SC2086 # one word for each argument
set -- $APT
cd "$apt/fetched"
for package in openjdk-25 openjdk-21 openjdk-17; do
  for version in $(apt-cache "$@" showsrc "$package" | sed -n 's/^Version: //p' | sort -Vu); do
    # Other parts of the package may be gone from the archive: its own sources are all we need.
    apt-get "$@" -q --download-only --only-source source "$package=$version" || :
    for sources in "$package"_*.orig.tar.*; do
      [ -f "$sources" ] || continue
      tar -xf "$sources" -C "$directory" --strip-components=1 --anchored --wildcards \
        --no-wildcards-match-slash '*/test/jdk/java/nio/channels' '*/test/jdk/java/nio/file' \
        '*/test/lib'
      rm -rf "$apt"
      echo "unpacked the tests of $sources"
      exit 0
    done
  done
done
echo "no source package of a JDK could be fetched" >&2
exit 1
