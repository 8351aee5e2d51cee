package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.Caller;

/// Tests positions in listings of directories that change, as `telldir(3)`, `seekdir(3)` and NFS
/// use them.
@Timeout(120)
final class DirectoryPositionsTest {
  private static final int TRIES = 4000;

  /// A name and the position before it.
  private record Entry(String name, long before) {}

  private final Random random = new Random(Long.getLong("sluice.seed", 1));

  private static List<Entry> all(Ext2Rig rig, long directory) throws IOException {
    List<Entry> entries = new ArrayList<>();
    long[] at = {0};
    boolean end =
        rig.tree.list(
            directory,
            0,
            (_, _, name, next) -> {
              entries.add(new Entry(text(name), at[0]));
              at[0] = next;
              return true;
            });
    assertThat(end).isTrue();
    return entries;
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }

  /// Returns the first name at a position, empty at the end.
  private static String at(Ext2Rig rig, long directory, long position) throws IOException {
    String[] found = {""};
    boolean _ =
        rig.tree.list(
            directory,
            position,
            (_, _, name, _) -> {
              found[0] = text(name);
              return false;
            });
    return found[0];
  }

  @ParameterizedTest
  @CsvSource({"true, 5", "true, 60", "true, 3000", "false, 5", "false, 60", "false, 3000"})
  void aPositionIsInFrontOfTheSameNameOrOfTheNextThatIsLeft(boolean hashed, int count)
      throws IOException {
    try (Ext2Rig rig = hashed ? new Ext2Rig(64 << 20, 1024) : Ext2Rig.linear(64 << 20, 1024)) {
      long directory = rig.directory(rig.root(), "d");
      for (int i = 0; i < count; i++) {
        rig.file(directory, "name-" + i);
      }
      List<Entry> entries = all(rig, directory);
      assertThat(entries).hasSize(count + 2);
      Set<String> gone = new HashSet<>();
      for (int i = 0; i < TRIES; i++) {
        if (random.nextInt(4) == 0) {
          String name = entries.get(random.nextInt(entries.size())).name;
          if (name.startsWith("name-") && gone.add(name)) {
            rig.tree.unlink(Caller.ROOT, directory, Ext2Rig.name(name));
          }
        }
        int from = random.nextInt(entries.size());
        int wanted = from;
        while (wanted < entries.size() && gone.contains(entries.get(wanted).name)) {
          wanted++;
        }
        String expected = wanted == entries.size() ? "" : entries.get(wanted).name;
        assertThat(at(rig, directory, entries.get(from).before))
            .as("try %d", i)
            .isEqualTo(expected);
      }
    }
  }

  /// Checks, like xfstests generic/676, that a position that no listing has returned does not mark
  /// the end if names follow it.
  @ParameterizedTest
  @CsvSource({"true, 60", "true, 3000", "false, 60", "false, 3000"})
  void aRandomPositionIsNotTheEnd(boolean hashed, int count) throws IOException {
    try (Ext2Rig rig = hashed ? new Ext2Rig(64 << 20, 1024) : Ext2Rig.linear(64 << 20, 1024)) {
      long directory = rig.directory(rig.root(), "d");
      for (int i = 0; i < count; i++) {
        rig.file(directory, "name-" + i);
      }
      long last = all(rig, directory).getLast().before;
      for (int i = 0; i < TRIES; i++) {
        long position = (random.nextLong() & 0x7FFF_FFFFL) % last;
        assertThat(at(rig, directory, position)).as("position %d", position).isNotEmpty();
      }
      if (hashed) {
        for (long position = last; position > 1 << 20; position >>>= 1) { // no byte offsets
          assertThat(at(rig, directory, position)).as("position %d", position).isNotEmpty();
        }
        assertThat(at(rig, directory, (1L << 62) - 1)).as("below all cookies").isEqualTo(".");
      }
    }
  }
}
