package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.DirectorySink;
import sluice.fs.FileTree;
import sluice.fs.Images;
import sluice.fs.SliceSink;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests that device, cache, journal and tree know each other only by their interfaces. Each can be
/// replaced by another implementation, and each can be isolated. The same operations give the same
/// answers.
@Timeout(300)
final class ComponentsTest {
  private static final int BLOCK = 1024;
  private static final long BYTES = 16L << 20;
  private static final int OPERATIONS = 1200;
  private static final MountOptions OPTIONS =
      MountOptions.defaults().withCacheBytes(2 << 20).withInodes(64);

  @TempDir Path directory;

  private static BlockDevice formatted() throws IOException {
    BlockDevice device = BlockDevices.memory(BYTES);
    FormatOptions format = FormatOptions.forDevice(BYTES).withBlockBytes(BLOCK);
    Ext2Format.format(device, format.withJournalBlocks(0), _ -> {});
    return device;
  }

  /// Returns all answers of the tree and its content at the end.
  private static List<String> answers(FileTree tree, long seed) throws IOException {
    List<String> answers = new ArrayList<>();
    try (TreeAgent agent = new TreeAgent(tree)) {
      for (String line : new RandomOperations(seed).lines(OPERATIONS)) {
        answers.add(line + ": " + agent.run(line));
      }
      answers.add(agent.dump());
    }
    return answers;
  }

  private static List<String> expected(long seed) throws IOException {
    try (BlockDevice device = formatted();
        Ext2 tree = Ext2.mount(device, OPTIONS)) {
      return answers(tree, seed);
    }
  }

  private void assertHolds(BlockDevice device, List<String> answers) throws Exception {
    Images.assertClean(device, directory.resolve("image"), "afterwards");
    try (Ext2 tree = Ext2.mount(device, OPTIONS);
        TreeAgent agent = new TreeAgent(tree)) {
      assertThat(agent.dump()).isEqualTo(answers.getLast());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void anotherCacheAndJournalTakeThePlaceOfOurs(long seed) throws Exception {
    try (BlockDevice device = formatted()) {
      List<String> answers;
      ReferenceCache other = new ReferenceCache(device, BLOCK);
      try (Ext2 tree = Ext2.mount(device, other, other, OPTIONS)) {
        answers = answers(tree, seed);
      }
      assertThat(answers).isEqualTo(expected(seed));
      assertHolds(device, answers);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void eachComponentWorksInAPlaceOfItsOwn(long seed) throws Exception {
    try (BlockDevice device = formatted();
        ComponentThread below = new ComponentThread("device");
        ComponentThread middle = new ComponentThread("cache and journal");
        ComponentThread above = new ComponentThread("tree")) {
      BlockDevice far = below.of(BlockDevice.class, device);
      BufferCache cache = BufferCaches.open(far, BLOCK, OPTIONS.cacheBytes());
      Journal journal = middle.of(Journal.class, Journals.plain(cache));
      List<String> answers;
      Ext2 near = Ext2.mount(far, middle.of(BufferCache.class, cache), journal, OPTIONS);
      try (FileTree tree = above.of(FileTree.class, near)) {
        answers = answers(tree, seed);
      }
      assertThat(answers).isEqualTo(expected(seed));
      assertHolds(device, answers);
    }
  }

  @Test
  void aJournalOfOursSaysThatItNeedsACacheOfOurs() throws IOException {
    try (BlockDevice device = formatted();
        ReferenceCache other = new ReferenceCache(device, BLOCK)) {
      assertThatThrownBy(() -> Journals.plain(other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ReferenceCache was not opened by BufferCaches");
    }
  }

  private static final Set<Class<?>> BY_REFERENCE =
      Set.of(
          Memory.class,
          Block.class,
          MemorySegment.class,
          Buffer.class,
          Transaction.class,
          FileTree.Group.class,
          SliceSink.class,
          DirectorySink.class,
          FileTree.StableListener.class);

  /// Returns true if a type may cross an interface between components: values, arrays of values
  /// that are not modified afterwards, memory, and callbacks.
  private static boolean mayPass(Class<?> type) {
    if (type.isArray()) {
      return mayPass(type.getComponentType());
    }
    return type.isPrimitive()
        || type.isEnum()
        || type == IOException.class
        || BY_REFERENCE.contains(type)
        || (Modifier.isFinal(type.getModifiers())
            && Stream.of(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .allMatch(field -> Modifier.isFinal(field.getModifiers())));
  }

  /// Checks that no mutable object except memory crosses the interfaces.
  @ParameterizedTest
  @ValueSource(
      classes = {
        BlockDevice.class,
        BufferCache.class,
        Journal.class,
        Transaction.class,
        FileTree.class,
        SliceSink.class,
        DirectorySink.class,
        FileTree.StableListener.class
      })
  void onlyValuesAndMemoryGoThroughSeams(Class<?> seam) {
    for (Method method : seam.getMethods()) {
      List<Class<?>> types = new ArrayList<>(List.of(method.getParameterTypes()));
      types.add(method.getReturnType());
      assertThat(types).as(method.toString()).allMatch(ComponentsTest::mayPass);
    }
  }
}
