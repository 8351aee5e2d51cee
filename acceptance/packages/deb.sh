#!/bin/sh
# Tries the Debian package: its policy, its units, and its life in a fresh Debian.
# deb.sh PACKAGE DEBIAN.tar WORK
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fresh-root.sh"

# Errors only: tags of warnings change with each lintian.
lintian --allow-root --profile debian --fail-on error "$1" >"$3/lintian.log" 2>&1 ||
  fail "lintian: $(cat "$3/lintian.log")"

# The units beside those of this machine, in a root where their command is.
units=$3/units
rm -rf "$units"
dpkg-deb -x "$1" "$units"
! grep -q '^MemoryDenyWriteExecute' "$units/lib/systemd/system/sluice.service" ||
  fail "MemoryDenyWriteExecute would stop the compiler of the JVM"
cp -Rn /lib/systemd/system/. "$units/lib/systemd/system/" 2>/dev/null || :
systemd-analyze verify --man=no --root="$units" sluice.service sluice.socket >"$3/units.log" 2>&1 ||
  fail "systemd-analyze verify: $(cat "$3/units.log")"
systemd-analyze security --offline=true --threshold=30 --root="$units" sluice.service >"$3/security.log" 2>&1 ||
  fail "systemd-analyze security: $(tail -n 1 "$3/security.log")"
rm -rf "$units"

make_debian "$2"
root=$3/deb
rm -rf "$root" "$3/next"
make_root "$2" "$root"
mkdir "$root/packages"
cp "$1" "$root/packages/one.deb"
dpkg-deb -R "$1" "$3/next"
sed -i 's/^Version: .*/Version: 0.1.0+next/' "$3/next/DEBIAN/control"
echo next >"$3/next/usr/lib/sluice/app/key"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$3/next" "$root/packages/two.deb" >/dev/null
in_root "$root" "$here/deb-inside.sh"
rm -rf "$root" "$3/next"
