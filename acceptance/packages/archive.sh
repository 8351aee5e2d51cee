#!/bin/sh
# Tries the archive in a fresh Debian: archive.sh ARCHIVE SAMPLES JDK DEBIAN.tar WORK
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fresh-root.sh"
make_debian "$4"
root=$5/archive
rm -rf "$root"
make_root "$4" "$root"
mkdir "$root/jdk"
tar -xzf "$1" -C "$root/opt"
cp -R "$2" "$root/samples"
JDK_OUTSIDE=$3
in_root "$root" "$here/archive-inside.sh"
rm -rf "$root"
