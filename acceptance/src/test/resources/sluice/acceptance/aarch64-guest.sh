#!/bin/sh
# What the guest of Aarch64Test does: this project's launcher, servers and tests on another processor.
# Settings come from /mnt/given/settings: STAGES, CLASSES (of tests), SECONDS_OF_SUITES (after which
# no class begins).
. /mnt/given/settings
. /mnt/given/stages.sh
mkdir /tmp/bin /tmp/app
busybox --install -s /tmp/bin
export PATH=/tmp/bin:$PATH SLUICE_AOT=off
for JAVA_HOME in /usr/lib/jvm/*; do export JAVA_HOME; done
tar -xf /mnt/given/app.tar -C /tmp/app
cd /tmp/app
# Newer than the directories that were just made.
touch .sluice/current
awk '$1 == "KernelPageSize:" { print "PAGE", $2 * 1024; exit }' /proc/self/smaps
echo "MACHINE $(uname -m)"

# What one reads of a stage that went well.
tell() { sed "s/^/$1 /" >/dev/console; }

doctor() {
  set -e
  ./sluice doctor >/tmp/doctor
  tell DOCTOR </tmp/doctor
}

# Files around the sizes at which a server does something else.
make_site() {
  mkdir /tmp/site
  for bytes in 0 1 1000 16384 70001 1500000; do
    head -c "$bytes" /dev/urandom >"/tmp/site/$bytes.bin"
  done
}

fetch() { # file, name
  wget -q -O "/tmp/got-$2" "$base$1" && cmp "/tmp/site/$1" "/tmp/got-$2"
}

# A backend serves each file, alone and to many at once, to a client that is not ours.
serve() {
  [ -d /tmp/site ] || make_site
  ./sluice serve /tmp/site --port 0 --backend "$1" >/tmp/served 2>&1 &
  server=$!
  until grep '^listening on' /tmp/served >/dev/null; do
    kill -0 $server || { cat /tmp/served; return 1; }
    sleep 1
  done
  base=$(sed -n 's/^listening on \([^ ]*\) .*/\1/p' /tmp/served)
  (
    set -e
    for file in /tmp/site/*; do
      fetch "${file##*/}" one
      fetch "${file##*/}" again
    done
    clients=
    for n in 1 2 3 4 5 6 7 8; do
      (for file in 70001.bin 1500000.bin 1000.bin; do fetch $file $n || exit 1; done) &
      clients="$clients $!"
    done
    for client in $clients; do wait "$client"; done
  )
  code=$?
  kill $server
  wait $server
  end=$?
  tell SERVED </tmp/served
  [ $code -eq 0 ] && [ $end -eq 0 ]
}

# What is measured there takes the optimizing compiler, which here would take longer than all tests.
ALLOCATION="llocatesNothing|llocateNothing|WithoutAllocation|IsAllocated"

# Times are no measure here: nothing but the end of the whole guest interrupts a test.
suites() {
  # shellcheck disable=SC2086 # one word for each class
  "$JAVA_HOME/bin/java" -Xmx768m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
    --enable-native-access=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
    -Djunit.jupiter.execution.timeout.mode=disabled -Dsluice.suite.without="$ALLOCATION" \
    -Dsluice.suite.seconds="$SECONDS_OF_SUITES" -cp "target/test-classes:target/*" \
    sluice.acceptance.suites.SuiteMain /tmp/results $CLASSES >/dev/console 2>&1
  code=$?
  tell TEST </tmp/results
  return $code
}

stage doctor doctor
stage io_uring serve io_uring
stage epoll serve epoll
stage suites suites
