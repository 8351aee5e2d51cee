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
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/fetched"

# The archive of the distribution, from either form of its list; newer releases hold newer JDKs.
archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list \
  2>/dev/null | sed -n -e 's/^URIs: *\([^ ]*\/debian\)\/*$/\1/p' \
  -e 's/^deb \(\[[^]]*\] \)*\([^ ]*\/debian\)\/* .*/\2/p' | head -n 1)
[ -n "$archive" ] || { echo "no Debian archive in this machine's package sources" >&2; exit 1; }
release=$(. /etc/os-release && echo "${VERSION_CODENAME-stable}")
for suite in "$release" trixie sid; do
  echo "deb-src $archive $suite main"
done | sort -u >"$apt/sources.list"

set -- -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" \
  -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
  -o APT::Sandbox::User=root
apt-get "$@" -q update
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
