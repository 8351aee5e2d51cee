#!/bin/sh
# A stock Debian kernel in qemu as an NFS client of this machine: makes the machine once, then runs a
# script in it. The guest has this machine's own files as its root, read only, so that its compilers and
# tools are there; what it writes is in memory. It reaches this machine's loopback as 10.0.2.2. Nothing
# runs outside of qemu, and nothing is installed by this script but what DIRECTORY holds.
#
#   linux-client.sh make DIRECTORY          fetch a kernel and busybox, write DIRECTORY/{kernel,initrd}
#   linux-client.sh run DIRECTORY SCRIPT    boot and run SCRIPT (sh, as root); its output is ours
#
# The guest sees DIRECTORY as /mnt/given, read only. Its exit code is the last line: "guest exit N".
set -eu
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
. "$(dirname "$0")/deb-src.sh"
command=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)

# Modules of the kernel that the guest needs, with those they need themselves.
MODULES="virtio_pci 9pnet_virtio 9p virtio_net nfsv3 nfsv4"

need() {
  command -v "$1" >/dev/null || { echo "missing: $1; install $2" >&2; exit 1; }
}

fetch() { # package
  (cd "$directory/packages" && apt-get -q -o APT::Sandbox::User=root download "$1" >/dev/null &&
    dpkg-deb -x "$1"_*.deb "$directory/unpacked")
}

make_machine() {
  need apt-get apt
  need depmod kmod
  need cpio cpio
  rm -rf "$directory/packages" "$directory/unpacked" "$directory/initrd.d"
  mkdir -p "$directory/packages" "$directory/unpacked" "$directory/initrd.d"
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) echo "no kernel package is known for $(uname -m)" >&2; exit 1 ;;
  esac
  kernel=$(apt-cache depends "linux-image-$arch" |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
  [ -n "$kernel" ] || { echo "the package sources name no kernel; run apt-get update" >&2; exit 1; }
  fetch "$kernel"
  fetch busybox-static
  version=${kernel#linux-image-}
  version=${version%-unsigned}
  cp "$directory/unpacked/boot/vmlinuz-$version" "$directory/kernel"
  modules=$directory/unpacked/lib/modules
  [ -d "$modules" ] || modules=$directory/unpacked/usr/lib/modules
  root=${modules%/lib/modules}
  depmod -b "$root" "$version"
  cd "$directory/initrd.d"
  mkdir -p bin proc sys dev host work lib
  cp "$directory/unpacked/bin/busybox" bin/busybox 2>/dev/null ||
    cp "$directory/unpacked/usr/bin/busybox" bin/busybox
  : >modules
  for module in $MODULES; do
    modprobe -d "$root" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" lib/
    basename "$file" >>modules
  done
  cat >init <<'INIT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
while read -r m; do
  case $m in
    *.xz) $b xzcat /lib/$m >/lib/one.ko; $b insmod /lib/one.ko || echo "cannot load $m" ;;
    *) $b insmod /lib/$m || echo "cannot load $m" ;;
  esac
done </modules
$b ip link set lo up
$b ip addr add 10.0.2.15/24 dev eth0
$b ip link set eth0 up
$b ip route add default via 10.0.2.2
nine=trans=virtio,version=9p2000.L,msize=524288,ro
$b mount -t 9p -o $nine,cache=loose root /host || echo "no root"
$b mount -t proc proc /host/proc
$b mount -t sysfs sys /host/sys
$b mount -t devtmpfs dev /host/dev
$b mount -t tmpfs -o mode=1777 tmp /host/tmp
$b mount -t tmpfs tmp /host/run
$b mount -t tmpfs mnt /host/mnt
$b mkdir -p /host/mnt/given /host/mnt/nfs
$b mount -t 9p -o $nine,cache=none work /host/mnt/given
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8
$b chroot /host /bin/sh /mnt/given/guest.sh
echo "guest exit $?"
$b sync
$b poweroff -f
INIT
  chmod 755 init
  find . | cpio -o -H newc --quiet | gzip -1 >"$directory/initrd"
  # A source package to be built in the guest.
  deb_src "$directory/apt"
  cd "$directory/apt/fetched"
  # shellcheck disable=SC2086 # one word for each argument
  apt-get $APT -q --download-only --only-source source bzip2
  mv bzip2_*.orig.tar.gz "$directory/source.tar.gz"
  cd /
  rm -rf "$directory/apt"
  rm -rf "$directory/packages" "$directory/unpacked" "$directory/initrd.d"
}

# Spares an emulated processor checks and zeros that no program here needs.
BOOT="quiet panic=-1 mitigations=off tsc=unstable nosmap nosmep no5lvl init_on_alloc=0"
BOOT="$BOOT apparmor=0 audit=0"

run_machine() { # script
  need qemu-system-"$(uname -m)" "qemu-system-x86 (or -arm)"
  cp "$1" "$directory/guest.sh"
  case $(uname -m) in
    x86_64) set -- -M pc -append "console=ttyS0 $BOOT" ;;
    *) set -- -M virt -append "console=ttyAMA0 $BOOT" ;;
  esac
  exec qemu-system-"$(uname -m)" "$@" -accel tcg,thread=multi -cpu max -m 1024 -smp 1 \
    -kernel "$directory/kernel" -initrd "$directory/initrd" \
    -nographic -no-reboot -nodefaults -serial stdio \
    -netdev user,id=net0 -device virtio-net-pci,netdev=net0,romfile= \
    -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=root,mount_tag=root \
    -fsdev local,id=work,path="$directory",security_model=none,readonly=on \
    -device virtio-9p-pci,fsdev=work,mount_tag=work </dev/null
}

case $command in
  make) make_machine ;;
  run) run_machine "$3" ;;
  *) echo "unknown command $command" >&2; exit 2 ;;
esac
