package sluice.sys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class FilesTest {
  @TempDir Path directory;
  private int root;

  @BeforeEach
  void open() throws Exception {
    int flags = Files.O_PATH | Files.O_DIRECTORY;
    root =
        (int)
            SysException.check(
                Files.openat(Files.AT_FDCWD, directory.toString(), flags, 0), "openat", directory);
  }

  @AfterEach
  void close() {
    Files.close(root);
  }

  private int create(String name, String text) throws Exception {
    java.nio.file.Files.writeString(directory.resolve(name), text);
    return (int) SysException.check(Files.openat(root, name, Files.O_RDWR, 0), "openat", name);
  }

  @Test
  void namesCannotLeaveTheDirectory() throws Exception {
    java.nio.file.Files.createDirectory(directory.resolve("sub"));
    java.nio.file.Files.writeString(directory.resolve("sub/file"), "x");
    java.nio.file.Files.createSymbolicLink(directory.resolve("out"), Path.of("/etc/passwd"));
    java.nio.file.Files.createSymbolicLink(directory.resolve("in"), Path.of("sub/file"));
    int beneath = Files.RESOLVE_BENEATH;
    int flags = Files.O_RDONLY;
    int fd = Files.openat2(root, "sub/../sub/file", flags, 0, beneath);
    assertThat(fd).isPositive();
    Files.close(fd);
    assertThat(Files.openat2(root, "../x", flags, 0, beneath)).isEqualTo(-Errno.EXDEV);
    assertThat(Files.openat2(root, "/etc/passwd", flags, 0, beneath)).isEqualTo(-Errno.EXDEV);
    assertThat(Files.openat2(root, "out", flags, 0, beneath)).isEqualTo(-Errno.EXDEV);
    java.nio.file.Files.delete(directory.resolve("out"));
    assertThat(Files.openat2(root, "in", flags, 0, beneath | Files.RESOLVE_NO_SYMLINKS))
        .isEqualTo(-Errno.ELOOP);
    assertThat(Files.openat2(root, "in", flags | Files.O_NOFOLLOW, 0, beneath))
        .isEqualTo(-Errno.ELOOP);
    assertThat(Files.openat2(root, "none", flags, 0, beneath)).isEqualTo(-Errno.ENOENT);
    assertThat(Files.openat2(root, "sub/file\0hidden", flags, 0, beneath)).isEqualTo(-Errno.EINVAL);
    assertThat(Files.openat(root, "a\0b", flags, 0)).isEqualTo(-Errno.EINVAL);
  }

  @Test
  void filesAreCreatedCloseOnExecAndCutOff() throws Exception {
    int flags = Files.O_CREAT | Files.O_EXCL | Files.O_RDWR;
    int fd = Files.openat2(root, "new", flags, 0640, 0);
    assertThat(fd).isPositive();
    assertThat(Files.openat2(root, "new", flags, 0640, 0)).isEqualTo(-Errno.EEXIST);
    assertThat(
            PosixFilePermissions.toString(
                java.nio.file.Files.getPosixFilePermissions(directory.resolve("new"))))
        .startsWith("rw-");
    assertThat(Files.ftruncate(fd, 1234)).isZero();
    Statx stat = new Statx();
    assertThat(Files.statx(fd, Statx.STATX_BASIC_STATS, stat)).isZero();
    assertThat(stat.size()).isEqualTo(1234);
    Files.close(fd); // not twice: the number may have another owner by then
    assertThat(Files.close(-1)).isEqualTo(-Errno.EBADF);
  }

  @Test
  void attributesAreThoseTheJdkSees() throws Exception {
    Files.close(create("file", "hello"));
    Path path = directory.resolve("file");
    java.nio.file.Files.createLink(directory.resolve("second"), path);
    java.nio.file.Files.createSymbolicLink(directory.resolve("link"), path);
    Statx stat = new Statx();
    assertThat(Files.statx(root, "file", 0, Statx.STATX_BASIC_STATS, stat)).isZero();
    assertThat(stat.mask() & Statx.STATX_BASIC_STATS).isEqualTo(Statx.STATX_BASIC_STATS);
    assertThat(stat.size()).isEqualTo(5);
    assertThat(stat.isRegularFile()).isTrue();
    Map<String, Object> unix = java.nio.file.Files.readAttributes(path, "unix:*");
    assertThat(stat.inode()).isEqualTo(unix.get("ino"));
    assertThat(stat.links()).isEqualTo(unix.get("nlink")).isEqualTo(2);
    assertThat(stat.uid()).isEqualTo(unix.get("uid"));
    assertThat(stat.gid()).isEqualTo(unix.get("gid"));
    assertThat(stat.mode()).isEqualTo(unix.get("mode"));
    var modified = java.nio.file.Files.getLastModifiedTime(path).toInstant();
    assertThat(stat.modifiedSeconds()).isEqualTo(modified.getEpochSecond());
    assertThat(stat.modifiedNanos()).isEqualTo(modified.getNano());
    assertThat(stat.changedSeconds()).isGreaterThanOrEqualTo(stat.modifiedSeconds());
    int noFollow = Files.AT_SYMLINK_NOFOLLOW;
    assertThat(Files.statx(root, "link", noFollow, Statx.STATX_TYPE, stat)).isZero();
    assertThat(stat.isSymbolicLink()).isTrue();
    assertThat(Files.statx(root, "", Files.AT_EMPTY_PATH, Statx.STATX_TYPE, stat)).isZero();
    assertThat(stat.isDirectory()).isTrue();
    assertThat(Files.statx(root, "none", 0, 0, stat)).isEqualTo(-Errno.ENOENT);
  }

  @Test
  void bytesAreReadAndWrittenAtPositions() throws Exception {
    int fd = create("file", "0123456789");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(16);
      assertThat(Files.pread(fd, buffer, 1, 4, 3)).isEqualTo(4);
      assertThat(buffer.getString(1)).isEqualTo("3456");
      assertThat(Files.pread(fd, buffer, 0, 16, 100)).isZero();
      MemorySegment text = arena.allocateFrom("ab", UTF_8);
      assertThat(Files.pwrite(fd, text, 0, 2, 8)).isEqualTo(2);
      assertThat(Files.read(fd, buffer, 0, 16)).isEqualTo(10);
      assertThat(buffer.asSlice(0, 10).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
          .isEqualTo("01234567ab".getBytes(UTF_8));
      MemorySegment pieces = arena.allocate(2L * IoVec.SIZE, 8);
      assertThat(IoVec.add(pieces, 0, 0, text, 0, 1)).isOne();
      assertThat(IoVec.add(pieces, 0, 1, text, 1, 1)).as("goes on where it ended").isOne();
      assertThat(IoVec.add(pieces, 0, 1, text, 1, 1)).isEqualTo(2);
      assertThat(Files.pwritev(fd, pieces, 2, 1)).isEqualTo(3);
      assertThat(Files.pread(fd, buffer, 0, 5, 0)).isEqualTo(5);
      assertThat(buffer.asSlice(0, 5).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
          .isEqualTo("0abb4".getBytes(UTF_8));
      assertThat(Files.pwrite(fd, arena.allocateFrom("123"), 0, 3, 1)).isEqualTo(3);
      MemorySegment vector = arena.allocate(IoVec.SIZE, 8);
      buffer.fill((byte) 0);
      int count = Files.preadNoWait(fd, vector, buffer, 2, 14, 5);
      assertThat(count).isIn(5, -Errno.EAGAIN, -Errno.EOPNOTSUPP);
      assertThat(count < 0 || buffer.getString(2).equals("567ab")).isTrue();
      assertThatThrownBy(() -> Files.pread(fd, buffer, 10, 7, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Files.preadNoWait(fd, vector, buffer.asReadOnly(), 0, 1, 0))
          .isInstanceOf(IllegalArgumentException.class);
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void filesAreMadeStableAndLockedForOneOpening() throws Exception {
    int fd = create("file", "content");
    int other = Files.openat(root, "file", Files.O_RDONLY, 0);
    try {
      assertThat(Files.fdatasync(fd)).isZero();
      assertThat(Files.flock(fd, Files.LOCK_EX | Files.LOCK_NB)).isZero();
      assertThat(Files.flock(other, Files.LOCK_SH | Files.LOCK_NB)).isEqualTo(-Errno.EAGAIN);
      assertThat(Files.flock(fd, Files.LOCK_UN)).isZero();
      assertThat(Files.flock(other, Files.LOCK_SH | Files.LOCK_NB)).isZero();
      assertThat(Files.blockDeviceBytes(fd)).as("no block device").isNegative();
      assertThat(Files.blockDeviceSectorBytes(fd)).isNegative();
    } finally {
      Files.close(other);
      Files.close(fd);
    }
    assertThat(Files.fdatasync(-1)).isEqualTo(-Errno.EBADF);
  }

  @Test
  void bytesMoveWithoutACopy() throws Exception {
    int fd = create("file", "0123456789");
    int[] pipe = new int[2];
    assertThat(Files.pipe2(Files.O_NONBLOCK, pipe)).isZero();
    try (SocketPair pair = SocketPair.open();
        Arena arena = Arena.ofConfined()) {
      MemorySegment in = arena.allocate(16);
      assertThat(Files.sendfile(pair.client(), fd, 2, 5)).isEqualTo(5);
      assertThat(Files.sendfile(pair.client(), fd, 10, 5)).isZero();
      assertThat(Sockets.recv(pair.server(), in, 0, 16, 0)).isEqualTo(5);
      assertThat(in.getString(0)).isEqualTo("23456");
      assertThat(Files.splice(fd, 6, pipe[1], 4, Files.SPLICE_F_NONBLOCK)).isEqualTo(4);
      assertThat(Files.splice(pipe[0], -1, pair.client(), 4, 0)).isEqualTo(4);
      assertThat(Sockets.recv(pair.server(), in, 0, 16, 0)).isEqualTo(4);
      assertThat(in.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) '6');
      assertThat(Files.read(pipe[0], in, 0, 1)).isEqualTo(-Errno.EAGAIN);
    } finally {
      Files.close(pipe[0]);
      Files.close(pipe[1]);
      Files.close(fd);
    }
  }

  @Test
  void theFileSystemAndTheCacheAreKnown() throws Exception {
    int fd = create("file", "x".repeat(10_000));
    StatFs stat = new StatFs();
    assertThat(Files.fstatfs(fd, stat)).isZero();
    assertThat(stat.blockBytes()).isPositive();
    assertThat(stat.type()).isNotZero();
    int proc = Files.openat(Files.AT_FDCWD, "/proc", Files.O_DIRECTORY, 0);
    assertThat(Files.fstatfs(proc, stat)).isZero();
    assertThat(stat.type()).isEqualTo(StatFs.PROC_SUPER_MAGIC);
    Files.close(proc);
    assertThat(Files.fadvise(fd, 0, 0, Files.POSIX_FADV_SEQUENTIAL)).isZero();
    CacheStat cache = new CacheStat();
    int result = Files.cachestat(fd, 0, 0, cache);
    assertThat(result).isIn(0, -Errno.ENOSYS, -Errno.EOPNOTSUPP);
    if (result == 0) {
      assertThat(cache.cached()).isBetween(0L, 3L);
      assertThat(cache.dirty()).isBetween(0L, 3L);
    }
    Files.close(fd);
  }

  @Test
  void directoriesAreListed() throws Exception {
    java.nio.file.Files.createDirectory(directory.resolve("sub"));
    for (int i = 0; i < 2000; i++) {
      java.nio.file.Files.createFile(directory.resolve("a-rather-long-file-name-" + i));
    }
    java.nio.file.Files.createFile(directory.resolve(".hidden"));
    int fd = Files.openat(root, ".", Files.O_RDONLY | Files.O_DIRECTORY, 0);
    DirectoryEntries entries = new DirectoryEntries();
    for (int round = 0; round < 2; round++) {
      entries.open(fd);
      Map<String, Integer> seen = new HashMap<>();
      while (entries.next() == 1) {
        seen.put(entries.name(), entries.type());
        assertThat(entries.inode()).isPositive();
      }
      assertThat(entries.next()).isZero();
      assertThat(seen).hasSize(2002).doesNotContainKeys(".", "..").containsKey(".hidden");
      assertThat(seen.get("sub")).isIn(DirectoryEntries.DT_DIR, DirectoryEntries.DT_UNKNOWN);
      Files.rewind(fd);
    }
    Files.close(fd);
    entries.open(fd);
    assertThat(entries.next()).isEqualTo(-Errno.EBADF);
  }

  @Test
  void linksAreRead() throws Exception {
    java.nio.file.Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));
    byte[] target = new byte[100];
    assertThat(Files.readlink(root, "link", target)).isEqualTo(6);
    assertThat(new String(target, 0, 6, UTF_8)).isEqualTo("target");
    assertThat(Files.readlink(root, "link", new byte[3])).isEqualTo(3);
    assertThat(Files.readlink(root, "none", target)).isEqualTo(-Errno.ENOENT);
  }

  @Test
  void descriptorsAreDuplicatedAndChanged() throws Exception {
    int fd = create("file", "");
    int second = Files.duplicate(fd);
    assertThat(second).isNotNegative().isNotEqualTo(fd);
    Files.close(fd);
    int flags = Files.statusFlags(second);
    assertThat(flags & 3).isEqualTo(Files.O_RDWR);
    assertThat(Files.setStatusFlags(second, flags | Files.O_NONBLOCK)).isZero();
    assertThat(Files.statusFlags(second) & Files.O_NONBLOCK).isNotZero();
    Files.close(second);
  }
}
