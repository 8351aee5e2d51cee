"""Carries out file operations below the working directory with the kernel, one per line, and answers
with an errno or a value. Arguments are separated by spaces; names and values are hexadecimal."""
import ctypes
import errno
import hashlib
import os
import stat
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


def name(text):
    return bytes.fromhex(text) if text != "-" else b""


def check(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def content(seed, count):
    value, out = seed & 0x7FFFFFFF, bytearray()
    for _ in range(count):
        value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(value >> 16 & 0xFF)
    return bytes(out)


def opened(path, flags):
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def write(path, offset, count, seed):
    fd = opened(path, os.O_WRONLY)
    try:
        return os.pwrite(fd, content(seed, count), offset)
    finally:
        os.close(fd)


def read(path, offset, count):
    fd = opened(path, os.O_RDONLY)
    try:
        return hashlib.sha1(os.pread(fd, count, offset)).hexdigest()
    finally:
        os.close(fd)


def truncate(path, size):
    fd = opened(path, os.O_WRONLY)
    try:
        os.ftruncate(fd, size)
    finally:
        os.close(fd)


def punch(path, offset, count):
    fd = opened(path, os.O_WRONLY)
    try:
        check(LIBC.fallocate(fd, 3, ctypes.c_long(offset), ctypes.c_long(count)))
    finally:
        os.close(fd)


def seek(path, offset, hole):
    fd = opened(path, os.O_RDONLY)
    try:
        return os.lseek(fd, offset, os.SEEK_HOLE if hole else os.SEEK_DATA)
    finally:
        os.close(fd)


def describe(path):
    s = os.lstat(path)
    rest = "-" if stat.S_ISDIR(s.st_mode) else str(s.st_size)
    return "%o %d %d %d %s %x" % (s.st_mode, s.st_nlink, s.st_uid, s.st_gid, rest, s.st_rdev)


def attributes(path):
    found = []
    for attribute in sorted(os.listxattr(path, follow_symlinks=False)):
        value = os.getxattr(path, attribute, follow_symlinks=False)
        found.append(attribute + "=" + value.hex())
    return ",".join(found)


def dump(path, out):
    for entry in sorted(os.listdir(path)):
        below = os.path.join(path, entry)
        if below == b"./lost+found":
            continue
        line = below.hex() + " " + describe(below)
        mode = os.lstat(below).st_mode
        if stat.S_ISREG(mode):
            line += " " + hashlib.sha1(open(below, "rb").read()).hexdigest()
        if stat.S_ISLNK(mode):
            line += " " + os.readlink(below).hex()
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            line += " [" + attributes(below) + "]"
        out.append(line)
        if stat.S_ISDIR(mode):
            dump(below, out)


def become(uid, gid):
    os.seteuid(0)
    os.setegid(0)
    if uid:
        os.setgroups([gid])
        os.setegid(gid)
        os.seteuid(uid)
    else:
        os.setgroups([])


def run(words):
    what, a = words[0], words[1:]
    if what == "become":
        return become(int(a[0]), int(a[1]))
    if what == "dump":
        out = []
        dump(b".", out)
        return ";".join(out)
    path = name(a[0])
    if what == "mkdir":
        return os.mkdir(path, int(a[1]))
    if what == "create":
        return os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, int(a[1])))
    if what == "mknod":
        return os.mknod(path, int(a[1]), os.makedev(int(a[2]), int(a[3])))
    if what == "symlink":
        return os.symlink(name(a[1]), path)
    if what == "readlink":
        return os.readlink(path).hex()
    if what == "link":
        return os.link(path, name(a[1]), follow_symlinks=False)
    if what == "unlink":
        return os.unlink(path)
    if what == "rmdir":
        return os.rmdir(path)
    if what == "rename":
        return check(LIBC.renameat2(AT_FDCWD, path, AT_FDCWD, name(a[1]), int(a[2])))
    if what == "write":
        return write(path, int(a[1]), int(a[2]), int(a[3]))
    if what == "read":
        return read(path, int(a[1]), int(a[2]))
    if what == "truncate":
        return truncate(path, int(a[1]))
    if what == "punch":
        return punch(path, int(a[1]), int(a[2]))
    if what == "seek":
        return seek(path, int(a[1]), a[2] == "1")
    if what == "chmod":
        return os.chmod(path, int(a[1]))
    if what == "chown":
        return os.lchown(path, int(a[1]), int(a[2]))
    if what == "setxattr":
        return os.setxattr(path, name(a[1]), name(a[2]), int(a[3]), follow_symlinks=False)
    if what == "getxattr":
        return os.getxattr(path, name(a[1]), follow_symlinks=False).hex()
    if what == "removexattr":
        return os.removexattr(path, name(a[1]), follow_symlinks=False)
    if what == "stat":
        return describe(path)
    if what == "list":
        return ",".join(sorted(entry.hex() for entry in os.listdir(path)))
    raise ValueError(what)


os.umask(0)
for line in sys.stdin:
    try:
        result = run(line.split())
        print("ok" if result is None else "ok " + str(result), flush=True)
    except OSError as failure:
        code = errno.errorcode[failure.errno]
        print("EOPNOTSUPP" if code == "ENOTSUP" else code, flush=True)
