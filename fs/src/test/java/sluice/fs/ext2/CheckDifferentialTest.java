package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.E2fsprogs;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Slice;

/// Compares our check with `e2fsck -fn`. One field of a valid image is changed, and both programs
/// decide whether the image is clean. [#EXPLAINED] lists the reasons for different verdicts.
///
/// Half of the changes to images with checksums get a correct checksum. `e2fsck -fn` never replays
/// a journal, so no image has a journal that needs a replay.
final class CheckDifferentialTest {
  private static final int FIRST = Integer.getInteger("sluice.seed", 0);
  private static final int COUNT = 400;
  private static final int COUNT_OF_ACCEPTANCE = 4000;

  /// An intended difference of the verdicts.
  ///
  /// @param field the changed fields to which it applies, as a regular expression
  /// @param oursOnly true if our check reports a problem and e2fsck does not, false for the
  ///   opposite
  /// @param problem found in the output of the program that reports the problem, as a regular
  ///   expression
  /// @param why the reason
  private record Explained(String field, boolean oursOnly, String problem, String why) {}

  private static final List<Explained> EXPLAINED =
      List.of(
          new Explained(
              "superblock s_last_orphan",
              true,
              "files without a name wait",
              "e2fsck -n does not follow the list of orphans; a mount does"),
          new Explained(
              "superblock s_state",
              true,
              "it was not unmounted cleanly|errors were found",
              "for e2fsck the state is a reason to look, for us it is a finding"),
          new Explained(
              "superblock s_journal_dev",
              true,
              "names a journal, without the feature",
              "e2fsck looks at the number of the device only in images with has_journal"),
          new Explained(
              "superblock s_(feature_.*|rev_level)",
              true,
              "its revision 0 has none",
              "e2fsck asks that only when it may write"),
          new Explained(
              "superblock s_feature_.*",
              true,
              "features that we do not know",
              "we refuse an image whose structures we do not know"),
          new Explained(
              "superblock s_feature_(ro_)?compat",
              false,
              "has unsupported feature",
              "these features need no knowledge to read; e2fsck refuses those it does not know"),
          new Explained(
              "superblock s_[mw]time|superblock s_lastcheck",
              false,
              "is in the future",
              "e2fsck compares with the clock of this machine"),
          new Explained(
              "journal superblock s_(first|start|maxlen)|(reserved )?inode i_size(_high)?",
              true,
              "the journal: .*(journal superblock with|a journal longer than|no journal:)",
              "e2fsck -n looks at a log's bounds only to replay it; a mount refuses them"),
          new Explained(
              "pointer", true, "inode 7", "e2fsck compares a quarter of the pointers of inode 7"),
          new Explained(
              "tree dx_flags",
              true,
              "its hash tree: an unknown hash",
              "a tree with flags is not used by a mount, ours and Linux's"));

  @TempDir private static Path folder;
  private static final Map<String, byte[]> IMAGES = new TreeMap<>();
  private static final Map<String, ImageParts> PARTS = new HashMap<>();

  @BeforeAll
  static void makeImages() throws IOException, InterruptedException {
    E2fsprogs.require("mke2fs");
    E2fsprogs.require("e2fsck");
    E2fsprogs.require("debugfs");
    IMAGES.putAll(CheckImages.all(folder));
    for (var image : IMAGES.entrySet()) {
      Files.write(folder.resolve(image.getKey()), image.getValue());
      PARTS.put(image.getKey(), new ImageParts(image.getValue()));
    }
  }

  @AfterAll
  static void forgetImages() {
    IMAGES.clear();
    PARTS.clear();
  }

  /// Checks images made by mke2fs, e2fsck and our own code, including bitmaps that were never
  /// initialized.
  @Test
  @Timeout(120)
  void goodImagesAreClean() throws IOException, InterruptedException {
    assertThat(IMAGES).hasSizeGreaterThan(10);
    for (String name : IMAGES.keySet()) {
      assertThat(problems(folder.resolve(name))).as(name).isEmpty();
      E2fsprogs.assertClean(folder.resolve(name));
    }
    String groups = E2fsprogs.run("dumpe2fs", folder.resolve("uninit_bg").toString()).output();
    assertThat(groups).contains("BLOCK_UNINIT").contains("INODE_UNINIT");
  }

  @Test
  @Timeout(600)
  void ourCheckAndE2fsckAgree() throws IOException {
    assertAgreement(FIRST, COUNT);
  }

  @Test
  @Tag("acceptance")
  @Timeout(1800)
  void ourCheckAndE2fsckAgreeOnThousands() throws IOException {
    Slice slice = Slice.current();
    int from = Math.toIntExact(COUNT_OF_ACCEPTANCE * (long) slice.index() / slice.count());
    assertAgreement(FIRST + COUNT + from, Math.toIntExact(slice.share(COUNT_OF_ACCEPTANCE)));
  }

  private static void assertAgreement(int first, int count) throws IOException {
    List<String> unexplained = new ArrayList<>();
    int broken = 0;
    try (E2fsckLoop e2fsck = new E2fsckLoop(folder)) {
      for (int seed = first; seed < first + count; seed++) {
        Case mutated = new Case(seed);
        mutated.judge(e2fsck);
        broken += mutated.ours.isEmpty() ? 0 : 1;
        if (mutated.ours.isEmpty() != mutated.theirs.isEmpty() && !mutated.isExplained()) {
          unexplained.add(mutated.toString());
        }
      }
    }
    assertThat(unexplained).isEmpty();
    assertThat(broken).as("changes that matter, and others").isBetween(count / 4, count * 9 / 10);
  }

  private static List<String> problems(Path image) throws IOException {
    List<String> problems = new ArrayList<>();
    try (BlockDevice device = BlockDevices.file(image, true)) {
      Ext2Check.check(device, problems::add, _ -> {});
    } catch (FsException e) {
      problems.add("refused: " + e.getMessage());
    }
    return problems;
  }

  /// A change of one field, and the verdicts on it.
  private static final class Case {
    private static final int SECTOR = 1024;

    private final int seed;
    private final String name;
    private final byte[] good;
    private final byte[] bad;
    private final ImageParts.Field field;
    private final int before;
    private final int after;
    private boolean sealed;
    String ours = "";
    String theirs = "";

    Case(int seed) {
      this.seed = seed;
      Random random = new Random(seed);
      name = List.copyOf(IMAGES.keySet()).get(random.nextInt(IMAGES.size()));
      good = Objects.requireNonNull(IMAGES.get(name));
      bad = good.clone();
      ImageParts parts = Objects.requireNonNull(PARTS.get(name));
      field = parts.field(random);
      int old = 0;
      for (int i = 0; i < field.width(); i++) {
        old |= (good[field.at() + i] & 0xFF) << (8 * i);
      }
      before = old;
      int mask = field.width() < 4 ? (1 << (8 * field.width())) - 1 : -1;
      int now = value(old, field.width(), random) & mask;
      after = now == before ? now ^ 1 : now;
      for (int i = 0; i < field.width(); i++) {
        bad[field.at() + i] = (byte) (after >>> (8 * i));
      }
      if (random.nextBoolean()) {
        seal(parts);
      }
    }

    private static int value(int old, int width, Random random) {
      return switch (random.nextInt(8)) {
        case 0 -> 0;
        case 1 -> 1;
        case 2 -> -1;
        case 3 -> old + 1;
        case 4 -> old - 1;
        case 5, 6 -> old ^ (1 << random.nextInt(8 * width));
        default -> random.nextInt(1 << (1 + random.nextInt(30)));
      };
    }

    private void seal(ImageParts parts) {
      try {
        byte[] superblock = Arrays.copyOfRange(bad, 1024, 2048);
        parts.seal(bad, new Checksums(Geometry.of(superblock, bad.length)));
        sealed = true;
      } catch (FsException e) {
        // a superblock that cannot be parsed has no checksums either
      }
    }

    void judge(E2fsckLoop e2fsck) throws IOException {
      Path image = folder.resolve(name);
      write(image, bad);
      try {
        List<String> problems = problems(image);
        ours = problems.isEmpty() ? "" : problems.getFirst();
        E2fsprogs.Result result = e2fsck.check(image);
        // e2fsck only asks about things that it does not consider damage, and still exits with 0
        boolean clean = result.exit() == 0 && !result.output().contains("? no");
        theirs = clean ? "" : result.exit() + ": " + result.output();
      } finally {
        write(image, good);
      }
    }

    /// Writes the sectors in which the good and the bad image differ.
    private void write(Path image, byte[] bytes) throws IOException {
      try (FileChannel file = FileChannel.open(image, StandardOpenOption.WRITE)) {
        for (int at = 0; at < good.length; at += SECTOR) {
          if (Arrays.mismatch(good, at, at + SECTOR, bad, at, at + SECTOR) >= 0) {
            file.write(ByteBuffer.wrap(bytes, at, SECTOR), at);
          }
        }
      }
    }

    boolean isExplained() {
      return EXPLAINED.stream()
          .anyMatch(e ->
              field.name().matches(e.field)
                  && e.oursOnly == theirs.isEmpty()
                  && Pattern.compile(e.problem).matcher(e.oursOnly ? ours : theirs).find());
    }

    @Override
    public String toString() {
      return String.format(
          "seed %d, %s%s: %s 0x%x instead of 0x%x at byte %d%n  ours: %s%n  e2fsck: %s%n",
          seed,
          name,
          sealed ? " (sealed)" : "",
          field.name(),
          after,
          before,
          field.at(),
          ours,
          theirs.replace("\n", " | "));
    }
  }
}
