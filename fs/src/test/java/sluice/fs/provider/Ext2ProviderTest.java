package sluice.fs.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Await;

/// Tests features that the JDK's own provider does not have: images, options, closing, permissions
/// of a chosen caller, and names that are not valid text.
@Timeout(120)
final class Ext2ProviderTest {
  private static final Map<String, ?> CREATE =
      Map.of("create", true, "size", 16 << 20, "blockSize", 1024, "cacheBytes", "4194304");

  @TempDir Path temporary = Path.of("");

  private URI uri(String image) {
    return URI.create("ext2:" + temporary.resolve(image) + "!/");
  }

  // ---- images -----------------------------------------------------------------------------------

  @Test
  void anImageIsMadeAndFoundAgain() throws IOException {
    URI uri = uri("a.img");
    assertThatThrownBy(() -> FileSystems.getFileSystem(uri))
        .isInstanceOf(FileSystemNotFoundException.class);
    assertThatThrownBy(() -> Path.of(uri)).isInstanceOf(FileSystemNotFoundException.class);
    assertThatThrownBy(() -> FileSystems.newFileSystem(uri, Map.of()))
        .isInstanceOf(IOException.class);
    try (FileSystem fs = FileSystems.newFileSystem(uri, CREATE)) {
      assertThat(FileSystems.getFileSystem(uri)).isSameAs(fs);
      assertThat(fs.provider().getScheme()).isEqualTo("ext2");
      assertThatThrownBy(() -> FileSystems.newFileSystem(uri, CREATE))
          .isInstanceOf(FileSystemAlreadyExistsException.class);
      Files.writeString(fs.getPath("/hello"), "kept");
      assertThat(fs.toString()).contains("a.img");
    }
    try (FileSystem fs = FileSystems.newFileSystem(temporary.resolve("a.img"), Map.of())) {
      assertThat(Files.readString(Path.of(uri.resolve(uri + "hello")))).isEqualTo("kept");
      assertThat(fs.getFileStores().iterator().next().type()).isEqualTo("ext2");
    }
    try (FileSystem fs = FileSystems.newFileSystem(uri, CREATE)) {
      assertThat(Files.readString(fs.getPath("hello"))).as("made only once").isEqualTo("kept");
    }
  }

  @Test
  void optionsAreChecked() throws IOException {
    assertThatThrownBy(() -> FileSystems.newFileSystem(uri("b.img"), Map.of("readonly", true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("readOnly");
    assertThatThrownBy(() -> FileSystems.newFileSystem(uri("b.img"), Map.of("create", "yes")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FileSystems.newFileSystem(uri("b.img"), Map.of("create", true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("size");
    assertThatThrownBy(() ->
            FileSystems.newFileSystem(
                uri("b.img"), Map.of("create", true, "size", 1 << 20, "blockSize", 3)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(temporary.resolve("b.img")).doesNotExist();
    Path other = Files.write(temporary.resolve("no image"), new byte[4096]);
    assertThatThrownBy(() -> FileSystems.newFileSystem(other, Map.of("not ours", "x")))
        .isInstanceOf(ProviderNotFoundException.class);
    assertThatThrownBy(() ->
            FileSystems.newFileSystem(URI.create("ext2:" + other.toUri().getRawPath()), Map.of()))
        .isInstanceOf(IOException.class);
    for (String wrong : List.of("ext2:relative", "ext2://host/a!/", "ext2:/a!/?q", "ext2:/a!/#f")) {
      assertThatThrownBy(() -> FileSystems.newFileSystem(URI.create(wrong), Map.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void readOnlyRefusesEveryChange() throws IOException {
    try (FileSystem fs = FileSystems.newFileSystem(uri("c.img"), CREATE)) {
      Files.writeString(fs.getPath("/f"), "x");
      Files.createDirectory(fs.getPath("/d"));
    }
    try (FileSystem fs = FileSystems.newFileSystem(uri("c.img"), Map.of("readOnly", "true"))) {
      Path file = fs.getPath("/f");
      assertThat(fs.isReadOnly()).isTrue();
      assertThat(Files.getFileStore(file).isReadOnly()).isTrue();
      assertThat(Files.isWritable(file)).isFalse();
      assertThat(Files.isReadable(file)).isTrue();
      assertThat(Files.readString(file)).isEqualTo("x");
      FileTime time = FileTime.fromMillis(0);
      List<org.assertj.core.api.ThrowableAssert.ThrowingCallable> changes =
          List.of(
              () -> Files.writeString(file, "y"),
              () -> Files.newByteChannel(file, StandardOpenOption.WRITE),
              () -> Files.delete(file),
              () -> Files.createFile(fs.getPath("/new")),
              () -> Files.createDirectory(fs.getPath("/new")),
              () -> Files.createSymbolicLink(fs.getPath("/new"), file),
              () -> Files.createLink(fs.getPath("/new"), file),
              () -> Files.copy(file, fs.getPath("/new")),
              () -> Files.move(file, fs.getPath("/new")),
              () -> Files.delete(fs.getPath("/d")),
              () -> Files.setLastModifiedTime(file, time),
              () -> Files.setAttribute(file, "user:a", new byte[1]));
      for (var change : changes) {
        assertThatThrownBy(change).isInstanceOf(ReadOnlyFileSystemException.class);
      }
    }
  }

  @Test
  void imagesExchangeFiles() throws IOException {
    try (FileSystem one = FileSystems.newFileSystem(uri("1.img"), CREATE);
        FileSystem two = FileSystems.newFileSystem(uri("2.img"), CREATE)) {
      Path file = Files.write(one.getPath("/f"), new byte[300_000]);
      Files.setAttribute(file, "user:colour", new byte[] {7});
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
      Files.setLastModifiedTime(file, FileTime.fromMillis(12_345));
      Path copy = Files.copy(file, two.getPath("/copy"));
      assertThat(Files.mismatch(file, copy)).isEqualTo(-1);
      assertThat(Files.getAttribute(copy, "unix:mode")).isEqualTo(0x8000 | 0644);
      Path moved = Files.move(file, two.getPath("/moved"));
      assertThat(file).doesNotExist();
      assertThat(Files.size(moved)).isEqualTo(300_000);
      assertThat(Files.getLastModifiedTime(moved)).isEqualTo(FileTime.fromMillis(12_345));
      assertThat(Files.getAttribute(moved, "user:colour")).isEqualTo(new byte[] {7});
      assertThat(Files.getAttribute(moved, "unix:mode")).isEqualTo(0x8000 | 0666);
      Files.createSymbolicLink(two.getPath("/link"), two.getPath("moved"));
      Files.move(two.getPath("/link"), one.getPath("/link"));
      assertThat(Files.readSymbolicLink(one.getPath("/link"))).hasToString("moved");
      assertThatThrownBy(() -> Files.move(moved, one.getPath("/x"), StandardCopyOption.ATOMIC_MOVE))
          .isInstanceOf(AtomicMoveNotSupportedException.class);
      Files.createDirectories(two.getPath("/d/e"));
      assertThatThrownBy(() -> Files.move(two.getPath("/d"), one.getPath("/d")))
          .isInstanceOf(DirectoryNotEmptyException.class);
      assertThat(one.getPath("/d")).doesNotExist();
      assertThatThrownBy(() -> Files.createLink(one.getPath("/hard"), moved))
          .isInstanceOf(FileSystemException.class);
      Path host = Files.copy(moved, temporary.resolve("on the host"));
      assertThat(Files.mismatch(host, moved)).isEqualTo(-1);
      Files.copy(host, one.getPath("/back"));
      assertThat(Files.mismatch(host, one.getPath("/back"))).isEqualTo(-1);
    }
  }

  // ---- closing ----------------------------------------------------------------------------------

  @Test
  @SuppressWarnings("StreamResourceLeak") // that it ends by itself is the point
  void closingEndsWhatIsOpen() throws IOException {
    FileSystem fs = FileSystems.newFileSystem(uri("d.img"), CREATE);
    Path file = Files.writeString(fs.getPath("/f"), "x");
    SeekableByteChannel channel = Files.newByteChannel(file);
    DirectoryStream<Path> stream = Files.newDirectoryStream(fs.getPath("/"));
    Iterator<Path> names = stream.iterator();
    fs.close();
    fs.close();
    assertThat(fs.isOpen()).isFalse();
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(names.hasNext()).isFalse();
    assertThatThrownBy(() -> Files.readString(file)).isInstanceOf(ClosedFileSystemException.class);
    assertThatThrownBy(() -> Files.size(file)).isInstanceOf(ClosedFileSystemException.class);
    assertThatThrownBy(() -> Files.getFileStore(file))
        .isInstanceOf(ClosedFileSystemException.class);
    assertThat(file).hasToString("/f");
    assertThatThrownBy(() -> FileSystems.getFileSystem(uri("d.img")))
        .isInstanceOf(FileSystemNotFoundException.class);
  }

  @Test
  void closingWaitsForThreadsThatAreInside() throws Exception {
    FileSystem fs = FileSystems.newFileSystem(uri("e.img"), CREATE);
    AtomicInteger unexpected = new AtomicInteger();
    CountDownLatch busy = new CountDownLatch(4);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Path file = fs.getPath("/f" + t);
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int i = 0; ; i++) {
                    Files.writeString(file, "round " + i);
                    Files.readString(file);
                    Files.deleteIfExists(file);
                    if (i == 20) {
                      busy.countDown();
                    }
                  }
                } catch (ClosedFileSystemException | ClosedChannelException expected) {
                  busy.countDown();
                } catch (IOException | RuntimeException e) {
                  e.printStackTrace();
                  unexpected.incrementAndGet();
                  busy.countDown();
                }
              }));
    }
    assertThat(busy.await(60, TimeUnit.SECONDS)).as("threads at work").isTrue();
    fs.close();
    for (Thread thread : threads) {
      Await.end(thread);
    }
    assertThat(unexpected).hasValue(0);
    try (FileSystem again = FileSystems.newFileSystem(uri("e.img"), Map.of())) {
      assertThat(again.isOpen()).isTrue();
    }
  }

  // ---- callers ----------------------------------------------------------------------------------

  @Test
  void aCallerHasItsRights() throws IOException {
    try (ContractProvider.Directory ground =
        ContractProvider.ext2(8 << 20, new Caller(1000, 100))) {
      Path dir = ground.path();
      Path file = Files.writeString(dir.resolve("f"), "mine");
      assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(1000);
      assertThat(Files.getAttribute(file, "posix:group")).hasToString("100");
      Files.setPosixFilePermissions(file, Set.of());
      assertThatThrownBy(() -> Files.readString(file)).isInstanceOf(AccessDeniedException.class);
      assertThatThrownBy(() -> Files.copy(file, dir.resolve("g")))
          .isInstanceOf(AccessDeniedException.class);
      assertThat(Files.isReadable(file)).isFalse();
      assertThat(Files.isWritable(file)).isFalse();
      assertThatThrownBy(() -> Files.createFile(dir.getRoot().resolve("not mine")))
          .isInstanceOf(AccessDeniedException.class);
      assertThatThrownBy(() -> Files.setAttribute(file, "unix:uid", 0))
          .isInstanceOf(FileSystemException.class);
      Path folder = Files.createDirectory(dir.resolve("d"));
      Files.createFile(folder.resolve("x"));
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("-wx------"));
      assertThatThrownBy(() -> Files.newDirectoryStream(folder))
          .isInstanceOf(AccessDeniedException.class);
      assertThat(folder.resolve("x")).exists();
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rw-------"));
      assertThat(Files.exists(folder.resolve("x"))).isFalse();
      assertThatThrownBy(() -> Files.size(folder.resolve("x")))
          .isInstanceOf(AccessDeniedException.class);
    }
  }

  @Test
  void newFilesHavePermissions() throws IOException {
    try (ContractProvider.Directory ground = ContractProvider.EXT2.directory()) {
      var all = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx"));
      Path dir = ground.path();
      Object[] modes = {
        Files.getAttribute(Files.createFile(dir.resolve("a"), all), "unix:mode"),
        Files.getAttribute(Files.createFile(dir.resolve("b")), "unix:mode"),
        Files.getAttribute(Files.createDirectory(dir.resolve("c"), all), "unix:mode")
      };
      assertThat(modes).containsExactly(0x8000 | 0755, 0x8000 | 0644, 0x4000 | 0755);
    }
  }

  // ---- names ------------------------------------------------------------------------------------

  @Test
  void namesThatAreNoTextSurvive() throws IOException {
    try (BlockDevice device = BlockDevices.memory(8 << 20)) {
      Ext2Format.format(device, FormatOptions.forDevice(8 << 20), _ -> {});
      Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(1 << 20));
      byte[] latin = {'b', (byte) 0xE4, 'r'};
      long inode = tree.create(Caller.ROOT, tree.rootInode(), latin, NewFile.regular(0644));
      assertThat(inode).isPositive();
      URI uri = URI.create("ext2:/names!/");
      try (FileSystem fs = FileSystems.newFileSystem(uri, Map.of("tree", tree))) {
        Path found;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(fs.getPath("/"), "b*")) {
          found = all.iterator().next();
        }
        assertThat(found).hasToString("/b\uFFFDr");
        Files.writeString(found, "reached");
        assertThat(fs.getPath("/b\uFFFDr")).doesNotExist();
        assertThat(found.toUri()).hasToString("ext2:/names!/b%E4r");
        assertThat(Files.readString(Path.of(found.toUri()))).isEqualTo("reached");
        assertThat(found.toRealPath()).isEqualTo(found);
        Path link = Files.createSymbolicLink(fs.getPath("/l"), found);
        assertThat(Files.readString(link)).isEqualTo("reached");
        assertThat(Files.readSymbolicLink(link)).isEqualTo(found);
        Path moved = Files.move(found, found.resolveSibling("plain"));
        assertThat(Files.readString(moved)).isEqualTo("reached");
      }
    }
  }

  // ---- unsupported operations -------------------------------------------------------------------

  @Test
  void whatIsNotToBeHadIsRefused() throws IOException {
    try (ContractProvider.Directory ground = ContractProvider.EXT2.directory()) {
      Path file = Files.writeString(ground.path().resolve("f"), "x");
      FileSystem fs = file.getFileSystem();
      assertThatThrownBy(fs::newWatchService).isInstanceOf(UnsupportedOperationException.class);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        assertThatThrownBy(() -> channel.map(MapMode.READ_WRITE, 0, 1))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("Fix:");
      }
      assertThatThrownBy(() -> Files.delete(fs.getPath("/")))
          .isInstanceOf(FileSystemException.class);
      assertThatThrownBy(() -> Files.move(fs.getPath("/"), ground.path().resolve("x")))
          .isInstanceOf(FileSystemException.class);
      assertThatThrownBy(() -> fs.getPath("f").toRealPath())
          .as("the current directory is the root")
          .isInstanceOf(NoSuchFileException.class);
    }
  }

  @Test
  void timesReachBackAndLinksHaveNoPermissionsOfTheirOwn() throws IOException {
    try (ContractProvider.Directory ground = ContractProvider.EXT2.directory()) {
      Path file = Files.createFile(ground.path().resolve("f"));
      FileTime early = FileTime.from(Instant.ofEpochSecond(-1_000, 999_999_999));
      Files.setLastModifiedTime(file, early);
      assertThat(Files.getLastModifiedTime(file)).isEqualTo(early);
      Path link = Files.createSymbolicLink(ground.path().resolve("l"), file);
      PosixFileAttributeView view =
          Files.getFileAttributeView(link, PosixFileAttributeView.class, NOFOLLOW_LINKS);
      assertThatThrownBy(() -> view.setPermissions(Set.of()))
          .isInstanceOf(FileSystemException.class);
    }
  }

  @Test
  void aFullImageIsSaidAndSparesWhatIsThere() throws IOException {
    try (ContractProvider.Directory ground = ContractProvider.ext2(4 << 20, Caller.ROOT)) {
      Path file = ground.path().resolve("big");
      long written = 0;
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer piece = ByteBuffer.allocate(100_000);
        try {
          while (written < 8 << 20) {
            written += channel.write(piece.clear());
            assertThat(channel.position()).isEqualTo(written);
          }
        } catch (FileSystemException full) {
          assertThat(full.getReason()).contains("No space left");
        }
      }
      assertThat(written).isBetween(1L << 20, 4L << 20);
      assertThat(Files.size(file)).isEqualTo(written);
      assertThat(Files.getFileStore(file).getUsableSpace()).isZero();
      Files.delete(file);
      assertThat(Files.writeString(file, "room again", UTF_8)).exists();
    }
  }
}
