package sluice.fs.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.DosFileAttributes;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Tests that both providers handle attributes in the same way.
@Timeout(240)
@ParameterizedClass
@EnumSource(ContractProvider.class)
final class AttributesContractTest {
  private final ContractProvider ground;
  private ContractProvider.Directory directory;
  private Path dir;
  private Path file;
  private Path link;

  AttributesContractTest(ContractProvider ground) {
    this.ground = ground;
  }

  @BeforeEach
  void open() throws IOException {
    directory = ground.directory();
    dir = directory.path();
    file = Files.writeString(dir.resolve("file"), "content");
    link = Files.createSymbolicLink(dir.resolve("link"), dir.getFileSystem().getPath("file"));
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  @Test
  void basic() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    assertThat(attributes.isRegularFile()).isTrue();
    assertThat(attributes.isOther()).isFalse();
    assertThat(attributes.size()).isEqualTo(7);
    assertThat(attributes.fileKey())
        .isEqualTo(Files.readAttributes(link, BasicFileAttributes.class).fileKey())
        .isNotEqualTo(Files.readAttributes(dir, BasicFileAttributes.class).fileKey());
    BasicFileAttributes own = Files.readAttributes(link, BasicFileAttributes.class, NOFOLLOW_LINKS);
    assertThat(own.isSymbolicLink()).isTrue();
    assertThat(own.size()).isEqualTo(4);
    assertThat(Files.readAttributes(dir, BasicFileAttributes.class).isDirectory()).isTrue();
    assertThatThrownBy(() -> Files.readAttributes(dir.resolve("no"), BasicFileAttributes.class))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.readAttributes(file.resolve("x"), BasicFileAttributes.class))
        .isInstanceOf(FileSystemException.class);
    assertThat(Files.getFileAttributeView(file, AclFileAttributeView.class)).isNull();
    if (ground == ContractProvider.EXT2) {
      assertThatThrownBy(() -> Files.readAttributes(file, DosFileAttributes.class))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void timesHaveNanoseconds() throws IOException {
    FileTime time = FileTime.from(Instant.ofEpochSecond(1_234_567_890, 123_456_789));
    Files.setLastModifiedTime(file, time);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    FileTime early = FileTime.from(Instant.ofEpochSecond(1_000, 999_999_999));
    BasicFileAttributeView view = Files.getFileAttributeView(file, BasicFileAttributeView.class);
    view.setTimes(early, time, null);
    assertThat(view.readAttributes().lastModifiedTime()).isEqualTo(early);
    assertThat(view.readAttributes().lastAccessTime()).isEqualTo(time);
    view.setTimes(null, null, null);
    assertThat(view.readAttributes().lastModifiedTime()).isEqualTo(early);
    Files.setAttribute(file, "lastAccessTime", early);
    assertThat(view.readAttributes().lastAccessTime()).isEqualTo(early);
    assertThat(view.name()).isEqualTo("basic");
    Files.setAttribute(link, "lastModifiedTime", time, NOFOLLOW_LINKS);
    assertThat(Files.getLastModifiedTime(link, NOFOLLOW_LINKS)).isEqualTo(time);
    assertThat(Files.getLastModifiedTime(link)).isEqualTo(early);
  }

  @Test
  void contentMovesTimes() throws IOException {
    FileTime old = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(file, old);
    Files.setLastModifiedTime(dir, old);
    Files.writeString(file, "new");
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(old);
    assertThat(Files.getLastModifiedTime(dir)).isEqualTo(old);
    Files.delete(link);
    assertThat(Files.getLastModifiedTime(dir)).isGreaterThan(old);
  }

  @Test
  void posix() throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-xr-x--x"));
    PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
    assertThat(PosixFilePermissions.toString(attributes.permissions())).isEqualTo("r-xr-x--x");
    assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0x8000 | 0551);
    Files.setAttribute(file, "posix:permissions", PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getAttribute(link, "unix:mode")).isEqualTo(0x8000 | 0600);
    Files.setAttribute(file, "unix:mode", 0640);
    assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0x8000 | 0640);
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    assertThat(view.name()).isEqualTo("posix");
    view.setOwner(attributes.owner());
    view.setGroup(attributes.group());
    assertThat(Files.getOwner(file)).isEqualTo(attributes.owner());
    assertThat(Files.getFileAttributeView(file, FileOwnerAttributeView.class).name())
        .isEqualTo("owner");
    var lookup = dir.getFileSystem().getUserPrincipalLookupService();
    assertThatThrownBy(() -> lookup.lookupPrincipalByName("nobody is called this"))
        .isInstanceOf(UserPrincipalNotFoundException.class);
    assertThatThrownBy(() -> lookup.lookupPrincipalByGroupName("nor this"))
        .isInstanceOf(UserPrincipalNotFoundException.class);
    assertThat(lookup.lookupPrincipalByName("root").getName()).isEqualTo("root");
  }

  @Test
  void byName() throws IOException {
    Map<String, Object> all = Files.readAttributes(file, "*");
    assertThat(all)
        .containsOnlyKeys(
            "size",
            "creationTime",
            "lastAccessTime",
            "lastModifiedTime",
            "isDirectory",
            "isRegularFile",
            "isSymbolicLink",
            "isOther",
            "fileKey");
    assertThat(Files.readAttributes(file, "posix:*"))
        .containsKeys("permissions", "owner", "group", "size")
        .hasSize(12);
    Map<String, Object> unix = Files.readAttributes(file, "unix:*");
    assertThat(unix)
        .containsKeys(
            "mode", "ino", "dev", "rdev", "nlink", "uid", "gid", "ctime", "size", "owner");
    assertThat(unix.get("nlink")).isEqualTo(1);
    assertThat(unix.get("ino")).isInstanceOf(Long.class);
    assertThat(unix.get("dev")).isInstanceOf(Long.class);
    assertThat(unix.get("ctime")).isInstanceOf(FileTime.class);
    assertThat(Files.readAttributes(file, "owner:*")).containsOnlyKeys("owner");
    assertThat(Files.readAttributes(file, "size,isOther")).containsOnlyKeys("size", "isOther");
    assertThat(Files.readAttributes(link, "isSymbolicLink", NOFOLLOW_LINKS))
        .containsEntry("isSymbolicLink", true);
    assertThatThrownBy(() -> Files.readAttributes(file, "basic:unknown"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Files.readAttributes(file, "unknown:*"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.setAttribute(file, "basic:size", 1L))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Files.setAttribute(file, "unix:mode", "text"))
        .isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> Files.setAttribute(file, "unknown:x", 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.readAttributes(dir.resolve("no"), "*"))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void userDefined() throws IOException {
    Assumptions.assumeTrue(
        ground == ContractProvider.EXT2
            || Files.getFileStore(dir).supportsFileAttributeView("user"),
        "the file system of temporary files keeps no user attributes");
    UserDefinedFileAttributeView view =
        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    assertThat(view.name()).isEqualTo("user");
    assertThat(view.list()).isEmpty();
    assertThat(view.write("colour", UTF_8.encode("blue"))).isEqualTo(4);
    assertThat(view.write("empty", ByteBuffer.allocate(0))).isZero();
    assertThat(view.list()).containsExactlyInAnyOrder("colour", "empty");
    assertThat(view.size("colour")).isEqualTo(4);
    ByteBuffer read = ByteBuffer.allocateDirect(10);
    assertThat(view.read("colour", read)).isEqualTo(4);
    assertThat(UTF_8.decode(read.flip()).toString()).isEqualTo("blue");
    assertThatThrownBy(() -> view.read("colour", ByteBuffer.allocate(3)))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> view.size("none")).isInstanceOf(FileSystemException.class);
    Files.setAttribute(file, "user:size", new byte[] {1, 2});
    assertThat(Files.readAttributes(file, "user:*")).containsOnlyKeys("colour", "empty", "size");
    assertThat(Files.getAttribute(file, "user:size")).isEqualTo(new byte[] {1, 2});
    view.delete("colour");
    assertThat(view.list()).hasSize(2);
    assertThatThrownBy(() -> view.delete("colour")).isInstanceOf(FileSystemException.class);
  }

  @Test
  void stores() throws IOException {
    FileStore store = Files.getFileStore(file);
    assertThat(store).isEqualTo(Files.getFileStore(dir)).hasSameHashCodeAs(Files.getFileStore(dir));
    assertThat(store.getTotalSpace()).isPositive();
    assertThat(store.getUsableSpace()).isBetween(1L, store.getTotalSpace());
    assertThat(store.getUnallocatedSpace()).isBetween(1L, store.getTotalSpace());
    assertThat(store.getBlockSize()).isPositive();
    assertThat(store.getAttribute("totalSpace")).isEqualTo(store.getTotalSpace());
    assertThat(store.isReadOnly()).isFalse();
    assertThat(store.supportsFileAttributeView(PosixFileAttributeView.class)).isTrue();
    assertThat(store.supportsFileAttributeView("unknown")).isFalse();
    assertThatThrownBy(() -> store.getAttribute("unknown"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(dir.getFileSystem().supportedFileAttributeViews())
        .contains("basic", "posix", "owner", "unix", "user");
    assertThat(dir.getFileSystem().getFileStores()).isNotEmpty();
    assertThat(dir.getFileSystem().getRootDirectories()).containsExactly(dir.getRoot());
  }
}
