package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;

/// Tests that the kernel's caches agree with the tree, however the tree has changed: see
/// `docs/design/011-what-the-kernel-remembers.md`. Each test looks at everything before a change,
/// so that the kernel caches it, and again after the change.
@Timeout(300)
final class FuseForgetTest {
  private static final String OWNER = "unix:uid";
  private static final LinkOption HERE = LinkOption.NOFOLLOW_LINKS;

  @TempDir Path directory;

  @BeforeEach
  void require() {
    FuseRig.require();
  }

  private FuseRig open(long validSeconds) throws Exception {
    FuseOptions options =
        FuseOptions.of("disk.img").withRings(RingUse.OFF).withValidSeconds(validSeconds);
    return FuseRig.open(directory, 16 << 20, 1024, options);
  }

  /// A change that is made through a directory: that of a mount, or another view of the same tree.
  private interface Change {
    void apply(Path root) throws IOException;
  }

  private static Path file(Path root) {
    return root.resolve("d/file");
  }

  private static void channel(Path root, ChannelUse use, StandardOpenOption... options)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file(root), options)) {
      use.with(channel);
    }
  }

  private interface ChannelUse {
    void with(FileChannel channel) throws IOException;
  }

  private static final ByteBuffer TEXT = StandardCharsets.UTF_8.encode("changed");

  /// The changes. Each kind of cached information is affected by some of them.
  private static final Map<String, Change> CHANGES = changes();

  private static Map<String, Change> changes() {
    Map<String, Change> all = new TreeMap<>();
    all.put(
        "write", root -> channel(root, c -> c.write(TEXT.slice(), 3), StandardOpenOption.WRITE));
    all.put(
        "append",
        root -> channel(root, c -> c.write(TEXT.slice(), 50_000), StandardOpenOption.WRITE));
    all.put("cut", root -> channel(root, c -> c.truncate(10), StandardOpenOption.WRITE));
    all.put("replace", root -> Files.write(file(root), new byte[] {1, 2, 3}));
    all.put(
        "chmod",
        root ->
            Files.setPosixFilePermissions(
                file(root), PosixFilePermissions.fromString("r---w---x")));
    all.put("chown", root -> Files.setAttribute(file(root), OWNER, 1234, HERE));
    all.put(
        "xattr",
        root ->
            Files.getFileAttributeView(file(root), UserDefinedFileAttributeView.class)
                .write("colour", TEXT.slice()));
    all.put("link", root -> Files.createLink(root.resolve("other"), file(root)));
    all.put("unlink", root -> Files.delete(file(root)));
    all.put("rename", root -> Files.move(file(root), root.resolve("none")));
    all.put(
        "rename-over",
        root ->
            Files.move(root.resolve("second"), file(root), StandardCopyOption.REPLACE_EXISTING));
    all.put("rename-directory", root -> Files.move(root.resolve("d"), root.resolve("e")));
    all.put("create", root -> Files.write(root.resolve("none"), new byte[] {7}));
    all.put("mkdir", root -> Files.createDirectory(root.resolve("none")));
    all.put(
        "symlink",
        root ->
            Files.createSymbolicLink(root.resolve("none"), root.getFileSystem().getPath("second")));
    all.put("rmdir", root -> Files.delete(root.resolve("empty")));
    all.put(
        "unlink-create",
        root -> {
          Files.delete(root.resolve("second"));
          Files.write(root.resolve("second"), new byte[] {9, 9});
        });
    return all;
  }

  private static void populate(Path root) throws IOException {
    Files.createDirectories(root.resolve("d"));
    Files.createDirectory(root.resolve("empty"));
    Files.write(file(root), "content of the file, longer than a few bytes".getBytes(UTF_8));
    Files.write(root.resolve("second"), new byte[20_000]);
  }

  private static final Charset UTF_8 = StandardCharsets.UTF_8;

  private static void clear(FuseRig rig) throws IOException {
    String _ = rig.sh("find . -mindepth 1 -not -name lost+found -delete");
  }

  /// Returns all observable properties of the test's few files, including names that do not exist.
  private static Map<String, String> view(Path root) throws IOException {
    Map<String, String> seen = new TreeMap<>();
    for (String name :
        List.of("", "d", "d/file", "e", "e/file", "second", "other", "none", "empty")) {
      Path path = root.resolve(name);
      seen.put(name, Files.exists(path, HERE) ? of(path) : "none");
    }
    return seen;
  }

  private static String of(Path path) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String name : List.of("unix:mode", "unix:nlink", OWNER, "unix:gid", "unix:ino")) {
      all.append(name).append('=').append(Files.getAttribute(path, name, HERE)).append(' ');
    }
    if (Files.isDirectory(path, HERE)) {
      TreeSet<String> names = new TreeSet<>();
      try (var entries = Files.newDirectoryStream(path)) {
        entries.forEach(entry -> names.add(entry.getFileName().toString()));
      }
      names.remove("lost+found");
      return all.append(names).toString();
    }
    if (Files.isSymbolicLink(path)) {
      return all.append(Files.readSymbolicLink(path)).toString();
    }
    all.append("size=").append(Files.size(path)).append(' ');
    all.append(new String(Files.readAllBytes(path), UTF_8).hashCode()).append(' ');
    var view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
    for (String name : new TreeSet<>(view.list())) {
      ByteBuffer value = ByteBuffer.allocate(view.size(name));
      int _ = view.read(name, value);
      all.append(name).append('=').append(UTF_8.decode(value.flip()));
    }
    return all.toString();
  }

  /// Returns a provider's view of the tree, which asks the tree itself and caches nothing. It ends
  /// with the tree.
  private static Path java(FuseRig rig) throws IOException {
    URI uri = URI.create("ext2:" + rig.image + "-in-java!/");
    Map<String, ?> environment = Map.of("tree", rig.tree, "caller", Caller.ROOT);
    return FileSystems.newFileSystem(uri, environment).getPath("/");
  }

  @Test
  void changesThroughTheMount() throws Exception {
    FuseRig rig = open(86_400);
    try (rig) {
      judge(rig, rig.directory, rig.directory, java(rig));
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void changesThroughJava() throws Exception {
    FuseRig rig = open(0);
    try (rig) {
      Path java = java(rig);
      judge(rig, java, rig.directory, java);
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  @Test
  void changesThroughAnotherMount() throws Exception {
    FuseRig rig = open(0);
    Path second = Files.createDirectory(directory.resolve("second"));
    FuseOptions options = FuseOptions.of("again").withRings(RingUse.OFF).withValidSeconds(0);
    try (rig;
        FuseMount mount = FuseMount.open(rig.tree, second, options, rig.messages::add)) {
      assertThat(mount.transport()).isNotEmpty();
      Path java = java(rig);
      judge(rig, second, rig.directory, java);
      judge(rig, rig.directory, second, java);
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  /// Applies all changes and compares the views before and after each.
  ///
  /// @param by the view through which changes are made
  /// @param seen the view that caches
  /// @param truth the view of the tree's actual content
  private static void judge(FuseRig rig, Path by, Path seen, Path truth) throws IOException {
    for (Map.Entry<String, Change> change : CHANGES.entrySet()) {
      clear(rig);
      populate(by);
      assertThat(view(seen)).as("before %s", change.getKey()).isEqualTo(view(truth));
      change.getValue().apply(by);
      assertThat(view(seen)).as("after %s", change.getKey()).isEqualTo(view(truth));
    }
  }
}
