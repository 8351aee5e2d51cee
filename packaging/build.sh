#!/bin/sh
# Makes the packages of docs/packages.md: an archive, a Debian package and an OCI image, each with a
# trimmed Java runtime inside. Called by 'sluice package', which has built the tree.
# Variables: JDK, the JDK to take the runtime from; APP, the directory of the jars; SOURCE_DATE_EPOCH; SLUICE_MAINTAINER.
# Two runs on one machine give equal bytes: names are sorted, times are one, owners are root.
set -eu
umask 022
export LC_ALL=C

root=$(cd "${0%/*}/.." && pwd -P)
packaging=$root/packaging

say() { printf 'sluice: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

output=$root/.sluice/packages kinds=
while [ $# -gt 0 ]; do
  case $1 in
  --output)
    [ -n "${2-}" ] || { say "package: --output needs a directory" && exit 2; }
    output=$2
    shift
    ;;
  archive | deb | image) kinds="$kinds $1" ;;
  *)
    say "package: unknown word $1. Known: archive, deb, image, --output DIR"
    exit 2
    ;;
  esac
  shift
done
kinds=${kinds:- archive deb image}
command -v strip >/dev/null || die "no strip. Fix: apt-get install binutils"
mkdir -p "$output"
output=$(cd "$output" && pwd -P)

# From the pom of the tree: its own version, and the time that its jars have.
version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$root/pom.xml" | head -n 1)
time=$(sed -n 's|.*<project.build.outputTimestamp>\(.*\)</project.*|\1|p' "$root/pom.xml")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "$time" +%s)}
export SOURCE_DATE_EPOCH
# A name that is reserved for examples: the publisher of a package sets another.
maintainer=${SLUICE_MAINTAINER:-Sluice <sluice@example.org>}
case $(uname -m) in
x86_64) debian=amd64 oci=amd64 ;;
aarch64) debian=arm64 oci=arm64 ;;
*) debian=$(uname -m) oci=$debian ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A tar of a directory, the same for the same files.
#   $1  the directory; then more options and names
reproducible_tar() {
  directory=$1
  shift
  tar --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
    --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    -C "$directory" -cf - "$@"
}

hash_of() { sha256sum "$1" | cut -c 1-64; }

# ---- the tree that all packages hold ---------------------------------------------------------------

# Everything that 'sluice' needs, without any Java beside it.
#   $1  the directory to make
make_tree() {
  mkdir -p "$1/docs" "$1/app"
  say "linking the runtime"
  modules=$(grep -v '^#' "$packaging/modules.txt" | paste -s -d , -)
  "$JDK/bin/jlink" --add-modules "$modules" --output "$1/runtime" --compress zip-6 \
    --no-header-files --no-man-pages >"$work/jlink.log" 2>&1 || {
    cat "$work/jlink.log" >&2
    die "jlink of $JDK failed, see above"
  }
  find "$1/runtime" -type f \( -name '*.so' -o -perm -100 \) -exec strip --strip-unneeded {} +
  chmod -R u+w "$1/runtime/legal"
  # Signatures of earlier releases, for javac --release alone.
  rm -f "$1/runtime/lib/ct.sym"
  "$JDK/bin/java" "$packaging/AbsentPackages.java" "$1/runtime/release" >"$1/runtime/lib/absent-packages.txt"
  cp -R "$APP/lib" "$APP/nio" "$APP/sluice-agent.jar" "$1/app/"
  cat "$1"/app/lib/*.jar "$1"/app/nio/*.jar "$1/runtime/lib/modules" | sha256sum | cut -c 1-16 >"$1/app/key"
  [ ! -e "$root/.git" ] || git -C "$root" rev-parse --short=12 HEAD >"$1/app/commit" 2>/dev/null || rm -f "$1/app/commit"
  cp "$root/sluice" "$root/LICENSE" "$1/"
  cp -R "$root/docs/help" "$1/docs/"
  cp -R "$root/examples" "$1/"
  cp "$packaging/THIRD-PARTY" "$1/"
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# ---- the archive -------------------------------------------------------------------------------------

make_archive() {
  name=sluice-$version-linux-$(uname -m)
  mkdir "$work/archive"
  cp -a "$tree" "$work/archive/$name"
  cp "$root/CHANGELOG.md" "$work/archive/$name/"
  reproducible_tar "$work/archive" "$name" | gzip -n >"$output/$name.tar.gz"
  made="$made $name.tar.gz"
}

# ---- the Debian package ------------------------------------------------------------------------------

make_deb() {
  command -v dpkg-deb >/dev/null || die "no dpkg-deb. Fix: build the Debian package on Debian, or name archive, image"
  deb=$work/deb
  mkdir -p "$deb/DEBIAN" "$deb/usr/bin" "$deb/lib/systemd/system" "$deb/usr/share/doc/sluice" \
    "$deb/usr/share/man/man1" "$deb/usr/share/lintian/overrides" "$deb/usr/share/sluice" "$deb/var/cache/sluice" \
    "$deb/usr/lib" "$deb/etc/sluice" "$deb/etc/default"
  cp -a "$tree" "$deb/usr/lib/sluice"
  rm "$deb/usr/lib/sluice/LICENSE" "$deb/usr/lib/sluice/THIRD-PARTY"
  ln -s ../lib/sluice/sluice "$deb/usr/bin/sluice"
  ln -s /var/cache/sluice "$deb/usr/lib/sluice/cache"
  cp -R "$root/examples/site" "$deb/usr/share/sluice/www"
  cp "$packaging/deb/sluice.service" "$packaging/deb/sluice.socket" "$deb/lib/systemd/system/"
  cp "$packaging/deb/sluice.toml" "$deb/etc/sluice/"
  cp "$packaging/deb/default" "$deb/etc/default/sluice"
  cp "$packaging/deb/lintian-overrides" "$deb/usr/share/lintian/overrides/sluice"
  cp "$packaging/deb/copyright" "$deb/usr/share/doc/sluice/"
  {
    printf 'sluice (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -n -9 >"$deb/usr/share/doc/sluice/changelog.gz"
  gzip -n -9 <"$root/CHANGELOG.md" >"$deb/usr/share/doc/sluice/CHANGELOG.md.gz"
  make_manual | gzip -n -9 >"$deb/usr/share/man/man1/sluice.1.gz"
  printf '/etc/sluice/sluice.toml\n/etc/default/sluice\n' >"$deb/DEBIAN/conffiles"
  for script in postinst prerm postrm; do
    cp "$packaging/deb/$script" "$deb/DEBIAN/$script"
    chmod 755 "$deb/DEBIAN/$script"
  done
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$debian/" \
    -e "s/@MAINTAINER@/$maintainer/" -e "s/@SIZE@/$(du -sk --apparent-size --exclude=DEBIAN "$deb" | cut -f 1)/" \
    "$packaging/deb/control" >"$deb/DEBIAN/control"
  (cd "$deb" && find . -path ./DEBIAN -prune -o -type f -print | sed 's|^\./||' | sort | tr '\n' '\0' |
    xargs -0 md5sum) >"$deb/DEBIAN/md5sums"
  find "$deb" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  # xz by one thread: several write other bytes.
  dpkg-deb --root-owner-group --threads-max=1 -Zxz -z3 --build "$deb" "$output/sluice_${version}_$debian.deb" >/dev/null
  made="$made sluice_${version}_$debian.deb"
}

# The manual page: what 'sluice --help' says.
make_manual() {
  printf '.TH SLUICE 1 "%s" "Sluice %s"\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)" "$version"
  printf '.SH NAME\nsluice \\- serve files, run Java servers and host code on io_uring\n'
  printf '.SH SYNOPSIS\n.B sluice\n[\\-v] COMMAND [ARGUMENTS]\n.SH COMMANDS\n.nf\n'
  sed -e 1,2d -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/" "$root/docs/help/sluice.txt"
  printf '.fi\n.SH FILES\n.TP\n/etc/sluice/sluice.toml\nthe site that sluice.service serves\n'
  printf '.TP\n/etc/default/sluice\nvariables of sluice.service\n'
  printf '.TP\n/var/cache/sluice\nstart\\-up caches, recorded at installation\n'
}

# ---- the image ---------------------------------------------------------------------------------------

# An OCI image layout in a tar, with the manifest.json of older engines; nothing is below it but the
# C library of the Debian that builds.
make_image() {
  layers=$work/layers blobs=$work/image/blobs/sha256
  mkdir -p "$layers/system/etc" "$layers/system/tmp" "$layers/system/srv/www" "$layers/app/usr/lib" "$blobs"
  for library in $(libraries_of "$tree"/runtime/lib/*.so "$tree"/runtime/lib/server/libjvm.so "$tree/runtime/bin/java") \
    $(ls /lib/*-linux-gnu*/libgcc_s.so.1); do
    mkdir -p "$layers/system${library%/*}"
    cp -L "$library" "$layers/system$library"
  done
  mkdir -p "$layers/system/usr/share/doc"
  for owner in libc6 libgcc-s1; do
    mkdir -p "$layers/system/usr/share/doc/$owner"
    cp -L "/usr/share/doc/$owner/copyright" "$layers/system/usr/share/doc/$owner/"
  done
  printf 'root:x:0:0:root:/:/\nnobody:x:65534:65534:nobody:/nonexistent:/\n' >"$layers/system/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$layers/system/etc/group"
  printf 'hosts: files dns\n' >"$layers/system/etc/nsswitch.conf"
  chmod 1777 "$layers/system/tmp"
  cp -R "$root/examples/site/." "$layers/system/srv/www/"
  cp -a "$tree" "$layers/app/usr/lib/sluice"
  # A fixed archive of shared classes instead of a recorded cache: nothing runs at the installation.
  "$layers/app/usr/lib/sluice/runtime/bin/java" -Xshare:dump -XX:+UseSerialGC >"$work/dump.log" 2>&1 ||
    die "the archive of shared classes failed: $(tail -n 3 "$work/dump.log")"
  # Copies of plug-ins go where also a read-only container may write.
  {
    printf '%s\n' -Djava.io.tmpdir=/dev/shm
    "$layers/app/usr/lib/sluice/sluice" java-options serve | sed "s|$layers/app||"
  } >"$layers/app/usr/lib/sluice/args"
  created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  descriptors='' diffs='' files=''
  for layer in system app; do
    reproducible_tar "$layers/$layer" . >"$work/layer.tar"
    diffs="$diffs${diffs:+,}\"sha256:$(hash_of "$work/layer.tar")\""
    gzip -n -6 "$work/layer.tar"
    add_blob "$work/layer.tar.gz" application/vnd.oci.image.layer.v1.tar+gzip
    descriptors="$descriptors${descriptors:+,}$descriptor"
    files="$files${files:+,}\"blobs/sha256/$digest\""
  done
  sed -e "s|@VERSION@|$version|g" -e "s|@ARCHITECTURE@|$oci|" -e "s|@CREATED@|$created|g" \
    -e "s|@DIFFS@|$diffs|" "$packaging/image/config.json" >"$work/config.json"
  add_blob "$work/config.json" application/vnd.oci.image.config.v1+json
  printf '[{"Config":"blobs/sha256/%s","RepoTags":["sluice:%s"],"Layers":[%s]}]' \
    "$digest" "$version" "$files" >"$work/image/manifest.json"
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":[%s]}' \
    "$descriptor" "$descriptors" >"$work/manifest.json"
  add_blob "$work/manifest.json" application/vnd.oci.image.manifest.v1+json
  printf '{"schemaVersion":2,"manifests":[%s]}' \
    "${descriptor%?},\"annotations\":{\"org.opencontainers.image.ref.name\":\"sluice:$version\"}}" >"$work/image/index.json"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/image/oci-layout"
  reproducible_tar "$work/image" blobs index.json manifest.json oci-layout \
    >"$output/sluice-$version-image-$oci.tar"
  made="$made sluice-$version-image-$oci.tar"
}

# Where the dynamic linker finds what these files need, itself included.
libraries_of() {
  ldd "$@" 2>/dev/null | sed -n -e 's|.*=> \(/[^ ]*\) (.*|\1|p' -e 's|^[[:space:]]*\(/[^ ]*ld-linux[^ ]*\) (.*|\1|p' |
    grep -v "^$tree/" | sort -u
}

# Moves a file among the blobs; sets digest, and descriptor to what refers to it.
#   $1  the file
#   $2  its media type
add_blob() {
  digest=$(hash_of "$1")
  descriptor="{\"mediaType\":\"$2\",\"digest\":\"sha256:$digest\",\"size\":$(wc -c <"$1")}"
  mv "$1" "$blobs/$digest"
}

# ---- start -------------------------------------------------------------------------------------------

tree=$work/tree made=
make_tree "$tree"
for kind in $kinds; do
  say "making the $kind"
  "make_$kind"
done
for file in $made; do
  printf '%s  %s\n' "$(hash_of "$output/$file")" "$file"
done | tee "$output/SHA256SUMS"
say "made in $output"
