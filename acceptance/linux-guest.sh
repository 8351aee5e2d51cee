#!/bin/sh
# A stock Debian kernel in qemu: makes the machine once, then runs a script in it. Nothing runs outside
# of qemu, and nothing is installed by this script but what DIRECTORY holds.
#
#   linux-guest.sh make DIRECTORY           fetch a kernel and busybox, write DIRECTORY/{kernel,initrd}
#   linux-guest.sh make DIRECTORY arm64 KERNEL [PACKAGE…]
#                                           the same for another architecture of Debian; KERNEL is the
#                                           end of linux-image-KERNEL; packages go to DIRECTORY/root
#   linux-guest.sh source DIRECTORY         fetch a source package, DIRECTORY/source.tar.gz
#   linux-guest.sh run DIRECTORY SCRIPT [PROCESSORS [MEGABYTES]]
#                                           boot and run SCRIPT (sh, as root); its output is ours
#
# The guest's root is DIRECTORY/root or, where there is none, this machine's own files, so that its
# compilers and tools are there; it is read only, and what the guest writes is in memory. It sees
# DIRECTORY as /mnt/given, read only, and reaches this machine's loopback as 10.0.2.2. Its exit code is
# the last line: "guest exit N". Exit code 75: something could not be fetched, now.
set -eu
[ $# -ge 2 ] || { sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
. "$(dirname "$0")/deb-lists.sh"
command=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)
shift 2

# Modules of the kernel that the guest needs, with those they need themselves.
MODULES="virtio_pci 9pnet_virtio 9p virtio_net nfsv3 nfsv4"

need() {
  command -v "$1" >/dev/null || { echo "missing: $1; install $2" >&2; exit 1; }
}

# What qemu and the kernel call an architecture of Debian.
machine_of() {
  case $1 in
    amd64) echo x86_64 ;;
    arm64) echo aarch64 ;;
    *) echo "no machine is known for the architecture $1" >&2; exit 1 ;;
  esac
}

# fetch PACKAGE DIRECTORY: unpacks a package.
fetch() {
  again try_to_fetch "$1" "$2"
}

try_to_fetch() {
  # shellcheck disable=SC2086 # one word for each argument
  (cd "$directory/packages" && rm -f "$1"_*.deb &&
    apt-get $APT -q -o Acquire::Retries=3 download "$1" >/dev/null && dpkg-deb -x "$1"_*.deb "$2")
}

# make_machine [ARCHITECTURE KERNEL PACKAGE…]
make_machine() {
  need apt-get apt
  need depmod kmod
  need cpio cpio
  rm -rf "$directory/packages" "$directory/unpacked" "$directory/initrd.d" "$directory/root"
  mkdir -p "$directory/packages" "$directory/unpacked" "$directory/initrd.d"
  if [ $# -eq 0 ]; then
    arch=$(dpkg --print-architecture)
    flavour=$arch
    deb_own "$directory/apt"
  else
    arch=$1
    flavour=$2
    shift 2
    deb_foreign "$directory/apt" "$arch"
  fi
  machine_of "$arch" >"$directory/machine"
  # shellcheck disable=SC2086 # one word for each argument
  kernel=$(apt-cache $APT depends "linux-image-$flavour" |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
  [ -n "$kernel" ] || { echo "the package sources name no kernel linux-image-$flavour" >&2; exit 1; }
  fetch "$kernel" "$directory/unpacked"
  fetch busybox-static "$directory/unpacked"
  make_initrd "$kernel"
  [ $# -eq 0 ] || make_root "$@"
  rm -rf "$directory/packages" "$directory/unpacked" "$directory/initrd.d" "$directory/apt"
}

# make_root PACKAGE…: a root that has these packages, and busybox as its shell.
make_root() {
  root=$directory/root
  mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/mnt" "$root/etc"
  # Packages of today have all below /usr.
  for merged in bin sbin lib; do
    mkdir -p "$root/usr/$merged"
    ln -s "usr/$merged" "$root/$merged"
  done
  for package; do
    fetch "$package" "$root"
  done
  cp "$directory/initrd.d/bin/busybox" "$root/bin/busybox"
  ln -s busybox "$root/bin/sh"
  printf '%s\n' "127.0.0.1 localhost" "::1 localhost" >"$root/etc/hosts"
  echo "root:x:0:0:root:/tmp:/bin/sh" >"$root/etc/passwd"
  echo "root:x:0:" >"$root/etc/group"
  ln -s ../proc/self/mounts "$root/etc/mtab"
}

# make_initrd KERNEL: takes kernel, modules and busybox from what was unpacked.
make_initrd() {
  version=${1#linux-image-}
  version=${version%-unsigned}
  cp "$directory/unpacked/boot/vmlinuz-$version" "$directory/kernel"
  modules=$directory/unpacked/lib/modules
  [ -d "$modules" ] || modules=$directory/unpacked/usr/lib/modules
  base=${modules%/lib/modules}
  depmod -b "$base" "$version"
  mkdir -p "$directory/initrd.d"
  cd "$directory/initrd.d"
  mkdir -p bin proc sys dev host work lib
  cp "$directory/unpacked/bin/busybox" bin/busybox 2>/dev/null ||
    cp "$directory/unpacked/usr/bin/busybox" bin/busybox
  : >modules
  for module in $MODULES; do
    modprobe -d "$base" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
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
  cd /
}

# A source package to be built in the guest.
fetch_source() {
  deb_src "$directory/apt"
  cd "$directory/apt/fetched"
  # shellcheck disable=SC2086 # one word for each argument
  again apt-get $APT -q --download-only --only-source source bzip2
  mv bzip2_*.orig.tar.gz "$directory/source.tar.gz"
  cd /
  rm -rf "$directory/apt"
}

# run_machine SCRIPT [PROCESSORS [MEGABYTES]]
run_machine() {
  read -r machine <"$directory/machine"
  need "qemu-system-$machine" "qemu-system-x86 or -arm"
  cp "$1" "$directory/guest.sh"
  processors=${2:-1}
  megabytes=${3:-1024}
  root=/
  [ ! -d "$directory/root" ] || root=$directory/root
  # What the guest's script says is read by lines, into which a kernel that had to wait would speak.
  # The others spare an emulated processor checks and zeros that no program here needs.
  boot="quiet loglevel=0 panic=-1 mitigations=off init_on_alloc=0 apparmor=0 audit=0"
  case $machine in
    x86_64) set -- -M pc -cpu max -append "console=ttyS0 $boot tsc=unstable nosmap nosmep no5lvl" ;;
    *) set -- -M virt -cpu neoverse-n1 -append "console=ttyAMA0 $boot" ;;
  esac
  exec "qemu-system-$machine" "$@" -accel tcg,thread=multi -m "$megabytes" -smp "$processors" \
    -kernel "$directory/kernel" -initrd "$directory/initrd" \
    -nographic -no-reboot -nodefaults -serial stdio \
    -netdev user,id=net0 -device virtio-net-pci,netdev=net0,romfile= \
    -fsdev local,id=root,path="$root",security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=root,mount_tag=root \
    -fsdev local,id=work,path="$directory",security_model=none,readonly=on \
    -device virtio-9p-pci,fsdev=work,mount_tag=work </dev/null
}

case $command in
  make) make_machine "$@" ;;
  source) fetch_source ;;
  run) run_machine "$@" ;;
  *) echo "unknown command $command" >&2; exit 2 ;;
esac
