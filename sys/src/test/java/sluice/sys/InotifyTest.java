package sluice.sys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class InotifyTest {
  private static final int MASK =
      Inotify.IN_CREATE | Inotify.IN_CLOSE_WRITE | Inotify.IN_MOVED_FROM | Inotify.IN_MOVED_TO;

  @TempDir Path directory;
  private Inotify inotify;

  @BeforeEach
  void open() throws Exception {
    inotify = Inotify.open();
  }

  @AfterEach
  void close() {
    inotify.close();
  }

  private void expect(int watch, int mask, String name) {
    assertThat(inotify.next()).isTrue();
    assertThat(inotify.watch()).isEqualTo(watch);
    assertThat(inotify.mask()).isEqualTo(mask);
    assertThat(inotify.name()).isEqualTo(name);
  }

  @Test
  void changesAreReportedInOrder() throws Exception {
    int watch = inotify.addWatch(directory.toString(), MASK | Inotify.IN_ONLYDIR);
    assertThat(watch).isPositive();
    assertThat(inotify.read()).isEqualTo(-Errno.EAGAIN);
    assertThat(inotify.next()).isFalse();
    java.nio.file.Files.writeString(directory.resolve("file"), "x");
    java.nio.file.Files.move(directory.resolve("file"), directory.resolve("other-name"));
    java.nio.file.Files.createDirectory(directory.resolve("sub"));
    assertThat(inotify.read()).isPositive();
    expect(watch, Inotify.IN_CREATE, "file");
    assertThat(inotify.nameLength()).isEqualTo(4);
    assertThat(inotify.nameByte(3)).isEqualTo((byte) 'e');
    expect(watch, Inotify.IN_CLOSE_WRITE, "file");
    expect(watch, Inotify.IN_MOVED_FROM, "file");
    int cookie = inotify.cookie();
    expect(watch, Inotify.IN_MOVED_TO, "other-name");
    assertThat(inotify.cookie()).isEqualTo(cookie);
    expect(watch, Inotify.IN_CREATE | Inotify.IN_ISDIR, "sub");
    assertThat(inotify.next()).isFalse();
  }

  @Test
  void watchesAreRemoved() throws Exception {
    int watch = inotify.addWatch(directory.toString().getBytes(UTF_8), MASK);
    assertThat(inotify.removeWatch(watch)).isZero();
    java.nio.file.Files.writeString(directory.resolve("file"), "x");
    assertThat(inotify.read()).isPositive();
    expect(watch, Inotify.IN_IGNORED, "");
    assertThat(inotify.next()).isFalse();
    assertThat(inotify.removeWatch(watch)).isEqualTo(-Errno.EINVAL);
  }

  @Test
  void anOpenDirectoryIsWatchedUnderAnyName() throws Exception {
    Path before = java.nio.file.Files.createDirectory(directory.resolve("before"));
    int fd = Files.openat(Files.AT_FDCWD, before.toString(), Files.O_PATH | Files.O_DIRECTORY, 0);
    Path after = java.nio.file.Files.move(before, directory.resolve("after"));
    int watch = inotify.addWatch(fd, MASK);
    assertThat(watch).isPositive();
    java.nio.file.Files.createFile(after.resolve("x"));
    assertThat(inotify.read()).isPositive();
    expect(watch, Inotify.IN_CREATE, "x");
    Files.close(fd);
  }

  @Test
  void whatCannotBeWatchedSaysSo() throws Exception {
    assertThat(inotify.addWatch(directory + "/none", MASK)).isEqualTo(-Errno.ENOENT);
    Path file = java.nio.file.Files.createFile(directory.resolve("file"));
    assertThat(inotify.addWatch(file.toString(), MASK | Inotify.IN_ONLYDIR))
        .isEqualTo(-Errno.ENOTDIR);
    assertThat(inotify.addWatch("a\0b", MASK)).isEqualTo(-Errno.EINVAL);
    inotify.close();
    inotify.close();
    assertThat(inotify.addWatch(directory.toString(), MASK)).isEqualTo(-Errno.EBADF);
    assertThat(inotify.read()).isEqualTo(-Errno.EBADF);
    assertThat(inotify.removeWatch(1)).isEqualTo(-Errno.EBADF);
  }
}
