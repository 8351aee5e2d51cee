#!/bin/sh
# What the guest of LinuxClientTest does with a mount. Settings come from /mnt/given/settings: PORT,
# VERSION (3 or 4.1), STAGES, SEEDS (of fsx). Each stage says "RESULT name code seconds", and why when
# it fails; some say "TIME what seconds" besides.
. /mnt/given/settings
. /mnt/given/stages.sh
export PATH=/mnt/given/bin:$PATH
server=10.0.2.2
case $VERSION in
  3) options=vers=3,proto=tcp,port=$PORT,mountport=$PORT,mountproto=tcp,nolock,hard,addr=$server ;;
  *) options=vers=$VERSION,proto=tcp,port=$PORT,hard,addr=$server,clientaddr=10.0.2.15 ;;
esac
attach() { mount -i -t nfs -o "$options" "$server:/" /mnt/nfs; }

# Accounts that pjdfstest changes to.
accounts() {
  cp /etc/passwd /tmp/passwd
  cp /etc/group /tmp/group
  echo 'tests:x:1001:1001::/:/bin/sh' >>/tmp/passwd
  echo 'tests:x:1001:' >>/tmp/group
  mount --bind /tmp/passwd /etc/passwd
  mount --bind /tmp/group /etc/group
}

basic() {
  set -e
  cd /mnt/nfs
  mkdir basic
  echo hello >basic/file
  ln basic/file basic/second
  ln -s file basic/link
  mv basic/second basic/third
  [ "$(cat basic/link)" = hello ]
  [ "$(stat -c %h basic/file)" = 2 ]
  rm -r basic
  df /mnt/nfs
}

timed() { # what, command…; its output is in /tmp/list
  what=$1
  shift
  from=$(now)
  "$@" >/tmp/list
  to=$(now)
  echo "TIME $what $(echo "$from $to" | awk '{ printf "%.2f", $2 - $1 }')" >/dev/console
}

# What the last mount has asked for to list directories, and how long it waited for answers.
listing_calls() {
  awk '$1 ~ /^READDIR(PLUS)?:$/ && $2 > 0 {
    print "TIME " $1, $2, "calls,", $6, "bytes, waited", $8, "ms" }' /proc/self/mountstats >/dev/console
}

# A long listing by a server that has just started, and by one that has not; and what this machine needs
# by itself for as many files in its own memory.
listing() {
  set -e
  timed first ls -l /mnt/nfs/many
  [ "$(grep -c '^-' /tmp/list)" = 20000 ]
  listing_calls
  umount /mnt/nfs
  attach
  timed again ls -l /mnt/nfs/many
  [ "$(grep -c '^-' /tmp/list)" = 20000 ]
  listing_calls
  mkdir /tmp/many
  (cd /tmp/many && seq -f 'file-%g' 0 19999 | xargs touch)
  timed floor ls -l /tmp/many
  rm -r /tmp/many
}

pjd() {
  cat >/tmp/pjd.toml <<X
[features]
posix_fallocate = {}
[settings]
naptime = 0.05
allow_remount = false
[dummy_auth]
entries = [["nobody", "nogroup"], ["tests", "tests"]]
X
  mkdir -p /mnt/nfs/pjd
  chmod 755 /mnt/nfs/pjd
  pjdfstest -c /tmp/pjd.toml -p /mnt/nfs/pjd >/tmp/pjd.log 2>&1
  grep -E 'FAILED|^Tests|Summary|tests:' /tmp/pjd.log | cut -c1-160 >/tmp/pjd.short
  sed 's/^/PJD /' /tmp/pjd.short | tail -n 60 >/dev/console
  rm -rf /mnt/nfs/pjd
  return 0
}

exercise() {
  set -e
  cd /tmp
  for seed in $SEEDS; do
    fsx -N 5000 -S "$seed" "/mnt/nfs/exercised-$seed"
  done
}

build() {
  set -e
  mkdir /mnt/nfs/build
  cd /mnt/nfs/build
  tar -xzf /mnt/given/source.tar.gz
  cd ./*
  make CFLAGS=-O0 bzip2
  echo 'some text' | ./bzip2 | ./bzip2 -d | grep -q 'some text'
  cd /mnt/nfs
  rm -r build
}

clone() {
  set -e
  git config --global --add safe.directory '*'
  git clone -q /mnt/given/repository /mnt/nfs/clone
  cd /mnt/nfs/clone
  [ -z "$(git status --porcelain)" ]
  git fsck
  cd /
  rm -rf /mnt/nfs/clone
}

# How many calls to write the server has answered.
writes() { awk '$1 == "WRITE:" { n += $2 } END { print n + 0 }' /proc/self/mountstats; }

# The server is killed and started again when it has some of what this copies, and has not been asked
# yet to make that stable; the mount waits for it.
survive() {
  set -e
  head -c 50331648 /dev/urandom >/tmp/big
  before=$(writes)
  cp /tmp/big /mnt/nfs/big &
  copy=$!
  while kill -0 $copy 2>/dev/null && [ $(($(writes) - before)) -lt 4 ]; do sleep 0.01; done
  echo "TIME killed after $(($(writes) - before)) calls to write" >/dev/console
  echo "COPYING" >/dev/console
  wait $copy
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    mkdir "/mnt/nfs/made-$i"
  done
  sync
  umount /mnt/nfs
  attach
  cmp /tmp/big /mnt/nfs/big
  [ "$(ls -d /mnt/nfs/made-* | wc -l)" = 20 ]
  rmdir /mnt/nfs/made-*
  rm /mnt/nfs/big
}

accounts
attach || { echo "RESULT mount 1 0"; dmesg | tail -n 5; exit 1; }
echo "RESULT mount 0 0"
stage listing listing
stage basic basic
stage fsx exercise
stage pjd pjd
stage clone clone
stage build build
stage survive survive
umount /mnt/nfs
echo "RESULT umount $? 0"
