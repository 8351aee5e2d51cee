#!/bin/bash
# Runs the image by podman as its file has it: read-only, without a network, under the default seccomp
# profile. image.sh IMAGE.tar WORK
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${SLUICE_INSIDE-}" ]; then
  # Engines want either version of cgroups and some machines have a mixture: here there is one.
  exec env SLUICE_INSIDE=1 unshare --mount --fork --kill-child bash "$0" "$@"
fi
. "$here/fresh-root.sh"
mount --make-rprivate /
umount -R /sys/fs/cgroup 2>/dev/null || :
mount -t cgroup2 none /sys/fs/cgroup

store=$2/podman
podman() {
  command podman --root "$store/root" --runroot "$store/run" --tmpdir "$store/tmp" --storage-driver vfs \
    --cgroup-manager cgroupfs --events-backend file "$@"
}
clean() {
  podman rm -f sluice-image-test >/dev/null 2>&1 || :
  rm -rf "$store"
}
trap clean EXIT
rm -rf "$store"
mkdir -p "$store"
podman load -i "$1" >"$store/load.log" 2>&1 || fail "podman load: $(cat "$store/load.log")"
name=$(sed -n 's/^Loaded image: *//p' "$store/load.log")
podman run -d --name sluice-image-test --read-only --read-only-tmpfs=false --network none --cap-drop all \
  --cgroups=disabled --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$name" >"$store/run.log" 2>&1 ||
  fail "podman run: $(cat "$store/run.log")"
for _ in $(seq 300); do
  podman logs sluice-image-test >"$store/server.log" 2>&1
  ! grep -q 'listening on' "$store/server.log" || break
  sleep 0.1
done
grep -q 'backend: epoll' "$store/server.log" || fail "no epoll under the default profile: $(cat "$store/server.log")"
pid=$(podman inspect -f '{{.State.Pid}}' sluice-image-test)
grep -q '^Uid:.65534.65534' "/proc/$pid/status" || fail "not nobody: $(grep Uid "/proc/$pid/status")"
grep -q '^Seccomp:.2' "/proc/$pid/status" || fail "no seccomp filter"
export -f get
expect "200 OK" nsenter -t "$pid" -n bash -c 'get 8080 /'
expect "/srv/www on http" podman exec sluice-image-test java @args stat
expect "io_uring" podman exec sluice-image-test java @args doctor
[ -n "$(cd "/proc/$pid/root" && ls dev/shm/sluice)" ] || fail "no counters in /dev/shm/sluice"
expect "/dev/shm/sluice" podman inspect -f '{{.Config.Labels}}' sluice-image-test
may_fail=1
expect "java.sql" podman run --rm --read-only --network none --cgroups=disabled \
  --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 -v "$3:/needy.jar:ro" "$name" \
  domain run /needy.jar
may_fail=
podman stop -t 20 sluice-image-test >/dev/null
expect "0" podman inspect -f '{{.State.ExitCode}}' sluice-image-test
echo "all of the image works"
