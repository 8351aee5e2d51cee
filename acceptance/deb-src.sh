# For scripts that fetch source packages: lists of the machine's own package sources, with sources, in a
# directory of their own; nothing is installed, and the machine's lists are left alone. Sourced by sh.

# deb_src DIRECTORY: writes the lists below DIRECTORY, and sets the arguments of apt-get to APT.
deb_src() {
  mkdir -p "$1/lists/partial" "$1/cache/archives/partial" "$1/fetched"
  # The archive of the distribution, from either form of its list; newer releases hold newer packages.
  archive=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list \
    2>/dev/null | sed -n -e 's/^URIs: *\([^ ]*\/debian\)\/*$/\1/p' \
    -e 's/^deb \(\[[^]]*\] \)*\([^ ]*\/debian\)\/* .*/\2/p' | head -n 1)
  [ -n "$archive" ] || { echo "no Debian archive in this machine's package sources" >&2; exit 1; }
  release=$(. /etc/os-release && echo "${VERSION_CODENAME-stable}")
  for suite in "$release" trixie sid; do
    echo "deb-src $archive $suite main"
  done | sort -u >"$1/sources.list"
  APT="-o Dir::State::lists=$1/lists -o Dir::Cache=$1/cache -o Dir::Etc::sourcelist=$1/sources.list"
  APT="$APT -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086 # one word for each argument
  apt-get $APT -q update
}
