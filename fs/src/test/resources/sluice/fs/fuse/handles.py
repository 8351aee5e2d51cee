# File handles of the mount that is named: a file is found by its handle when the kernel has
# forgotten it, and no other file is found by the handle of one that is gone.
import ctypes, errno, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
top = sys.argv[1]
what = sys.argv[2]
os.chdir(top)
HANDLE = 128


def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def handle(name):
    into = ctypes.create_string_buffer(struct.pack('<Ii', HANDLE, 0) + bytes(HANDLE))
    mount = ctypes.c_int()
    call(libc.name_to_handle_at(-100, name.encode(), into, ctypes.byref(mount), 0))
    size = struct.unpack_from('<I', into)[0]
    return bytes(into)[:8 + size]


def opened(bytes_of_handle, flags=os.O_RDONLY):
    mount = os.open('.', os.O_RDONLY | os.O_DIRECTORY)
    try:
        return call(libc.open_by_handle_at(mount, bytes_of_handle, flags))
    finally:
        os.close(mount)


def stale(bytes_of_handle):
    try:
        os.close(opened(bytes_of_handle))
        return False
    except OSError as e:
        return e.errno == errno.ESTALE


def forget():
    with open('/proc/sys/vm/drop_caches', 'w') as f:
        f.write('2')


if what == 'make':
    os.makedirs('a/b', exist_ok=True)
    for name in ('a/b/file', 'gone', 'opened', 'removed', 'victim'):
        with open(name, 'w') as f:
            f.write(name)
    names = ('.', 'a', 'a/b', 'a/b/file', 'gone', 'removed')
    os.close(opened(handle('a/b/file')))
    forget()
    for name in names:
        fd = opened(handle(name))
        assert os.fstat(fd).st_ino == os.stat(name).st_ino, name
        os.close(fd)
    kept = handle('opened')
    holder = os.open('opened', os.O_RDONLY)
    os.unlink('opened')
    forget()
    os.close(holder)
    forget()
    assert stale(kept)
    print('\n'.join(name + ' ' + handle(name).hex() for name in names))
elif what == 'use':
    os.unlink('removed')
    for line in sys.stdin.read().splitlines():
        name, text = line.rsplit(' ', 1)
        known = bytes.fromhex(text)
        if name == 'removed':
            assert stale(known), name
            continue
        fd = opened(known)
        if name == 'a/b/file':
            assert os.read(fd, 100) == b'a/b/file'
        elif name != 'gone':  # a directory's parents are found as well
            assert os.readlink(f'/proc/self/fd/{fd}') == os.path.normpath(top + '/' + name), name
        os.close(fd)
elif what == 'reuse':  # numbers of removed files are given to new ones at once
    for number in range(300):
        with open('old', 'w') as f:
            f.write('old')
        known = handle('old')
        inode = os.stat('old').st_ino
        os.unlink('old')
        if number % 100 == 0:
            forget()
        with open('new', 'w') as f:
            f.write('secret')
        reused = os.stat('new').st_ino == inode
        assert stale(known), (number, reused)
        os.unlink('new')
    # Handles that were never given: of the journal, of free inodes, of numbers out of range, and
    # of files with another generation.
    fileid = struct.unpack_from('<i', known, 4)[0]
    real = handle('victim')
    for inode in (0, 2, 3, 7, 8, 9, 10, 12345, 1 << 31, (1 << 64) - 1):
        forged = struct.pack('<IiIII', 12, fileid, inode >> 32, inode & 0xffffffff, 0)
        assert stale(forged), inode
    other = bytearray(real)
    other[16] ^= 1
    assert stale(bytes(other))
    os.close(opened(real))
