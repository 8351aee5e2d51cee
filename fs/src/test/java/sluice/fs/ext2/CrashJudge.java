package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.Blocks;
import sluice.fs.E2fsprogs;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;

/// Judges the state that a crash or a failing device has left, by comparison with the record of a
/// [CrashWorkload], with our own mount and check, and with e2fsck if it is installed. Confined to
/// the test's thread.
final class CrashJudge implements AutoCloseable {
  /// The number of e2fsck runs that a state without a journal may need. e2fsck does not always
  /// notice at once what its own repairs make necessary.
  private static final int REPAIRS = 3;

  private static final List<String> FREE_COUNTS =
      List.of("Free blocks count wrong", "Free inodes count wrong");

  private final TreeState.Reader reader = new TreeState.Reader();
  private final MountOptions options;
  private final Path file;

  /// Creates a judge.
  ///
  /// @param file the path to which images are saved for e2fsck
  CrashJudge(MountOptions options, Path file) {
    this.options = options;
    this.file = file;
  }

  @Override
  public void close() {
    reader.close();
  }

  // ---- with a journal ---------------------------------------------------------------------------

  /// A requirement that a mounted tree has to meet.
  interface Requirement {
    void require(TreeState found);
  }

  /// Judges a state with a journal.
  ///
  /// @param failed true if the log says that the journal had failed; e2fsck does not trust the list
  ///   of orphans in this case and finds them itself
  void journaled(
      BlockDevice crashed, CrashWorkload.Recorded recorded, int events, boolean failed, String what)
      throws IOException, InterruptedException {
    journaled(crashed, found -> stepsLike(found, recorded, events, what), failed, what);
  }

  void journaled(BlockDevice crashed, Requirement requirement, boolean failed, String what)
      throws IOException, InterruptedException {
    E2fsprogs.require("e2fsck");
    Images.save(crashed, file);
    TreeState unreplayed = withoutAChange(crashed, failed, what);
    TreeState found = mounted(crashed, what);
    assertThat(Images.problems(crashed)).as(what).isEmpty();
    requirement.require(found);
    assertThat(unreplayed.difference(found)).as(what + ": read-only").isEqualTo("none");
    for (var entry : found.entries().entrySet()) {
      assertThat(unreplayed.get(entry.getKey()).same(entry.getValue()))
          .as(what + ": read-only, " + entry.getKey())
          .isTrue();
    }
    E2fsprogs.Result repair = E2fsprogs.run("e2fsck", "-fy", file.toString());
    assertThat(repair.exit()).as(what + ": " + repair.output()).isLessThan(2);
    if (!failed) {
      assertOnlyCounts(repair.output(), what);
    }
    E2fsprogs.Result again = E2fsprogs.run("e2fsck", "-fn", file.toString());
    assertThat(again.exit()).as(what + ": " + again.output()).isZero();
  }

  private static void assertOnlyCounts(String output, String what) {
    for (String line : output.split("\n", -1)) {
      boolean question = line.endsWith("? yes") && !line.equals("Fix? yes");
      if (question || line.contains("wrong") || line.contains("differences")) {
        assertThat(FREE_COUNTS.stream().anyMatch(line::contains)).as(what + ": " + output).isTrue();
      }
    }
  }

  /// Returns the tree as it is seen while the log is not replayed. The device must not change.
  private TreeState withoutAChange(BlockDevice crashed, boolean failed, String what)
      throws IOException {
    byte[] before = Blocks.all(crashed);
    if (!failed) {
      assertThat(Images.problems(crashed)).as(what + ": before its log is replayed").isEmpty();
    }
    try (Ext2 tree = Ext2.mount(crashed, options.withReadOnly(true))) {
      return reader.read(tree, null);
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(what + ": read-only", e);
    } finally {
      assertThat(Blocks.all(crashed)).as(what).isEqualTo(before);
    }
  }

  private TreeState mounted(BlockDevice crashed, String what) throws IOException {
    try (Ext2 tree = Ext2.mount(crashed, options)) {
      return reader.read(tree, null);
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  /// Returns the steps that may have left the state found, from the last awaited step to the last
  /// step begun. Fails if there is none.
  static List<Integer> stepsLike(
      TreeState found, CrashWorkload.Recorded recorded, int events, String what) {
    int least = 0;
    for (CrashWorkload.Awaited awaited : recorded.awaited()) {
      least = awaited.events() <= events ? awaited.step() : least;
    }
    List<CrashWorkload.Step> steps = recorded.steps();
    int last = least;
    while (last + 1 < steps.size() && steps.get(last + 1).eventsBefore() <= events) {
      last++;
    }
    String why = "none of the steps " + least + " to " + last;
    List<Integer> alike = new ArrayList<>();
    for (int k = least; k <= last; k++) {
      if (steps.get(k).whole() && found.sameMetadata(steps.get(k).after())) {
        String wrong = wrongContent(found, steps, k, last);
        if (wrong == null) {
          alike.add(k);
        } else {
          why = "step " + k + ", but " + wrong;
        }
      }
    }
    if (!alike.isEmpty()) {
      return alike;
    }
    if (why.startsWith("none")) {
      why += "; the first differs in " + found.difference(steps.get(least).after());
      why += "; the last differs in " + found.difference(steps.get(last).after());
    }
    throw new AssertionError(what + ": " + why);
  }

  private static @Nullable String wrongContent(
      TreeState found, List<CrashWorkload.Step> steps, int k, int last) {
    for (var entry : found.entries().entrySet()) {
      byte[] content = entry.getValue().content();
      String inode = inode(entry.getValue());
      for (int at = 0; at < content.length; at += 512) {
        int end = Math.min(content.length, at + 512);
        String path = entry.getKey();
        boolean known = false;
        for (int j = k; j <= last && !known; j++) {
          TreeState.Entry then = find(steps.get(j).after(), path, inode);
          known = then != null && matches(content, then.content(), at, end);
        }
        if (!known) {
          return path + " holds at byte " + at + origin(content, at, end, steps);
        }
      }
    }
    return null;
  }

  /// Describes the origin of a part with unexpected content, for a message.
  private static String origin(byte[] content, int at, int end, List<CrashWorkload.Step> steps) {
    for (int j = steps.size() - 1; j >= 0; j--) {
      for (var entry : steps.get(j).after().entries().entrySet()) {
        byte[] other = entry.getValue().content();
        for (int from = 0; from + end - at <= other.length; from += 512) {
          if (Arrays.equals(content, at, end, other, from, from + end - at)) {
            return ", what "
                + entry.getKey()
                + " had at byte "
                + from
                + " after step "
                + j
                + (content[at] == 0 ? ", such as zero" : "");
          }
        }
      }
    }
    return " what was never anywhere";
  }

  private static String difference(TreeState.Entry now, TreeState.Entry then) {
    int at = Arrays.mismatch(now.content(), then.content());
    boolean zero = at >= 0 && at < now.content().length && now.content()[at] == 0;
    return " from byte " + at + (zero ? ", zeros" : "") + ": " + now + " and " + then;
  }

  private static String inode(TreeState.Entry entry) {
    return entry.attributes().split(" ", 2)[0];
  }

  /// Returns the file with an inode, at the path it had or at another one.
  private static TreeState.@Nullable Entry find(TreeState state, String path, String inode) {
    TreeState.Entry there = state.entries().get(path);
    if (there != null && inode(there).equals(inode)) {
      return there;
    }
    for (TreeState.Entry entry : state.entries().values()) {
      if (inode(entry).equals(inode)) {
        return entry;
      }
    }
    return null;
  }

  /// Returns true if a part is the same. Behind the end of the former content there must be zeros.
  private static boolean matches(byte[] found, byte[] then, int at, int end) {
    int common = Math.clamp(then.length, at, end);
    if (common > at && !Arrays.equals(found, at, common, then, at, common)) {
      return false;
    }
    for (int i = common; i < end; i++) {
      if (found[i] != 0) {
        return false;
      }
    }
    return true;
  }

  // ---- without a journal ------------------------------------------------------------------------

  void plain(BlockDevice crashed, CrashWorkload.Recorded recorded, int events, String what)
      throws IOException, InterruptedException {
    lookAtDamage(crashed, what);
    E2fsprogs.require("e2fsck");
    Images.save(crashed, file);
    String said = what + ": " + repair(what);
    try (BlockDevice repaired = BlockDevices.file(file, false)) {
      assertThat(Images.problems(repaired)).as(said).isEmpty();
      requireSynced(mounted(repaired, what), recorded, events, said);
    }
  }

  /// Repairs the image.
  ///
  /// @return the output of e2fsck
  private String repair(String what) throws IOException, InterruptedException {
    StringBuilder said = new StringBuilder();
    int exit = 4;
    for (int i = 0; i < REPAIRS && exit != 0; i++) {
      E2fsprogs.Result repair = E2fsprogs.run("e2fsck", "-fy", file.toString());
      said.append(repair.output());
      assertThat(repair.exit()).as(what + ": " + said).isLessThan(4);
      E2fsprogs.Result again = E2fsprogs.run("e2fsck", "-fn", file.toString());
      said.append(again.output());
      exit = again.exit();
    }
    assertThat(exit).as(what + ": " + said).isZero();
    return said.toString();
  }

  /// Checks that our code reports damage as an errno, and neither hangs nor breaks.
  private void lookAtDamage(BlockDevice crashed, String what) throws IOException {
    List<String> problems = new ArrayList<>();
    try {
      problems.addAll(Images.problems(crashed));
    } catch (FsException refused) {
      problems.add(String.valueOf(refused.getMessage()));
    }
    try (Ext2 tree = Ext2.mount(crashed, options.withReadOnly(true))) {
      reader.read(tree, null);
    } catch (FsException refused) {
      assertThat(problems).as(what + ": " + refused.getMessage()).isNotEmpty();
    }
  }

  /// Checks the files that did not change between the last sync and the crash.
  private static void requireSynced(
      TreeState found, CrashWorkload.Recorded recorded, int events, String what) {
    int synced = 0;
    for (CrashWorkload.Awaited awaited : recorded.awaited()) {
      synced = awaited.events() <= events ? awaited.step() : synced;
    }
    List<CrashWorkload.Step> steps = recorded.steps();
    for (var entry : steps.get(synced).after().entries().entrySet()) {
      TreeState.Entry then = entry.getValue();
      boolean untouched = !then.isDirectory();
      for (int j = synced + 1;
          untouched && j < steps.size() && steps.get(j).eventsBefore() <= events;
          j++) {
        TreeState.Entry now = steps.get(j).after().entries().get(entry.getKey());
        untouched = now != null && now.same(then);
      }
      if (untouched) {
        String inode = inode(then);
        TreeState.Entry now = find(found, entry.getKey(), inode);
        assertThat(now).as(what + ": " + entry.getKey() + " was synced").isNotNull();
        if (now != null) {
          assertThat(Arrays.equals(now.content(), then.content()))
              .as(what + ": content of " + entry.getKey() + difference(now, then))
              .isTrue();
        }
      }
    }
  }
}
