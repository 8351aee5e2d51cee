# Changes files with set-id bits and capabilities in every way, in the directory that is named, and
# prints what the kernel remembers of their mode, what stat(2) says, and whether capabilities stay.
import ctypes, ctypes.util, mmap, os, struct, sys

os.chdir(sys.argv[1])
os.umask(0)
os.chmod('.', 0o777)
libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
LENGTH = 65536
CAPABILITY = struct.pack('<IIIII', 0x02000001, 1 << 10, 0, 0, 0)
GROUP = 1234
PR_CAPBSET_DROP, CAP_FSETID = 24, 4


def remembered(name):  # statx(2) with AT_STATX_DONT_SYNC asks no server
    into = ctypes.create_string_buffer(256)
    if libc.statx(-100, name.encode(), 0x4000, 0x7ff, into) != 0:
        raise OSError(ctypes.get_errno(), name)
    return struct.unpack_from('<H', into, 28)[0] & 0o7777


def allocate(mode, offset=0, length=8192):
    def run(name):
        fd = os.open(name, os.O_RDWR)
        result = libc.fallocate(fd, mode, offset, length)
        os.close(fd)
        return result if mode & 0x38 == 0 else 0  # not every file system has all modes
    return run


def opened(action, flags=os.O_RDWR):
    def run(name):
        fd = os.open(name, flags)
        try:
            action(fd)
        finally:
            os.close(fd)
    return run


def copied(fd):
    source = os.open('source', os.O_RDONLY)
    os.copy_file_range(source, fd, 4096)
    os.close(source)


def sent(fd):
    source = os.open('source', os.O_RDONLY)
    os.sendfile(fd, source, 0, 4096)
    os.close(source)


def mapped(fd):
    with mmap.mmap(fd, LENGTH) as m:
        m[100:104] = b'mmap'
        m.flush()


def direct(fd):
    with mmap.mmap(-1, 4096) as m:
        os.pwritev(fd, [m], 0)


OPS = {
    'write': opened(lambda fd: os.write(fd, b'x' * 100)),
    'write-nothing': opened(lambda fd: os.write(fd, b'')),
    'write-twice': opened(lambda fd: (os.write(fd, b'x'), os.write(fd, b'y'))),
    'append': opened(lambda fd: os.write(fd, b'x'), os.O_WRONLY | os.O_APPEND),
    'pwrite': opened(lambda fd: os.pwrite(fd, b'x' * 100, 5000)),
    'pwrite-behind': opened(lambda fd: os.pwrite(fd, b'x', 5 * LENGTH)),
    'writev': opened(lambda fd: os.writev(fd, [b'x' * 10, b'y' * 5000])),
    'direct': opened(direct, os.O_RDWR | os.O_DIRECT),
    'mmap': opened(mapped),
    'truncate': lambda name: os.truncate(name, 5),
    'truncate-same': lambda name: os.truncate(name, LENGTH),
    'ftruncate-longer': opened(lambda fd: os.ftruncate(fd, 2 * LENGTH)),
    'O_TRUNC': opened(lambda fd: None, os.O_WRONLY | os.O_TRUNC),
    'fallocate': allocate(0, 0, 2 * LENGTH),
    'fallocate-inside': allocate(0),
    'fallocate-keep': allocate(1),
    'punch': allocate(3),
    'punch-partial': allocate(3, 100, 200),
    'zero-range': allocate(0x10),
    'copy_file_range': opened(copied),
    'sendfile': opened(sent),
    'read': opened(lambda fd: os.read(fd, 100), os.O_RDONLY),
    'chown-own-group': lambda name: os.chown(name, -1, os.getgid()),
    'utime': lambda name: os.utime(name),
}


def become(uid, gid, groups):
    os.setgroups(groups)
    os.setgid(gid)
    os.setuid(uid)


def without_fsetid():  # the bounding set holds what exec gives; capset(2) ends what there is
    header = struct.pack('<Ii', 0x20080522, 0)
    data = ctypes.create_string_buffer(24)
    libc.capget(header, data)
    words = list(struct.unpack('<6I', data.raw))
    words[0] &= ~(1 << CAP_FSETID)
    words[1] &= ~(1 << CAP_FSETID)
    if libc.capset(header, struct.pack('<6I', *words)) != 0:
        raise OSError(ctypes.get_errno(), 'capset')


CALLERS = {
    'root': lambda: None,
    'root-without-fsetid': without_fsetid,
    'owner': lambda: become(1000, 1000, []),
    'owner-in-group': lambda: become(1000, 1000, [5, GROUP]),
    'other': lambda: become(65534, 65534, []),
    'other-in-group': lambda: become(65534, 65534, [GROUP, 7]),
    'other-of-group': lambda: become(65534, GROUP, []),
}
MODES = [0o4777, 0o6777, 0o2777, 0o2767, 0o6767, 0o777]

with open('source', 'wb') as f:
    f.write(b's' * LENGTH)
with open('template', 'wb') as f:
    f.write(b't' * LENGTH)


def made(name, mode, capable):
    with open('template', 'rb') as t, open(name, 'wb') as f:
        f.write(t.read())
    os.chown(name, 1000, GROUP)
    os.chmod(name, mode)
    if capable:
        os.setxattr(name, 'security.capability', CAPABILITY)
    os.stat(name)  # the kernel remembers it now


def judged(caller, mode, op, capable):
    name = f'{caller}-{mode:o}-{op}' + ('-capable' if capable else '')
    made(name, mode, capable)
    child = os.fork()
    if child == 0:
        status = 99
        try:
            CALLERS[caller]()
            try:
                status = 1 if OPS[op](name) == -1 else 0
            except OSError as e:
                status = e.errno
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    mode = remembered(name)
    after = os.stat(name).st_mode & 0o7777
    capable = 'security.capability' in os.listxattr(name)
    print(f'{name}: ended {ended}, remembered {mode:o}, is {after:o}, capable {capable}')


for caller in CALLERS:
    for op in OPS:
        for mode in MODES:
            judged(caller, mode, op, False)
        judged(caller, 0o6777, op, True)
