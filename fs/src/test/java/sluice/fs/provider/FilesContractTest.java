package sluice.fs.provider;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// Tests that both providers handle names, links and directories in the same way.
@Timeout(120)
@ParameterizedClass
@EnumSource(ContractProvider.class)
final class FilesContractTest {
  private final ContractProvider ground;
  private ContractProvider.Directory directory;
  private Path dir;

  FilesContractTest(ContractProvider ground) {
    this.ground = ground;
  }

  @BeforeEach
  void open() throws IOException {
    directory = ground.directory();
    dir = directory.path();
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(dir.resolve(name), content);
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectory(dir.resolve(name));
  }

  private Path link(String name, String target) throws IOException {
    return Files.createSymbolicLink(dir.resolve(name), dir.getFileSystem().getPath(target));
  }

  private Set<String> names(Path directory) throws IOException {
    Set<String> names = new TreeSet<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      for (Path path : stream) {
        names.add(String.valueOf(path.getFileName()));
        assertThat(path.getParent()).isEqualTo(directory);
      }
    }
    return names;
  }

  // ---- creating and removing --------------------------------------------------------------------

  @Test
  void filesAndDirectoriesComeAndGo() throws IOException {
    Path file = Files.createFile(dir.resolve("f"));
    assertThat(file).isEmptyFile();
    assertThatThrownBy(() -> Files.createFile(file)).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.createDirectory(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    Path deep = Files.createDirectories(dir.resolve("a/b/c"));
    assertThat(deep).isDirectory();
    assertThat(Files.createDirectories(deep)).isDirectory();
    assertThatThrownBy(() -> Files.createDirectories(file.resolve("x")))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> Files.delete(dir.resolve("a")))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThatThrownBy(() -> Files.delete(dir.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.createFile(dir.resolve("missing/f")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.createFile(file.resolve("x")))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> Files.createFile(dir.resolve("n".repeat(256))))
        .isInstanceOf(FileSystemException.class);
    assertThat(Files.deleteIfExists(dir.resolve("missing"))).isFalse();
    assertThat(Files.deleteIfExists(deep)).isTrue();
    Files.delete(file);
    assertThat(names(dir)).containsExactly("a");
    assertThat(Files.createTempFile(dir, "x", ".y")).isRegularFile();
    assertThat(Files.createTempDirectory(dir, "x")).isDirectory();
  }

  @Test
  void existenceIsNoException() throws IOException {
    Path file = file("f", "x");
    Path dangling = link("dangling", "nowhere");
    assertThat(Files.exists(file)).isTrue();
    assertThat(Files.notExists(file)).isFalse();
    assertThat(Files.exists(dir.resolve("no"))).isFalse();
    assertThat(Files.notExists(dir.resolve("no"))).isTrue();
    Path below = file.resolve("below");
    assertThat(Files.exists(below)).isFalse();
    assertThat(Files.notExists(below)).isTrue();
    assertThatThrownBy(() -> Files.readAttributes(below, "*"))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.copy(below, dir.resolve("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.move(below, dir.resolve("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.copy(file, below)).isInstanceOf(FileSystemException.class);
    assertThat(Files.exists(dangling)).isFalse();
    assertThat(Files.exists(dangling, NOFOLLOW_LINKS)).isTrue();
    assertThat(Files.isRegularFile(file)).isTrue();
    assertThat(Files.isDirectory(file)).isFalse();
    assertThat(Files.isDirectory(dir.resolve("no"))).isFalse();
    assertThat(Files.isSymbolicLink(dangling)).isTrue();
    assertThat(Files.isReadable(file)).isTrue();
    assertThat(Files.isWritable(file)).isTrue();
    assertThat(Files.isReadable(dir.resolve("no"))).isFalse();
    assertThat(Files.isExecutable(file)).isFalse();
    assertThat(Files.isExecutable(dir)).isTrue();
    assertThat(Files.isHidden(file("." + "h", ""))).isTrue();
    assertThat(Files.isHidden(file)).isFalse();
    assertThat(Files.getFileStore(file).supportsFileAttributeView("posix")).isTrue();
    assertThatThrownBy(() -> Files.getFileStore(dir.resolve("no")))
        .isInstanceOf(NoSuchFileException.class);
  }

  // ---- links ------------------------------------------------------------------------------------

  @Test
  void symbolicLinksAreFollowed() throws IOException {
    file("f", "content");
    Path folder = folder("d");
    file("d/inner", "below");
    Path link = link("l", "f");
    Path toFolder = link("ld", "d");
    link("d/up", "../f");
    link("chain", "l");
    assertThat(Files.readString(link)).isEqualTo("content");
    assertThat(Files.readString(dir.resolve("chain"))).isEqualTo("content");
    assertThat(Files.readString(toFolder.resolve("inner"))).isEqualTo("below");
    assertThat(Files.readString(toFolder.resolve("up"))).isEqualTo("content");
    assertThat(Files.readString(toFolder.resolve("../f"))).isEqualTo("content");
    assertThat(Files.readSymbolicLink(link)).hasToString("f");
    assertThatThrownBy(() -> Files.readSymbolicLink(folder)).isInstanceOf(NotLinkException.class);
    assertThatThrownBy(() -> Files.readSymbolicLink(dir.resolve("no")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> link("l", "again")).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.newByteChannel(link, Set.of(NOFOLLOW_LINKS)))
        .isInstanceOf(IOException.class);
    Files.writeString(link, "new");
    assertThat(Files.readString(dir.resolve("f"))).isEqualTo("new");
    Files.delete(link);
    assertThat(dir.resolve("f")).exists();
    Path absolute = Files.createSymbolicLink(dir.resolve("abs"), dir.resolve("f"));
    assertThat(Files.readString(absolute)).isEqualTo("new");
    String longName = "n".repeat(100);
    file(longName, "slow");
    assertThat(Files.readString(link("slow", "./" + longName))).isEqualTo("slow");
    assertThat(Files.readSymbolicLink(dir.resolve("slow"))).hasToString("./" + longName);
  }

  @Test
  void aDanglingLinkIsAWayToMakeItsTarget() throws IOException {
    Path link = link("l", "target");
    assertThatThrownBy(() -> Files.readString(link)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.createFile(link)).isInstanceOf(FileAlreadyExistsException.class);
    Files.writeString(link, "made");
    assertThat(Files.readString(dir.resolve("target"))).isEqualTo("made");
    assertThat(names(dir)).containsExactly("l", "target");
  }

  @Test
  void loopsOfLinksEnd() throws IOException {
    Path a = link("a", "b");
    link("b", "a");
    assertThatThrownBy(() -> Files.readString(a)).isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> a.toRealPath()).isInstanceOf(FileSystemException.class);
    assertThat(Files.exists(a)).isFalse();
    folder("d");
    link("d/up", "..");
    List<Path> loops = new ArrayList<>();
    Files.walkFileTree(
        dir,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            assertThat(failure).isInstanceOf(FileSystemLoopException.class);
            loops.add(file);
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(loops).containsExactly(dir.resolve("d/up"));
  }

  @Test
  void realPaths() throws IOException {
    folder("d");
    file("d/f", "x");
    link("l", "d");
    link("abs", dir + "/d/f");
    assertThat(dir.resolve("l/./f").toRealPath()).isEqualTo(dir.resolve("d/f"));
    assertThat(dir.resolve("l/../abs").toRealPath()).isEqualTo(dir.resolve("d/f"));
    assertThat(dir.resolve("d/../l").toRealPath(NOFOLLOW_LINKS)).isEqualTo(dir.resolve("l"));
    assertThat(dir.resolve("l/f").toRealPath(NOFOLLOW_LINKS)).isEqualTo(dir.resolve("l/f"));
    assertThatThrownBy(() -> dir.resolve("d/no").toRealPath())
        .isInstanceOf(NoSuchFileException.class);
    assertThat(dir.getRoot().toRealPath()).isEqualTo(dir.getRoot());
  }

  @Test
  void hardLinks() throws IOException {
    Path file = file("f", "shared");
    Path other = Files.createLink(dir.resolve("g"), file);
    assertThat(Files.isSameFile(file, other)).isTrue();
    assertThat(Files.isSameFile(file, file("h", "shared"))).isFalse();
    assertThat(Files.isSameFile(dir, dir.resolve("../" + dir.getFileName()))).isTrue();
    assertThat(Files.isSameFile(link("l", "f"), file)).isTrue();
    assertThatThrownBy(() -> Files.isSameFile(file, dir.resolve("no")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
    Files.writeString(other, "changed");
    Files.delete(file);
    assertThat(Files.readString(other)).isEqualTo("changed");
    assertThatThrownBy(() -> Files.createLink(dir.resolve("l"), other))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.createLink(dir.resolve("new"), dir.resolve("no")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.createLink(dir.resolve("new"), dir))
        .isInstanceOf(FileSystemException.class);
  }

  // ---- directories ------------------------------------------------------------------------------

  @Test
  void directoriesAreListed() throws IOException {
    Set<String> made = new TreeSet<>();
    for (int i = 0; i < 1000; i++) {
      String name = "file-" + i + "-" + "x".repeat(i % 50);
      Files.createFile(dir.resolve(name));
      made.add(name);
    }
    assertThat(names(dir)).isEqualTo(made);
    try (Stream<Path> list = Files.list(dir)) {
      assertThat(list.filter(path -> path.toString().contains("file-7-"))).hasSize(1);
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(dir, "file-99*")) {
      assertThat(stream).hasSize(11);
    }
    assertThatThrownBy(() -> Files.newDirectoryStream(dir.resolve("no")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.newDirectoryStream(dir.resolve("file-0-")))
        .isInstanceOf(NotDirectoryException.class);
  }

  @Test
  @SuppressWarnings("StreamResourceLeak") // the test closes them in its own order
  void aDirectoryStreamIsIteratedOnceAndEnds() throws IOException {
    file("a", "");
    file("b", "");
    DirectoryStream<Path> stream = Files.newDirectoryStream(dir);
    Iterator<Path> names = stream.iterator();
    assertThatThrownBy(stream::iterator).isInstanceOf(IllegalStateException.class);
    names.next();
    assertThatThrownBy(names::remove).isInstanceOf(UnsupportedOperationException.class);
    names.next();
    assertThat(names.hasNext()).isFalse();
    assertThatThrownBy(names::next).isInstanceOf(NoSuchElementException.class);
    stream.close();
    stream.close();
    assertThatThrownBy(stream::iterator).isInstanceOf(IllegalStateException.class);
    DirectoryStream<Path> second = Files.newDirectoryStream(dir);
    Iterator<Path> cut = second.iterator();
    second.close();
    assertThat(cut.hasNext()).isFalse();
    DirectoryStream.Filter<Path> failing =
        _ -> {
          throw new IOException("filter");
        };
    try (DirectoryStream<Path> third = Files.newDirectoryStream(dir, failing)) {
      assertThatThrownBy(() -> third.iterator().hasNext())
          .isInstanceOf(DirectoryIteratorException.class);
    }
  }

  @Test
  void whatIsRemovedWhileListingDoesNotDisturb() throws IOException {
    for (int i = 0; i < 500; i++) {
      file("f" + i, "");
    }
    int seen = 0;
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(dir)) {
      for (Path path : stream) {
        Files.delete(path);
        seen++;
      }
    }
    assertThat(seen).isEqualTo(500);
    assertThat(names(dir)).isEmpty();
  }

  @Test
  @SuppressWarnings("try") // closed early on purpose
  void anOpenDirectoryIsAStart() throws IOException {
    Path before = folder("before");
    file("before/f", "inside");
    link("before/l", "f");
    folder("other");
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(before);
        DirectoryStream<Path> target = Files.newDirectoryStream(dir.resolve("other"))) {
      @SuppressWarnings("unchecked")
      SecureDirectoryStream<Path> open = (SecureDirectoryStream<Path>) stream;
      @SuppressWarnings("unchecked")
      SecureDirectoryStream<Path> other = (SecureDirectoryStream<Path>) target;
      Files.move(before, dir.resolve("after"));
      Path name = dir.getFileSystem().getPath("f");
      try (SeekableByteChannel channel = open.newByteChannel(name, Set.of())) {
        assertThat(channel.size()).isEqualTo(6);
      }
      Set<StandardOpenOption> create =
          EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Path made = dir.getFileSystem().getPath("made");
      try (SeekableByteChannel channel = open.newByteChannel(made, create)) {
        assertThat(channel.write(ByteBuffer.allocate(3))).isEqualTo(3);
      }
      BasicFileAttributes self =
          open.getFileAttributeView(BasicFileAttributeView.class).readAttributes();
      assertThat(self.isDirectory()).isTrue();
      BasicFileAttributes link =
          open.getFileAttributeView(
                  dir.getFileSystem().getPath("l"), BasicFileAttributeView.class, NOFOLLOW_LINKS)
              .readAttributes();
      assertThat(link.isSymbolicLink()).isTrue();
      open.move(made, other, dir.getFileSystem().getPath("moved"));
      assertThat(Files.size(dir.resolve("other/moved"))).isEqualTo(3);
      assertThatThrownBy(() -> open.deleteDirectory(name)).isInstanceOf(FileSystemException.class);
      open.deleteFile(name);
      assertThat(dir.resolve("after/f")).doesNotExist();
      open.close();
      assertThatThrownBy(() -> open.deleteFile(name))
          .isInstanceOf(ClosedDirectoryStreamException.class);
    }
  }

  @Test
  void treesAreWalked() throws IOException {
    Files.createDirectories(dir.resolve("a/b/c"));
    file("a/1", "");
    file("a/b/2", "");
    file("a/b/c/3", "");
    link("a/l", "b");
    List<String> seen = new ArrayList<>();
    Files.walkFileTree(
        dir.resolve("a"),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            seen.add(file.getFileName() + (attributes.isSymbolicLink() ? "@" : ""));
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            seen.add(directory.getFileName() + "/");
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(seen).containsExactlyInAnyOrder("1", "2", "3", "l@", "a/", "b/", "c/");
    assertThat(names(dir)).isEmpty();
  }

  // ---- copying and moving -----------------------------------------------------------------------

  @Test
  void copies() throws IOException {
    Path file = file("f", "content");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_123L));
    Path copy = Files.copy(file, dir.resolve("copy"));
    assertThat(Files.readString(copy)).isEqualTo("content");
    assertThat(Files.getLastModifiedTime(copy)).isGreaterThan(Files.getLastModifiedTime(file));
    assertThatThrownBy(() -> Files.copy(file, copy)).isInstanceOf(FileAlreadyExistsException.class);
    Files.writeString(copy, "something longer than before");
    Files.copy(file, copy, REPLACE_EXISTING, COPY_ATTRIBUTES);
    assertThat(Files.readString(copy)).isEqualTo("content");
    assertThat(Files.getLastModifiedTime(copy)).isEqualTo(Files.getLastModifiedTime(file));
    assertThat(Files.getPosixFilePermissions(copy)).isEqualTo(Files.getPosixFilePermissions(file));
    Files.copy(file, file);
    Files.copy(file, Files.createLink(dir.resolve("hard"), file), REPLACE_EXISTING);
    assertThat(Files.readString(file)).isEqualTo("content");
    assertThatThrownBy(() -> Files.copy(dir.resolve("no"), dir.resolve("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.copy(file, dir.resolve("no/x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.copy(file, dir.resolve("x"), ATOMIC_MOVE))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void copiesThatReplaceOneAnotherNeverMeetAFileThatExists() throws Exception {
    Path file = file("f", "content");
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 200; i++) {
                  try {
                    Files.copy(file, dir.resolve("copy"), REPLACE_EXISTING);
                  } catch (IOException | RuntimeException e) {
                    synchronized (failures) {
                      failures.add(e);
                    }
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      Await.end(thread);
    }
    assertThat(failures).noneMatch(FileAlreadyExistsException.class::isInstance);
    assertThat(failures).allMatch(FileSystemException.class::isInstance);
    assertThat(names(dir)).contains("f");
  }

  @Test
  void copiesOfLinksAndDirectories() throws IOException {
    file("f", "content");
    Path link = link("l", "f");
    Path followed = Files.copy(link, dir.resolve("followed"));
    assertThat(Files.isSymbolicLink(followed)).isFalse();
    Path kept = Files.copy(link, dir.resolve("kept"), NOFOLLOW_LINKS);
    assertThat(Files.readSymbolicLink(kept)).hasToString("f");
    Path full = folder("full");
    file("full/x", "");
    Path empty = Files.copy(full, dir.resolve("empty"));
    assertThat(names(empty)).isEmpty();
    assertThatThrownBy(() -> Files.copy(dir.resolve("f"), full, REPLACE_EXISTING))
        .isInstanceOf(DirectoryNotEmptyException.class);
    Files.copy(dir.resolve("f"), empty, REPLACE_EXISTING);
    assertThat(empty).isRegularFile();
    Files.copy(full, kept, REPLACE_EXISTING);
    assertThat(kept).isDirectory();
    assertThat(Files.copy(new ByteArrayInputStream(new byte[9]), dir.resolve("in"))).isEqualTo(9);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Files.copy(dir.resolve("f"), out);
    assertThat(out).hasToString("content");
  }

  @Test
  void sparseFilesAreCopied() throws IOException {
    Path file = dir.resolve("sparse");
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {1}));
      channel.position(3_000_000).write(ByteBuffer.wrap(new byte[] {2}));
    }
    Path copy = Files.copy(file, dir.resolve("copy"));
    assertThat(Files.mismatch(file, copy)).isEqualTo(-1);
    try (SeekableByteChannel channel = Files.newByteChannel(copy, StandardOpenOption.WRITE)) {
      channel.truncate(2_000_000);
    }
    assertThat(Files.mismatch(file, copy)).isEqualTo(2_000_000);
    assertThat(Files.size(Files.copy(copy, dir.resolve("end in a hole")))).isEqualTo(2_000_000);
  }

  @Test
  void moves() throws IOException {
    Path file = file("f", "content");
    Path moved = Files.move(file, dir.resolve("g"));
    assertThat(file).doesNotExist();
    assertThat(Files.readString(moved)).isEqualTo("content");
    file("f", "other");
    assertThatThrownBy(() -> Files.move(moved, file))
        .isInstanceOf(FileAlreadyExistsException.class);
    Files.move(moved, file, REPLACE_EXISTING);
    assertThat(Files.readString(file)).isEqualTo("content");
    Files.move(file, file);
    assertThat(file).exists();
    file("g", "replaced in one step");
    Files.move(file, dir.resolve("g"), ATOMIC_MOVE);
    assertThat(Files.readString(dir.resolve("g"))).isEqualTo("content");
    assertThatThrownBy(() -> Files.move(dir.resolve("no"), dir.resolve("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.move(dir.resolve("g"), dir.resolve("no/x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.move(dir.resolve("g"), dir.resolve("x"), COPY_ATTRIBUTES))
        .isInstanceOf(UnsupportedOperationException.class);
    Path link = link("l", "g");
    Files.move(link, dir.resolve("k"));
    assertThat(Files.readSymbolicLink(dir.resolve("k"))).hasToString("g");
  }

  @Test
  void movesOfDirectories() throws IOException {
    Path a = folder("a");
    file("a/x", "inside");
    Path b = folder("b");
    assertThatThrownBy(() -> Files.move(a, b)).isInstanceOf(FileAlreadyExistsException.class);
    Files.move(a, b, REPLACE_EXISTING);
    assertThat(Files.readString(b.resolve("x"))).isEqualTo("inside");
    Path file = file("f", "");
    assertThatThrownBy(() -> Files.move(file, b, REPLACE_EXISTING))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThatThrownBy(() -> Files.move(b, b.resolve("into itself")))
        .isInstanceOf(FileSystemException.class);
    Files.move(b, file, REPLACE_EXISTING);
    assertThat(Files.readString(file.resolve("x"))).isEqualTo("inside");
    Path empty = folder("empty");
    Files.move(file.resolve("x"), empty, REPLACE_EXISTING);
    assertThat(empty).isRegularFile();
  }
}
