#!/bin/sh
# Fetches the sources of a JDK's tests of java.nio from the package sources that this machine knows, and
# unpacks them into the directory named by the first argument, as its test/. Nothing is installed, and
# the machine's own lists are left alone. Any user may run it. Exit code 75: they could not be fetched, now.
set -eu
[ $# -eq 1 ] || { echo "usage: jdk-tests.sh DIRECTORY" >&2; exit 2; }
command -v apt-get >/dev/null || { echo "needs apt-get, to fetch a source package" >&2; exit 1; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
apt=$directory/apt
. "$(dirname "$0")/../deb-lists.sh"
deb_src "$apt"
# shellcheck disable=SC2086 # one word for each argument
set -- $APT
cd "$apt/fetched"

# Other parts of the package may be gone from the archive: its own sources are all we need. They come
# into their place whole.
fetch_tests() {
  for package in openjdk-25 openjdk-21 openjdk-17; do
    for version in $(apt-cache "$@" showsrc "$package" | sed -n 's/^Version: //p' | sort -Vu); do
      apt-get "$@" -q --download-only --only-source source "$package=$version" || :
      for sources in "$package"_*.orig.tar.*; do
        if [ -f "$sources" ] && unpack; then return; fi
      done
    done
  done
  echo "no source package of a JDK could be fetched" >&2
  return 1
}

unpack() {
  rm -rf "$apt/unpacked"
  mkdir "$apt/unpacked"
  tar -xf "$sources" -C "$apt/unpacked" --strip-components=1 --anchored --wildcards \
    --no-wildcards-match-slash '*/test/jdk/java/nio/channels' '*/test/jdk/java/nio/file' '*/test/lib' ||
    return
  rm -rf "$directory/test"
  mv "$apt/unpacked/test" "$directory/test"
}

again fetch_tests "$@"
rm -rf "$apt"
echo "unpacked the tests of $sources"
