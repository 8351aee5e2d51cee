# Read by the scripts beside it: runs commands in a Debian that has nothing but its essential packages,
# in namespaces of its own, so that neither files nor processes of this machine help or are left.

fail() {
  echo "failed: $*"
  exit 1
}

# Runs a command and wants a text in what it prints.
#   $1  the text
expect() {
  wanted=$1
  shift
  shown=$("$@" 2>&1) || [ -n "${may_fail-}" ] || fail "$* ended with $?: $shown"
  case $shown in
  *"$wanted"*) ;;
  *) fail "$* does not say '$wanted': $shown" ;;
  esac
}

# Makes the Debian of all roots, once, from where this machine has its own packages.
#   $1  the archive to make
make_debian() {
  [ ! -s "$1" ] || return 0
  sources=/etc/apt/sources.list.d/debian.sources
  [ -r "$sources" ] || sources=/etc/apt/sources.list
  # shellcheck disable=SC1091 # names the release
  . /etc/os-release
  mmdebstrap --quiet --variant=essential --include=init-system-helpers \
    --dpkgopt=force-unsafe-io --aptopt='Acquire::Retries "3"' "$VERSION_CODENAME" "$1.new" "$sources" >&2
  mv "$1.new" "$1"
}

#   $1  the archive
#   $2  the directory to make
make_root() {
  mkdir "$2"
  tar -xf "$1" -C "$2" --exclude='./dev/*'
  mkdir -p "$2/dev" "$2/proc"
}

# Runs a script of this machine in a root. Nothing that it starts outlives it.
#   $1  the root
#   $2  the script; then its arguments
in_root() {
  into=$1
  cp "$2" "$(dirname "$2")/fresh-root.sh" "$into/tmp/"
  inside=/tmp/${2##*/}
  shift 2
  # shellcheck disable=SC2016 # read by the shell inside
  env -i JDK_OUTSIDE="${JDK_OUTSIDE-}" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    unshare --mount --pid --net --ipc --fork --kill-child sh -c '
      ip link set lo up
      mount --make-rprivate /
      mount -t proc proc "$0/proc"
      mount --rbind /dev "$0/dev"
      [ ! -d "$0/jdk" ] || mount --bind -o ro "$JDK_OUTSIDE" "$0/jdk"
      into=$0
      exec chroot "$into" "$@"' "$into" bash "$inside" "$@"
}

# Asks a server on this machine for a path, in bash alone.
#   $1  the port
#   $2  the path
get() {
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
  cat <&3
  exec 3>&-
}

# Waits until a log has a text.
#   $1  the log
#   $2  the text
await() {
  for _ in $(seq 300); do
    ! grep -q -s -F "$2" "$1" || return 0
    sleep 0.1
  done
  fail "no '$2' in: $(cat "$1")"
}
