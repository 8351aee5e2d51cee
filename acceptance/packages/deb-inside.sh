#!/bin/bash
# The life of the Debian package in a root: /packages has one.deb and two.deb, its next version.
set -eu
. /tmp/fresh-root.sh
export DEBIAN_FRONTEND=noninteractive SLUICE_RUN_DIR=/tmp/run

dpkg -i /packages/one.deb >/tmp/install.log 2>&1 || fail "install: $(cat /tmp/install.log)"
[ -s /var/cache/sluice/app.aot ] || fail "no start-up caches: $(cat /tmp/install.log /var/cache/sluice/*.log)"
expect "sluice 0." sluice --version
expect "-XX:AOTCache=/usr/lib/sluice/cache/tools.aot" sluice -v --version

# As the service does it, but by a user that may write nothing.
mkdir -p /tmp/run && chmod 777 /tmp/run
setpriv --reuid 65534 --regid 65534 --clear-groups \
  sluice -v serve --config /etc/sluice/sluice.toml >/tmp/serve.log 2>&1 &
server=$!
await /tmp/serve.log "listening on"
grep -q -F "AOTCache=/usr/lib/sluice/cache/app.aot" /tmp/serve.log || fail "no cache: $(cat /tmp/serve.log)"
expect "200 OK" get 8080 /
kill "$server"
wait "$server" || fail "serve ended with $?: $(cat /tmp/serve.log)"
rm -rf /tmp/run

# An upgrade keeps what was configured, and records its caches anew.
echo '# changed here' >>/etc/sluice/sluice.toml
before=$(cat /var/cache/sluice/app.aot | md5sum)
dpkg -i /packages/two.deb >/tmp/upgrade.log 2>&1 || fail "upgrade: $(cat /tmp/upgrade.log)"
grep -q 'changed here' /etc/sluice/sluice.toml || fail "the upgrade lost a changed file"
[ -s /var/cache/sluice/app.aot ] && [ "$(cat /var/cache/sluice/app.aot | md5sum)" != "$before" ] ||
  fail "the upgrade left the caches: $(cat /tmp/upgrade.log)"
expect "-XX:AOTCache=" sluice -v --version
expect "Version: 0.1.0+next" dpkg -s sluice

dpkg -r sluice >/tmp/remove.log 2>&1 || fail "remove: $(cat /tmp/remove.log)"
[ ! -e /usr/lib/sluice ] && [ ! -e /usr/bin/sluice ] || fail "remains: $(find /usr/lib/sluice)"
grep -q 'changed here' /etc/sluice/sluice.toml || fail "removal took the configuration"
dpkg -P sluice >/tmp/purge.log 2>&1 || fail "purge: $(cat /tmp/purge.log)"
left=$(find / -xdev \( -path /proc -o -path /tmp -o -path /packages \) -prune -o -iname '*sluice*' -print)
[ -z "$left" ] || fail "purge left: $left"
echo "all of the Debian package works"
