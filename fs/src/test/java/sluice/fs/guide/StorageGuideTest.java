package sluice.fs.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Runs the snippets of `docs/storage.md` and checks that the document contains them. The test has
/// its own package, so that it sees only what a user sees.
@Timeout(120)
final class StorageGuideTest {
  @TempDir Path temporary = Path.of("");

  private Path image() throws IOException {
    Path image = temporary.resolve("disk.img");
    // An image with a journal: what was synced survives a crash at any moment.
    long bytes = 64 << 20;
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), bytes - 1);
    }
    try (BlockDevice device = BlockDevices.file(image, false)) {
      Ext2Format.format(device, FormatOptions.forDevice(bytes).withLabel("data"), group -> {});
    }
    return image;
  }

  @Test
  void theProvider() throws IOException {
    Path directory = temporary;
    URI uri = URI.create("ext2:" + directory + "/disk.img!/");
    Map<String, ?> options = Map.of("create", true, "size", 64 << 20, "user", 1000, "group", 1000);
    try (FileSystem fs = FileSystems.newFileSystem(uri, options)) {
      Path notes = Files.createDirectory(fs.getPath("/notes"));
      Files.writeString(notes.resolve("first"), "hello");
      Files.copy(notes.resolve("first"), Path.of(directory + "/first on the host"));
      Path same = Path.of(URI.create("ext2:" + directory + "/disk.img!/notes/first"));
      assert Files.isSameFile(same, notes.resolve("first"));
    }
    assertThat(directory.resolve("first on the host")).hasContent("hello");
  }

  @Test
  void aTreeOfOnesOwn() throws IOException {
    try (BlockDevice device = BlockDevices.file(image(), false);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
      Map<String, ?> options = Map.of("tree", tree, "caller", Caller.ROOT);
      try (FileSystem fs = FileSystems.newFileSystem(URI.create("ext2:/mine!/"), options)) {
        Files.writeString(fs.getPath("/a"), "through java.nio.file");
        long inode = tree.lookup(Caller.ROOT, tree.rootInode(), "a".getBytes(UTF_8));
        assert tree.attributes(inode).sizeBytes() == 21;
      }
    }
  }

  @Test
  void copyingReads() throws IOException {
    Caller caller = Caller.ROOT;
    Path image = image();
    Consumer<String> notice = why -> assertThat(why).isNotEmpty();
    try (BlockDevice device = BlockDevices.direct(image, false, notice);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(16 << 20))) {
      long root = tree.rootInode();
      long inode = tree.create(caller, root, "file".getBytes(UTF_8), NewFile.regular(0644));
      Account account = new Account("my buffers", 1 << 20);
      Block block = Objects.requireNonNull(Block.allocate(account, 64 << 10), "account is full");
      try (Memory memory = Memory.over(block, 0, 64 << 10)) {
        byte[] text = "some content".getBytes(UTF_8);
        memory.copyFrom(text, 0, 0, text.length);
        int written = tree.write(caller, inode, 0, memory, 0, text.length);
        assert written == text.length;
        int bytes = tree.read(inode, 5, memory, 0, 64 << 10);
        byte[] copy = new byte[bytes];
        memory.copyTo(0, copy, 0, bytes);
        assert new String(copy, UTF_8).equals("content");
      } finally {
        block.release();
      }
      slices(tree, inode);
      durability(tree, inode);
    }
  }

  private static void slices(FileTree tree, long inode) throws IOException {
    List<Block> kept = new ArrayList<>();
    int bytes =
        tree.slices(
            inode,
            0,
            1 << 20,
            (block, offset, count) -> {
              // Inside the call the bytes are there; to keep them, lease a part of the block.
              kept.add(block.slice(offset, count));
            });
    // However often the file is written now: these are the bytes that were read.
    assert kept.stream().mapToLong(Block::lengthBytes).sum() == bytes;
    for (Block part : kept) {
      ByteBuffer readable = part.segment().asByteBuffer().asReadOnlyBuffer();
      assert readable.remaining() > 0;
      part.release();
    }
    assertThat(bytes).isEqualTo(12);
  }

  private static void durability(Ext2 tree, long inode) throws IOException {
    Caller caller = Caller.ROOT;
    // One file and its name, together or not at all.
    try (FileTree.Group _ = tree.group()) {
      long log =
          tree.create(caller, tree.rootInode(), "log".getBytes(UTF_8), NewFile.regular(0600));
      tree.link(caller, log, tree.rootInode(), "log.1".getBytes(UTF_8));
    }
    tree.sync(inode, true); // as fdatasync(2)
    long point = tree.stablePoint();
    tree.awaitStable(point); // or, without waiting:
    CompletableFuture<Boolean> stable = new CompletableFuture<>();
    tree.whenStable(point, failure -> stable.complete(failure == null));
    assertThat(stable.orTimeout(60, TimeUnit.SECONDS).join()).isTrue();
    assertThat(tree.atomicGroups()).isTrue();
  }

  @Test
  void theGuideShowsTheseLines() throws IOException {
    Path root = Path.of("..");
    String source =
        Files.readString(root.resolve("fs/src/test/java/sluice/fs/guide/StorageGuideTest.java"));
    Matcher snippets =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(root.resolve("docs/storage.md")));
    int found = 0;
    while (snippets.find()) {
      assertThat(withoutSpaces(source)).contains(withoutSpaces(snippets.group(1)));
      found++;
    }
    assertThat(found).isGreaterThanOrEqualTo(5);
  }

  private static String withoutSpaces(String code) {
    return code.replaceAll("\\s+", "");
  }
}
