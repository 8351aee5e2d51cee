# For scripts that fetch packages: lists of the machine's own package sources, for sources or for another
# architecture, in a directory of their own; nothing is installed, and the machine's lists are left
# alone. Sourced by sh.

# The exit code of a script that could not have something from elsewhere, now: no fault of its own.
UNAVAILABLE=75

# again COMMAND…: tries it some times, with pauses: a mirror may be away for a moment, and what was cut
# off may be whole the next time. Ends the script when that does not help.
again() {
  for pause in 3 10 30 0; do
    if "$@"; then return; fi
    sleep "$pause"
  done
  echo "gave up: $*" >&2
  exit $UNAVAILABLE
}

# The oldest release of Debian that has a JDK 25.
JDK_RELEASE=trixie

# Sets archive to that of the distribution, from either form of its list.
find_archive() {
  archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list \
    2>/dev/null | sed -n -e 's/^URIs: *\([^ ]*\/debian\)\/*$/\1/p' \
    -e 's/^deb \(\[[^]]*\] \)*\([^ ]*\/debian\)\/* .*/\2/p' | head -n 1)
  [ -n "$archive" ] || {
    echo "no Debian archive in this machine's package sources" >&2
    exit $UNAVAILABLE
  }
}

# update_lists DIRECTORY OPTIONS: reads what DIRECTORY/sources.list names, and sets the arguments of
# apt-get to APT. What was cut off there before is not taken up again.
update_lists() {
  rm -rf "$1/lists" "$1/fetched"
  mkdir -p "$1/lists/partial" "$1/cache/archives/partial" "$1/fetched"
  APT="-o Dir::State::lists=$1/lists -o Dir::Cache=$1/cache -o Dir::Etc::sourcelist=$1/sources.list"
  APT="$APT -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root $2"
  # shellcheck disable=SC2086 # one word for each argument
  again apt-get $APT -q -o Acquire::Languages=none -o Acquire::Retries=3 \
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false update
}

# Sets release to that of this machine.
find_release() {
  release=$(. /etc/os-release && echo "${VERSION_CODENAME-stable}")
}

# deb_src DIRECTORY: lists of sources; newer releases hold newer packages. Not every archive has them all.
deb_src() {
  find_archive
  find_release
  mkdir -p "$1"
  for suite in "$release" "$JDK_RELEASE" sid; do
    echo "deb-src $archive $suite main"
  done | sort -u >"$1/sources.list"
  update_lists "$1" ""
}

# deb_binary DIRECTORY ARCHITECTURE RELEASE: lists of one release, whole or not at all.
deb_binary() {
  mkdir -p "$1"
  echo "deb [arch=$2] $archive $3 main" >"$1/sources.list"
  update_lists "$1" "-o APT::Architecture=$2 -o APT::Architectures=$2 -o Dir::State::status=/dev/null \
    -o APT::Update::Error-Mode=any"
}

# deb_own DIRECTORY: lists of this machine's release and architecture; its own may be old, or none.
deb_own() {
  find_archive
  find_release
  deb_binary "$1" "$(dpkg --print-architecture)" "$release"
}

# deb_foreign DIRECTORY ARCHITECTURE: lists of another architecture, of the release with a JDK 25.
deb_foreign() {
  find_archive
  deb_binary "$1" "$2" "$JDK_RELEASE"
}
