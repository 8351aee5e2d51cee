package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.HashOrder;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;

/// Tests listings of a directory whose entries are moved by splits at the same time. Names that
/// exist all the time are listed exactly once, including `.` and `..`.
@Timeout(600)
final class HashOrderTest {
  private static final Caller ROOT = Caller.ROOT;

  @TempDir Path folder;

  /// Returns an image with blocks of 1 KB whose hash trees use the legacy hash, which has the most
  /// collisions.
  private static BlockDevice legacy(long bytes) throws IOException {
    BlockDevice device = BlockDevices.memory(bytes);
    FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(1024).withJournalBlocks(0);
    Ext2Format.format(device, format, _ -> {});
    Block block = Blocks.of(1024);
    device.read(1024, block, 0, 1024);
    block.segment().asByteBuffer().put(SuperblockLayout.HASH_VERSION, (byte) DirectoryHash.LEGACY);
    device.write(1024, block, 0, 1024);
    block.release();
    return device;
  }

  /// Lists by pages of some names; in between other names are added, removed and moved.
  private static final class Listing {
    private final Ext2 tree;
    private final long directory;
    private final Map<String, Integer> found = new HashMap<>();
    private long cookie;
    private boolean ended;

    Listing(Ext2 tree, long directory) {
      this.tree = tree;
      this.directory = directory;
    }

    void page(int names) throws IOException {
      int[] left = {names};
      ended =
          tree.list(
              directory,
              cookie,
              (_, _, name, next) -> {
                if (left[0]-- == 0) {
                  return false;
                }
                found.merge(new String(name, StandardCharsets.UTF_8), 1, Integer::sum);
                cookie = next;
                return true;
              });
    }

    void assertEachOnce(List<String> names) {
      for (String name : names) {
        assertThat(found.get(name)).as(name).isEqualTo(1);
      }
      assertThat(found).containsEntry(".", 1).containsEntry("..", 1);
    }
  }

  private static byte[] bytes(String name) {
    return Ext2Rig.name(name);
  }

  @Test
  void whatWasThereIsListedOnceWhileLeavesAreSplit() throws IOException {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      try (Ext2Rig rig = new Ext2Rig(16L << 20, 1024)) {
        long directory = rig.directory(rig.root(), "d");
        int count = 1 + random.nextInt(random.nextBoolean() ? 30 : 2000);
        List<String> names = new ArrayList<>();
        long file = rig.file(directory, "file");
        names.add("file");
        for (int i = 0; i < count; i++) {
          names.add("old-" + i);
          rig.tree.link(ROOT, file, directory, bytes("old-" + i));
        }
        Listing listing = new Listing(rig.tree, directory);
        List<String> others = new ArrayList<>();
        int page = 1 + random.nextInt(1 + count / 4);
        for (int made = 0; !listing.ended; ) {
          listing.page(page);
          for (int i = random.nextInt(60); i > 0 && made < 3000; i--) {
            String name = "new-" + made++ + "x".repeat(random.nextInt(100));
            if (random.nextInt(4) > 0 || others.isEmpty()) {
              rig.tree.link(ROOT, file, directory, bytes(name));
              others.add(name);
            } else if (random.nextBoolean()) {
              rig.tree.unlink(ROOT, directory, bytes(others.removeLast()));
            } else {
              String from = others.removeFirst();
              rig.tree.rename(ROOT, directory, bytes(from), directory, bytes(name), 0);
              others.add(name);
            }
          }
          if (random.nextInt(8) == 0) {
            rig.remount(); // cookies survive a remount
            listing = again(listing, rig.tree);
          }
        }
        listing.assertEachOnce(names);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static Listing again(Listing before, Ext2 tree) {
    Listing listing = new Listing(tree, before.directory);
    listing.found.putAll(before.found);
    listing.cookie = before.cookie;
    listing.ended = before.ended;
    return listing;
  }

  /// Returns pairs of names of 255 bytes with the same hash. Three names fit into a block, so
  /// splits separate pairs.
  private static List<String> pairs() {
    String common = "p".repeat(247);
    int count = 2_000_000;
    long[] found = new long[count];
    for (int i = 0; i < count; i++) {
      byte[] name = bytes(common + (10_000_000 + i));
      int hash = DirectoryHash.of(DirectoryHash.LEGACY, name, new int[4]);
      found[i] = (hash & 0xFFFF_FFFFL) << 24 | i;
    }
    Arrays.sort(found);
    List<String> names = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      if (found[i] >>> 24 == found[i - 1] >>> 24) {
        names.add(common + (10_000_000 + (found[i - 1] & 0xFF_FFFF)));
        names.add(common + (10_000_000 + (found[i] & 0xFF_FFFF)));
      }
    }
    return names.stream().distinct().toList();
  }

  @Test
  void namesOfOneHashAreFoundInAllLeavesThatHoldThem() throws Exception {
    List<String> names = pairs();
    assertThat(names.size()).isGreaterThan(500);
    try (BlockDevice device = legacy(32 << 20)) {
      List<String> order = new ArrayList<>(names);
      Collections.shuffle(order, new Random(1));
      long directory;
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(8 << 20))) {
        directory = tree.create(ROOT, tree.rootInode(), bytes("d"), NewFile.directory(0755));
        for (String name : order) {
          tree.create(ROOT, directory, bytes(name), NewFile.regular(0644));
        }
        Listing listing = new Listing(tree, directory);
        while (!listing.ended) {
          listing.page(1);
        }
        listing.assertEachOnce(names);
      }
      Images.assertClean(device, folder.resolve("image"), "pairs");
      for (int from = 0; from < order.size(); from += 25) {
        // Looked up through the tree: too few names for an index in memory.
        try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(8 << 20))) {
          for (String name : order.subList(from, Math.min(order.size(), from + 25))) {
            assertThat(tree.lookup(ROOT, directory, bytes(name))).isPositive();
          }
        }
      }
    }
  }

  @Test
  void aFullTreeIsGivenUpAndAListingGoesOn() throws Exception {
    try (BlockDevice device = BlockDevices.memory(80L << 20)) {
      FormatOptions format =
          FormatOptions.forDevice(80L << 20).withBlockBytes(1024).withJournalBlocks(0);
      Ext2Format.format(device, format, _ -> {});
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(64 << 20))) {
        long directory = tree.create(ROOT, tree.rootInode(), bytes("d"), NewFile.directory(0755));
        List<String> names = new ArrayList<>();
        String common = "f".repeat(240);
        long file = 0;
        for (int i = 0; tree.attributes(directory).sizeBytes() < 6 << 20; i++) {
          names.add(common + i);
          if (i % 30_000 == 0) {
            file = tree.create(ROOT, directory, bytes(common + i), NewFile.regular(0644));
          } else {
            tree.link(ROOT, file, directory, bytes(common + i));
          }
        }
        Listing listing = new Listing(tree, directory);
        listing.page(names.size() / 3);
        int count = names.size();
        long byHash = listing.cookie;
        int added = 0;
        while (HashOrder.isCookie(firstCookie(tree, directory))) {
          file =
              added % 30_000 == 0
                  ? tree.create(ROOT, directory, bytes(common + "n" + added), NewFile.regular(0644))
                  : file;
          if (added % 30_000 != 0) {
            tree.link(ROOT, file, directory, bytes(common + "n" + added));
          }
          added++;
          assertThat(added).as("more names than a tree has room for").isLessThan(2 * count);
        }
        assertThat(HashOrder.isCookie(byHash)).isTrue();
        while (!listing.ended) {
          listing.page(10_000);
        }
        listing.assertEachOnce(names);
        assertThat(tree.lookup(ROOT, directory, bytes(common + 7))).isPositive();
      }
      Images.assertClean(device, folder.resolve("image"), "full");
    }
  }

  /// Returns the first cookie of a listing, which distinguishes the kinds of listings.
  private static long firstCookie(Ext2 tree, long directory) throws IOException {
    long[] cookie = {0};
    boolean _ =
        tree.list(
            directory,
            0,
            (_, _, _, next) -> {
              cookie[0] = next;
              return false;
            });
    return cookie[0];
  }
}
