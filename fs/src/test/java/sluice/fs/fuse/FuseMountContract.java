package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.LinuxTools;
import sluice.fs.NewFile;
import sluice.testbase.Await;

/// The contract of a tree mounted through the kernel's FUSE. Programs see an ordinary file system,
/// and the image is clean afterwards, whichever way requests arrive.
@Timeout(240)
abstract class FuseMountContract {
  private static final String RIGHTS = "posix:permissions";

  @TempDir Path directory;

  /// Returns the way in which requests arrive.
  abstract RingUse rings();

  /// Returns true if the mount is made from a block device.
  boolean fromBlockDevice() {
    return false;
  }

  final FuseOptions options(boolean readOnly) {
    FuseStability stability = FuseStability.NONE.withClosesTree(fromBlockDevice());
    return FuseOptions.of("disk.img")
        .withRings(rings())
        .withReadOnly(readOnly)
        .withStability(stability);
  }

  @BeforeEach
  void require() {
    FuseRig.require();
    E2fsprogs.require("e2fsck");
  }

  final FuseRig open(long bytes, int blockBytes) throws Exception {
    return FuseRig.open(directory, bytes, blockBytes, options(false));
  }

  /// Checks streams that continue behind a name that no longer exists. Such a stream returns all
  /// remaining names, even if another stream has read the whole directory in the meantime, and no
  /// position returns a removed name.
  @Test
  void positionsOfDirectoryStreamsOutliveChanges() throws Exception {
    FuseRig rig = open(64 << 20, 1024);
    try (rig) {
      rig.sh("for i in $(seq 60); do echo > few-$i; done; mkdir d; cd d; seq 2000 | xargs touch");
      for (String where : List.of(".", "d")) {
        String said = rig.python("where = '" + where + "'\n" + POSITIONS);
        assertThat(said).endsWith("good\n");
      }
    }
    rig.closeClean();
  }

  private static final String POSITIONS =
      """
      import ctypes, random
      c = ctypes.CDLL(None)
      c.opendir.restype = c.readdir.restype = ctypes.c_void_p
      c.opendir.argtypes = [ctypes.c_char_p]
      c.readdir.argtypes = c.closedir.argtypes = c.telldir.argtypes = [ctypes.c_void_p]
      c.telldir.restype = ctypes.c_long
      c.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]
      os.chdir(where)
      random.seed(1)
      def read(d):
          e = c.readdir(d)
          return ctypes.string_at(e + 19).decode() if e else None
      d = c.opendir(b'.')
      names, before = [], []
      at = c.telldir(d)
      name = read(d)
      while name is not None:
          names.append(name)
          before.append(at)
          at = c.telldir(d)
          name = read(d)
      gone = set()
      def check(i):
          want = next((n for n in names[i:] if n not in gone), None)
          c.seekdir(d, before[i])
          found = read(d)
          assert found == want, (names[i], found, want, len(gone))
      for i in range(3000):
          if random.random() < 0.1:
              victim = random.choice(names)
              if os.path.isfile(victim) and len(gone) + 20 < len(names):
                  if random.random() < 0.5:
                      os.unlink(victim)
                  else:
                      os.rename(victim, '/'.join(['..', 'moved']) if where == 'd' else 'd/moved')
                  gone.add(victim)
          if random.random() < 0.05:
              os.listdir('.')
          check(random.randrange(len(names)))
      print('good')
      """;

  @Test
  void filesThroughNio() throws Exception {
    FuseRig rig = open(64 << 20, 4096);
    try (rig) {
      Path root = rig.directory;
      byte[] content = new byte[3_000_000];
      new Random(1).nextBytes(content);
      Path file = Files.write(root.resolve("file"), content);
      assertThat(file).hasBinaryContent(content);
      assertThatThrownBy(() -> Files.createFile(file))
          .isInstanceOf(FileAlreadyExistsException.class);
      Path below = Files.createDirectories(root.resolve("a/b/c"));
      Path moved = Files.move(file, below.resolve("moved"));
      Path link = Files.createLink(root.resolve("hard"), moved);
      assertThat(Files.getAttribute(link, "unix:nlink")).isEqualTo(2);
      assertThat(Files.getAttribute(link, "unix:ino"))
          .isEqualTo(Files.getAttribute(moved, "unix:ino"));
      Path symlink = Files.createSymbolicLink(root.resolve("soft"), Path.of("a/b/c/moved"));
      assertThat(Files.readSymbolicLink(symlink)).isEqualTo(Path.of("a/b/c/moved"));
      assertThat(symlink).hasBinaryContent(content);
      assertThatThrownBy(() -> Files.delete(root.resolve("a")))
          .isInstanceOf(DirectoryNotEmptyException.class);
      Files.setPosixFilePermissions(moved, PosixFilePermissions.fromString("r-x--x-w-"));
      FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.000000789Z"));
      Files.setLastModifiedTime(moved, time);
      var view = Files.getFileAttributeView(moved, UserDefinedFileAttributeView.class);
      view.write("colour", StandardCharsets.UTF_8.encode("green"));
      assertThat(view.list()).containsExactly("colour");
      assertThat(view.size("colour")).isEqualTo(5);
      assertThat(Files.getLastModifiedTime(link)).isEqualTo(time);
      assertThat(Files.getAttribute(link, RIGHTS))
          .isEqualTo(PosixFilePermissions.fromString("r-x--x-w-"));
      view.delete("colour");
      assertThat(view.list()).isEmpty();
      try (FileChannel channel = FileChannel.open(moved, StandardOpenOption.WRITE)) {
        channel.truncate(1234);
        channel.force(true);
      }
      assertThat(Files.size(link)).isEqualTo(1234);
      Files.copy(link, root.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
      Files.move(root.resolve("copy"), link, StandardCopyOption.REPLACE_EXISTING);
      assertThat(Files.getAttribute(moved, "unix:nlink")).isEqualTo(1);
      Files.delete(moved);
      assertThatThrownBy(() -> Files.size(moved)).isInstanceOf(NoSuchFileException.class);
      assertThat(Files.exists(symlink, LinkOption.NOFOLLOW_LINKS)).isTrue();
      assertThat(Files.exists(symlink)).isFalse();
      assertThat(Files.getFileStore(root).getTotalSpace()).isGreaterThan(50 << 20);
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void namesAreBytes() throws Exception {
    FuseRig rig = open(16 << 20, 1024);
    try (rig) {
      byte[] one = {'n', (byte) 0xE4};
      byte[] two = {'n', (byte) 0xFF, 1, '\n'};
      long root = rig.tree.rootInode();
      rig.tree.create(Caller.ROOT, root, two, NewFile.symlink(one));
      rig.sh("echo text > \"$(printf 'n\\344')\"");
      long file = rig.tree.lookup(Caller.ROOT, root, one);
      assertThat(rig.tree.attributes(file).sizeBytes()).isEqualTo(5);
      assertThat(rig.sh("for i in n*; do cat \"$i\"; done")).isEqualTo("text\ntext\n");
      rig.sh("mv \"$(printf 'n\\344')\" \"$(printf 'm\\200')\"");
      assertThat(rig.tree.lookup(Caller.ROOT, root, new byte[] {'m', (byte) 0x80})).isEqualTo(file);
    }
  }

  @Test
  void filesThroughPlainCommands() throws Exception {
    FuseRig rig = open(128 << 20, 4096);
    try (rig) {
      Path sources = Path.of("src").toAbsolutePath();
      rig.sh("cp -a '" + sources + "' copy; diff -r '" + sources + "' copy");
      rig.sh("mkdir t; tar cf - copy | tar xf - -C t; diff -r copy t/copy");
      String files = LinuxTools.must("sh", "-c", "find '" + sources + "' -type f | wc -l");
      assertThat(rig.sh("find copy -type f | wc -l").strip()).isEqualTo(files.strip());
      rig.sh(
          "ln copy/main/java/module-info.java hard; test copy/main/java/module-info.java -ef hard");
      rig.sh("mv t/copy moved; diff -r moved copy; rmdir t");
      rig.sh("mkfifo p; mknod d c 1 3; test -p p; test -c d; ln -s nowhere l; test -L l");
      rig.sh("truncate -s 1G sparse; test $(stat -c %b sparse) -eq 0; fallocate -l 1M sparse");
      rig.sh("test $(stat -c %b sparse) -ge 2048; fallocate -p -o 0 -l 512K sparse");
      rig.sh("test $(stat -c %b sparse) -lt 2048");
      rig.sh("dd if=/dev/zero of=big bs=1M count=20 oflag=direct status=none; sync big");
      rig.sh(
          "dd if=big of=/dev/null bs=64k iflag=direct status=none; cmp -n 20971520 big /dev/zero");
      rig.sh("test $(stat -c %W big) -gt 1000000000"); // birth time
      rig.sh("for i in $(seq 1500); do echo $i; done | xargs touch; ls | wc -l");
      assertThat(rig.sh("ls | grep -c '^[0-9]*$'").strip()).isEqualTo("1500");
      rig.sh("find . -mindepth 1 -delete; test -z \"$(ls -A)\"");
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void aFileWithoutANameLivesWhileItIsOpen() throws Exception {
    FuseRig rig = open(16 << 20, 1024);
    try (rig) {
      long before = rig.tree.status().freeInodes();
      Path file = rig.directory.resolve("file");
      try (FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(new byte[100_000]));
        Files.delete(file);
        Files.write(file, new byte[] {1});
        channel.write(ByteBuffer.wrap(new byte[] {'x'}), 200_000);
        assertThat(channel.size()).isEqualTo(200_001);
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(channel.read(one, 200_000)).isEqualTo(1);
        assertThat(one.get(0)).isEqualTo((byte) 'x');
        assertThat(rig.tree.status().freeInodes()).isEqualTo(before - 2);
      }
      // A directory is removed while it is a program's working directory, and another one is
      // replaced.
      rig.sh("mkdir d e f; cd d; rmdir ../d; stat -c %h . | grep -qx 0; ! touch a 2>&1");
      rig.sh("mv -T e f; test $(stat -c %h .) -eq 4");
      Files.delete(file);
      rig.sh("rmdir f");
      awaitInodes(rig, before);
    }
    rig.closeClean();
  }

  /// Waits until the kernel has forgotten files, which it does when it has time.
  private static void awaitInodes(FuseRig rig, long wanted) throws IOException {
    Await.untilAsserted(() -> assertThat(rig.tree.status().freeInodes()).isEqualTo(wanted));
  }

  @Test
  void mappedFiles() throws Exception {
    LinuxTools.require("python3");
    FuseRig rig = open(32 << 20, 4096);
    try (rig) {
      rig.python(
          """
          f = open('m', 'w+b')
          f.truncate(1 << 20)
          m = mmap.mmap(f.fileno(), 1 << 20)
          for i in range(0, 1 << 20, 4096):
              m[i:i+4] = i.to_bytes(4, 'little')
          m.flush()
          p = mmap.mmap(f.fileno(), 1 << 20, access=mmap.ACCESS_COPY)
          p[0:4] = b'priv'
          assert m[0:4] == bytes(4)
          m[8:12] = b'last'
          m.close()
          """);
      byte[] content = Files.readAllBytes(rig.directory.resolve("m"));
      assertThat(content).hasSize(1 << 20);
      assertThat(new String(content, 8, 4, StandardCharsets.US_ASCII)).isEqualTo("last");
      assertThat(ByteBuffer.wrap(content).getInt(8192)).isEqualTo(Integer.reverseBytes(8192));
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void writingTakesSetIdBitsAwayAndTheKernelChecksPermissions() throws Exception {
    LinuxTools.require("python3");
    FuseRig rig = open(16 << 20, 4096);
    try (rig) {
      rig.python(
          """
          os.umask(0)
          os.chmod('.', 0o777)
          f = os.open('suid', os.O_CREAT | os.O_WRONLY, 0o777)
          os.chmod('suid', 0o6777)
          os.write(f, b'root keeps them')
          assert os.stat('suid').st_mode & 0o7777 == 0o6777
          secret = os.open('secret', os.O_CREAT | os.O_WRONLY, 0o640)
          os.setxattr('secret', 'trusted.t', b'1')
          os.chown('secret', 0, 1234)
          os.setgroups([1234])
          os.setgid(65534)
          os.setuid(65534)
          os.write(os.open('suid', os.O_WRONLY), b'others do not')
          assert os.stat('suid').st_mode & 0o7777 == 0o777, oct(os.stat('suid').st_mode)
          os.open('secret', os.O_RDONLY)  # by a supplementary group
          assert os.listxattr('secret') == []
          try:
              os.open('secret', os.O_WRONLY)
              assert False
          except PermissionError:
              pass
          os.mkdir('mine')
          s = os.stat('mine')
          assert (s.st_uid, s.st_gid) == (65534, 65534)
          try:
              os.chown('mine', 0, 0)
              assert False
          except PermissionError:
              pass
          """);
    }
    rig.closeClean();
  }

  @Test
  void manyAtOnce() throws Exception {
    FuseRig rig = open(64 << 20, 4096);
    ExecutorService pool = Executors.newFixedThreadPool(6);
    long seed = Long.getLong("sluice.seed", 1);
    try (rig) {
      Path shared = Files.createDirectory(rig.directory.resolve("shared"));
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int number = i;
        Callable<Integer> work = () -> work(shared, number, new Random(seed + number));
        results.add(pool.submit(work));
      }
      int left = 0;
      for (Future<Integer> result : results) {
        left += result.get(200, TimeUnit.SECONDS);
      }
      try (var entries = Files.list(shared)) {
        assertThat(entries.count()).as("seed %d", seed).isEqualTo(left);
      }
    } finally {
      pool.shutdownNow();
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  /// Creates, checks, renames and removes files of its own among those of others.
  private static int work(Path shared, int number, Random random) throws IOException {
    List<Path> mine = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] content = new byte[random.nextInt(20_000)];
      Arrays.fill(content, (byte) (number + i));
      Path file = Files.write(shared.resolve(number + "-" + i), content);
      mine.add(file);
      assertThat(Files.readAllBytes(file)).isEqualTo(content);
      if (random.nextInt(3) == 0) {
        Path old = mine.remove(random.nextInt(mine.size()));
        Path renamed = shared.resolve("r" + number + "-" + i);
        Files.move(old, renamed);
        mine.add(renamed);
      }
      if (random.nextInt(2) == 0) {
        Files.delete(mine.remove(random.nextInt(mine.size())));
      }
    }
    return mine.size();
  }

  @Test
  void aMountInUseIsNotUnmountedButDetached() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    try (rig) {
      Path file = rig.directory.resolve("file");
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        assertThat(rig.mount.unmount()).isFalse();
        rig.mount.detach();
        assertThat(file).doesNotExist();
        assertThat(channel.write(ByteBuffer.wrap(new byte[10]))).isEqualTo(10);
      }
      rig.mount.awaitEnd();
    }
    rig.closeClean();
    try (FuseRig again = new FuseRig(rig.image, rig.directory, options(true))) {
      assertThat(Files.size(again.directory.resolve("file"))).isEqualTo(10);
    }
  }

  @Test
  void closingEndsItAlthoughItIsUsed() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    Path file = rig.directory.resolve("file");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    channel.write(ByteBuffer.wrap(new byte[10]));
    Files.delete(file); // kept by the kernel alone, so it is freed at the end
    rig.closeClean();
    assertThatThrownBy(() -> channel.write(ByteBuffer.wrap(new byte[10])))
        .isInstanceOf(IOException.class);
    closeCutOff(channel);
    rig.close();
  }

  @Test
  void closingEndsRequestsInFlight() throws Exception {
    FuseRig rig = open(64 << 20, 4096);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    // Waits for each of them: a writer that starts only after the end would write into the
    // directory below.
    CountDownLatch busy = new CountDownLatch(4);
    try {
      List<Future<Void>> users = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Path file = rig.directory.resolve("file" + i);
        Callable<Void> work = () -> writeAndSync(file, busy);
        users.add(pool.submit(work));
      }
      assertThat(busy.await(120, TimeUnit.SECONDS)).isTrue();
      rig.closeClean();
      for (Future<Void> user : users) {
        assertThatThrownBy(() -> user.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(IOException.class);
      }
    } finally {
      pool.shutdownNow();
      rig.close();
    }
    assertThat(rig.messages).isEmpty();
  }

  /// Writes and syncs until that fails.
  ///
  /// @param busy counted down after a few rounds
  private static Void writeAndSync(Path file, CountDownLatch busy) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(100_000);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      for (int i = 1; ; i++) {
        channel.write(content.clear(), 0);
        channel.force(true);
        if (i == 20) {
          busy.countDown();
        }
      }
    } finally {
      closeCutOff(channel);
    }
  }

  private static void closeCutOff(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Some kernels pass each close to the server, which then fails as well.
    }
  }

  @Test
  void usersThatDieInMidRequestLeaveItWhole() throws Exception {
    LinuxTools.require("timeout");
    FuseRig rig = open(64 << 20, 4096);
    try (rig) {
      rig.sh("dd if=/dev/zero of=old bs=1M count=8 status=none");
      // Each dies at a random moment: some before their first request, most in the middle of one.
      rig.sh(
          "for i in 0.01 0.02 0.03 0.04 0.05 0.06 0.08; do for s in KILL INT TERM; do"
              + " timeout -s $s $i dd if=old of=new bs=64k iflag=direct oflag=direct,sync"
              + " status=none || true; done; done; true");
      rig.sh("cmp old /dev/zero -n 8388608; echo end > end; test \"$(cat end)\" = end");
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void umountFromOutsideEndsIt() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    try (rig) {
      Files.write(rig.directory.resolve("file"), new byte[10]);
      LinuxTools.must("umount", rig.directory.toString());
      rig.mount.awaitEnd();
    }
    rig.closeClean();
  }

  @Test
  void readOnlyChangesNothing() throws Exception {
    FuseRig rig = open(16 << 20, 4096);
    Files.write(rig.directory.resolve("file"), new byte[10]);
    rig.closeClean();
    byte[] before = Files.readAllBytes(rig.image);
    try (FuseRig readOnly = new FuseRig(rig.image, rig.directory, options(true))) {
      assertThat(readOnly.directory.resolve("file")).hasBinaryContent(new byte[10]);
      LinuxTools.Said said = LinuxTools.run("sh", "-c", "echo > '" + readOnly.directory + "/file'");
      assertThat(said.output()).contains("Read-only file system");
    }
    assertThat(Files.readAllBytes(rig.image)).isEqualTo(before);
  }
}
