#!/bin/bash
# Every command of the archive, where no Java is. In the root: /opt has the unpacked archive, /samples
# application.jar, needy.jar (wants java.sql), plugin.jar and needy-plugin.jar.
set -eu
. /tmp/fresh-root.sh
cd /opt/sluice-*
sluice=$PWD/sluice
export SLUICE_RUN_DIR=/tmp/run

! command -v java >/dev/null || fail "there is a Java"
[ "$(du -sk --apparent-size runtime | cut -f 1)" -le 71680 ] || fail "the runtime is too large: $(du -sk runtime)"

"$sluice" prepare
[ -s cache/app.aot ] && [ -s cache/plugins.aot ] && [ -s cache/tools.aot ] || fail "no start-up caches: $(cat cache/*.log)"
expect "-XX:AOTCache=$PWD/cache/tools.aot" "$sluice" -v --version
expect "sluice 0." "$sluice" --version
expect "$PWD/runtime" "$sluice" doctor
expect "Usage: sluice" "$sluice" --help

# A site with a plug-in, read again and counted.
"$sluice" serve examples/site --port 8081 --plugin /hello=/samples/plugin.jar >/tmp/serve.log 2>&1 &
server=$!
await /tmp/serve.log "listening on"
expect "200 OK" get 8081 /
expect "hello from a plug-in" get 8081 /hello
expect "requests" "$sluice" stat
expect "" "$sluice" reload "$server"
kill "$server"
wait "$server" || fail "serve ended with $?: $(cat /tmp/serve.log)"
printf 'directory = "/opt"\n' >/tmp/site.toml
expect "" "$sluice" config check /tmp/site.toml

# A plug-in that needs a module that is not here.
may_fail=1
expect "uses java.sql.Connection of module java.sql, which the runtime $PWD/runtime lacks. Fix: install a JDK 25" \
  "$sluice" serve examples/site --port 8082 --plugin /needy=/samples/needy-plugin.jar
expect "uses java.sql.Connection of module java.sql" "$sluice" domain run /samples/needy.jar
may_fail=

# Files.
expect "ext2" "$sluice" fs mkfs --size 8M /tmp/disk.img
"$sluice" fs cp /tmp/disk.img /etc/passwd :/passwd
expect "passwd" "$sluice" fs ls /tmp/disk.img
expect "root:" "$sluice" fs cat /tmp/disk.img /passwd
expect "" "$sluice" fs fsck /tmp/disk.img
"$sluice" nfs /tmp/disk.img --port 8083 --no-portmap >/tmp/nfs.log 2>&1 &
server=$!
await /tmp/nfs.log 8083
kill "$server"
wait "$server" || fail "nfs ended with $?: $(cat /tmp/nfs.log)"
if [ -e /dev/fuse ]; then
  mkdir -p /tmp/mnt
  "$sluice" fs mount /tmp/disk.img /tmp/mnt >/tmp/mount.log 2>&1 &
  server=$!
  for _ in $(seq 300); do
    [ ! -f /tmp/mnt/passwd ] || break
    sleep 0.1
  done
  expect "root:" cat /tmp/mnt/passwd
  "$sluice" fs umount /tmp/mnt || kill "$server"
  wait "$server" || fail "fs mount ended with $?: $(cat /tmp/mount.log)"
fi

# Code of other people, messages, examples, and an application without a JDK.
expect "returned" "$sluice" domain run /samples/application.jar
expect "" "$sluice" domain check /samples/application.jar
expect "" "$sluice" domain ls
may_fail=1
expect "accepted Application.<init>" "$sluice" verify /samples/application.jar
may_fail=
expect "" "$sluice" vi pingpong --device local --count 1000
expect "interruptlet" "$sluice" example
may_fail=1
expect "usage" "$sluice" example interruptlet --help
may_fail=
expect "java.home is $PWD/runtime" "$sluice" run /samples/application.jar
expect "no JDK 25 is installed" "$sluice" run /samples/application.jar
may_fail=1
expect "works in a source tree" "$sluice" test
expect "works in a source tree" "$sluice" bench
may_fail=

# A JDK 25 of the user, bound to /jdk: applications run on it, our commands do not.
[ -x /jdk/bin/java ] || fail "no JDK at /jdk"
expect "java.home is /jdk" env JAVA_HOME=/jdk "$sluice" run /samples/application.jar
expect "$PWD/runtime" env JAVA_HOME=/jdk "$sluice" doctor
ln -s /jdk /opt/jdk-25 # found there, as on any machine
expect "java.home is /jdk" "$sluice" run /samples/application.jar
echo "all of the archive works"
