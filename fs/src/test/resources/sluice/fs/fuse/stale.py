# Writes a file past the kernel's page cache, several transfers at a time (io_submit(2)), while
# threads read it through the cache: what a completed write has put there is what is read, then and
# afterwards. Ends with how many stale reads there were.
import ctypes, mmap, os, platform, struct, sys, threading, time

os.chdir(sys.argv[1])
rounds = int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == 'aarch64'
SETUP, DESTROY, GETEVENTS, SUBMIT = (0, 1, 4, 2) if arm else (206, 207, 208, 209)
PAGE, PAGES = 4096, 64


def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


with open('file', 'wb') as f:
    f.write(bytes(PAGE * PAGES))
direct = os.open('file', os.O_WRONLY | os.O_DIRECT)
context = ctypes.c_ulong(0)
call(SETUP, ctypes.c_long(PAGES), ctypes.byref(context))
memory = mmap.mmap(-1, PAGE * PAGES)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
controls = [ctypes.create_string_buffer(64) for _ in range(PAGES)]
pointers = (ctypes.c_void_p * PAGES)(*[ctypes.addressof(c) for c in controls])
events = ctypes.create_string_buffer(32 * PAGES)
for page, control in enumerate(controls):  # struct iocb, IOCB_CMD_PWRITE
    struct.pack_into('<QIIHhIQQqQII', control, 0, page, 0, 0, 1, 0, direct,
                     address + page * PAGE, PAGE, page * PAGE, 0, 0, 0)
over = False


def read():
    fd = os.open('file', os.O_RDONLY)
    while not over:
        for page in range(PAGES):
            os.pread(fd, PAGE, page * PAGE)
    os.close(fd)


readers = [threading.Thread(target=read) for _ in range(3)]
for reader in readers:
    reader.start()
stale = 0
check = os.open('file', os.O_RDONLY)
for number in range(1, rounds + 1):
    memory[:] = struct.pack('<Q', number) * (PAGE * PAGES // 8)
    call(SUBMIT, context, ctypes.c_long(PAGES), pointers)
    done = 0
    while done < PAGES:
        done += call(GETEVENTS, context, ctypes.c_long(1), ctypes.c_long(PAGES), events, None)
    for page in range(PAGES):
        seen = struct.unpack('<Q', os.pread(check, 8, page * PAGE))[0]
        stale += seen != number
    if stale:
        break
over = True
for reader in readers:
    reader.join()
print(stale)
