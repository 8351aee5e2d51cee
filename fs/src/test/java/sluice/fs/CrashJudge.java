package sluice.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Judges what a crash or a failing device has left, by what a [CrashWorkload] remembers, by our
/// own mount and check, and by e2fsck where it is installed. Of the test's thread.
final class CrashJudge implements AutoCloseable {
  private static final List<String> FREE_COUNTS =
      List.of("Free blocks count wrong", "Free inodes count wrong", "Fix? yes");

  private final TreeState.Reader reader = new TreeState.Reader();
  private final MountOptions options;
  private final Path file;

  /// @param file where images are put for e2fsck
  CrashJudge(MountOptions options, Path file) {
    this.options = options;
    this.file = file;
  }

  @Override
  public void close() {
    reader.close();
  }

  // ---- with a journal ---------------------------------------------------------------------------

  /// @param events how much of what was recorded may have happened
  void journaled(BlockDevice crashed, CrashWorkload.Recorded recorded, int events, String what)
      throws IOException, InterruptedException {
    boolean linux = E2fsprogs.has("e2fsck");
    if (linux) {
      Images.save(crashed, file);
    }
    TreeState found = mounted(crashed, what);
    assertThat(Images.problems(crashed)).as(what).isEmpty();
    requireOneOf(found, recorded, events, what);
    if (linux) {
      E2fsprogs.Result repair = E2fsprogs.run("e2fsck", "-fy", file.toString());
      assertThat(repair.exit()).as(what + ": " + repair.output()).isLessThan(2);
      assertOnlyCounts(repair.output(), what);
      E2fsprogs.Result again = E2fsprogs.run("e2fsck", "-fn", file.toString());
      assertThat(again.exit()).as(what + ": " + again.output()).isZero();
    }
  }

  private static void assertOnlyCounts(String output, String what) {
    for (String line : output.split("\n", -1)) {
      if (line.contains("Fix?") || line.contains("? yes") || line.contains("wrong")) {
        assertThat(FREE_COUNTS.stream().anyMatch(line::contains)).as(what + ": " + output).isTrue();
      }
    }
  }

  private TreeState mounted(BlockDevice crashed, String what) throws IOException {
    try (Ext2 tree = Ext2.mount(crashed, options)) {
      return reader.read(tree, null);
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  private static void requireOneOf(
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
    for (int k = least; k <= last; k++) {
      if (found.sameMetadata(steps.get(k).after())) {
        String wrong = wrongContent(found, steps, k, last);
        if (wrong == null) {
          return;
        }
        why = "step " + k + ", but " + wrong;
      }
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
          return path + " holds at byte " + at + " what was never there";
        }
      }
    }
    return null;
  }

  private static String inode(TreeState.Entry entry) {
    return entry.attributes().split(" ", 2)[0];
  }

  /// The file with an inode, at the path it had or another.
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

  /// Whether a part is the same; behind the end of what was there are zeros.
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

  // ---- without one ------------------------------------------------------------------------------

  void plain(BlockDevice crashed, CrashWorkload.Recorded recorded, int events, String what)
      throws IOException, InterruptedException {
    lookAtDamage(crashed, what);
    if (!E2fsprogs.has("e2fsck")) {
      return;
    }
    Images.save(crashed, file);
    E2fsprogs.Result repair = E2fsprogs.run("e2fsck", "-fy", file.toString());
    assertThat(repair.exit()).as(what + ": " + repair.output()).isLessThan(4);
    E2fsprogs.Result again = E2fsprogs.run("e2fsck", "-fn", file.toString());
    assertThat(again.exit()).as(what + ": " + repair.output() + again.output()).isZero();
    try (BlockDevice repaired = BlockDevices.file(file, false)) {
      assertThat(Images.problems(repaired)).as(what).isEmpty();
      requireSynced(mounted(repaired, what), recorded, events, what);
    }
  }

  /// What is damaged is refused with an errno, and never hangs or breaks anything.
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

  /// What was the same from the last sync to the crash.
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
              .as(what + ": content of " + entry.getKey())
              .isTrue();
        }
      }
    }
  }
}
