package sluice.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v3.Nfs3Rig;

/// Tests READDIR of both versions with cookies of any age and with numbers that were never cookies,
/// in a directory of 2 000 names that changes, listed in directory order or in hash order. The
/// expectations do not depend on the version.
@Timeout(240)
public abstract class ReaddirContract {
  private static final int NAMES = 2000;
  private static final int TRIES = 2000;
  private static final int PAGE_BYTES = 4096;

  /// The position of the superblock, of its field `s_feature_compat`, and the flag DIR_INDEX.
  private static final long SUPERBLOCK = 1024;

  private static final int COMPATIBLE = 0x5c;
  private static final int DIR_INDEX = 0x20;

  /// The smallest cookie of a listing in hash order, which an image without directory indexes does
  /// not have.
  private static final long HASHES = 1L << 62;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private long directory;

  /// A listed name, and the cookie that continues after it.
  public record Entry(String name, long next) {}

  /// A reply.
  ///
  /// @param entries the entries; empty if the request was refused
  public record Page(int status, long verifier, boolean end, List<Entry> entries) {}

  /// Starts a server on a device.
  protected abstract FileTree start(CrashDevice device) throws IOException;

  /// Requests a page of the directory `d` with at most `bytes` bytes.
  protected abstract Page page(long cookie, long verifier, int bytes);

  /// Returns the lowest valid cookie.
  protected abstract long least();

  @AfterEach
  protected abstract void stop() throws IOException;

  private FileTree tree(boolean hashed) throws IOException {
    CrashDevice device = Nfs3Rig.format(true);
    if (!hashed) {
      clearIndexFeature(device);
    }
    FileTree tree = start(device);
    directory = tree.create(Caller.ROOT, tree.rootInode(), bytes("d"), NewFile.directory(0755));
    for (int i = 0; i < NAMES; i++) {
      make(tree, "name-" + i);
    }
    return tree;
  }

  private static void clearIndexFeature(CrashDevice device) throws IOException {
    Account account = new Account("superblock", 4096);
    Block first = Objects.requireNonNull(Block.allocate(account, 4096));
    device.read(0, first, 0, 4096);
    long at = SUPERBLOCK + COMPATIBLE;
    int features = first.segment().get(ValueLayout.JAVA_INT_UNALIGNED, at);
    assertThat(features & DIR_INDEX).isNotZero();
    first.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at, features & ~DIR_INDEX);
    device.write(0, first, 0, 4096);
    first.release();
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private void make(FileTree tree, String name) throws IOException {
    long _ = tree.create(Caller.ROOT, directory, bytes(name), NewFile.regular(0644));
  }

  /// Lists from a cookie to the end.
  private List<Entry> list(long cookie, long verifier) {
    List<Entry> all = new ArrayList<>();
    long at = cookie;
    Page page;
    do {
      page = page(at, verifier, PAGE_BYTES);
      assertThat(page.status).as("cookie %d, seed %d", at, seed).isZero();
      assertThat(page.end || !page.entries.isEmpty()).as("seed %d", seed).isTrue();
      all.addAll(page.entries);
      assertThat(all.size()).as("it ends, seed %d", seed).isLessThan(3 * NAMES);
      at = page.entries.isEmpty() ? at : page.entries.getLast().next;
    } while (!page.end);
    return all;
  }

  /// Returns the first name after a cookie that existed from the beginning; empty at the end.
  private String first(long cookie, long verifier, Set<String> known) {
    long at = cookie;
    while (true) {
      Page page = page(at, verifier, 600);
      assertThat(page.status).as("cookie %d, seed %d", at, seed).isZero();
      for (Entry entry : page.entries) {
        if (known.contains(entry.name)) {
          return entry.name;
        }
        at = entry.next;
      }
      if (page.end) {
        return "";
      }
    }
  }

  /// Uses old cookies while names are removed, renamed and created.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  public void aCookieGoesOnWithTheNextNameThatIsLeft(boolean hashed) throws IOException {
    FileTree tree = tree(hashed);
    long verifier = page(0, 0, PAGE_BYTES).verifier;
    List<Entry> entries = list(0, verifier);
    assertThat(entries.stream().filter(e -> e.name.startsWith("name-"))).hasSize(NAMES);
    Set<String> left = new HashSet<>(entries.stream().map(Entry::name).toList());
    for (int i = 0; i < TRIES; i++) {
      change(tree, entries.get(random.nextInt(entries.size())).name, left, i);
      int from = random.nextInt(entries.size());
      int wanted = from + 1;
      while (wanted < entries.size() && !left.contains(entries.get(wanted).name)) {
        wanted++;
      }
      String expected = wanted == entries.size() ? "" : entries.get(wanted).name;
      assertThat(first(entries.get(from).next, verifier, left))
          .as("try %d, seed %d", i, seed)
          .isEqualTo(expected);
    }
    Set<String> seen = new HashSet<>();
    for (Entry entry : list(0, verifier)) {
      assertThat(seen.add(entry.name)).as("%s once, seed %d", entry.name, seed).isTrue();
    }
    assertThat(seen).as("seed %d", seed).containsAll(left);
  }

  private void change(FileTree tree, String name, Set<String> left, int number) throws IOException {
    int what = random.nextInt(8);
    if (what == 0) {
      make(tree, "new-" + number);
    } else if (what <= 2 && name.startsWith("name-") && left.remove(name)) {
      if (what == 1) {
        tree.unlink(Caller.ROOT, directory, bytes(name));
      } else {
        byte[] other = bytes("renamed-" + number);
        tree.rename(Caller.ROOT, directory, bytes(name), directory, other, 0);
      }
    }
  }

  /// As xfstests generic/676: a number below the last cookie does not return the end of the list,
  /// and a listing from any number ends and has each name at most once.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  public void aNumberThatWasNeverACookieIsNotTheEnd(boolean hashed) throws IOException {
    FileTree _ = tree(hashed);
    long verifier = page(0, 0, PAGE_BYTES).verifier;
    List<Entry> entries = list(0, verifier);
    long last = entries.get(entries.size() - 2).next;
    for (int i = 0; i < TRIES; i++) {
      long bound = i % 2 == 0 ? Math.min(last, 0x7fff_ffffL) : last;
      long cookie = least() + random.nextLong(bound - least());
      Page page = page(cookie, verifier, PAGE_BYTES);
      assertThat(page.status).as("cookie %d, seed %d", cookie, seed).isZero();
      assertThat(page.entries).as("cookie %d, seed %d", cookie, seed).isNotEmpty();
    }
    for (int i = 0; i < 30; i++) {
      Set<String> seen = new HashSet<>();
      for (Entry entry : list(least() + random.nextLong(last), verifier)) {
        assertThat(seen.add(entry.name)).as("%s, seed %d", entry.name, seed).isTrue();
      }
    }
  }

  /// Any number gets an answer: names, the end, or BAD_COOKIE if it cannot be a cookie of this
  /// image.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  public void anyNumberIsAnswered(boolean hashed) throws IOException {
    FileTree _ = tree(hashed);
    long verifier = page(0, 0, PAGE_BYTES).verifier;
    for (int i = 0; i < TRIES; i++) {
      long cookie = random.nextLong() >> random.nextInt(64);
      int status = page(cookie, verifier, PAGE_BYTES).status;
      assertThat(status).as("cookie %d, seed %d", cookie, seed).isIn(0, NfsStatus.BAD_COOKIE);
      boolean hash = cookie >= HASHES;
      assertThat(status == 0 || cookie < least() || (hash && !hashed))
          .as("cookie %d is refused, seed %d", cookie, seed)
          .isTrue();
    }
  }

  /// A wrong verifier is refused or ignored; it never returns a different page.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  public void aWrongVerifierIsRefusedOrDoesNotMatter(boolean hashed) throws IOException {
    FileTree _ = tree(hashed);
    Page start = page(0, 0, PAGE_BYTES);
    assertThat(page(0, start.verifier + 1, PAGE_BYTES)).as("the start has none").isEqualTo(start);
    List<Entry> entries = list(0, start.verifier);
    for (int i = 0; i < TRIES; i++) {
      long cookie = entries.get(random.nextInt(entries.size() - 1)).next;
      Page wrong = page(cookie, start.verifier ^ (1L << random.nextInt(64)), PAGE_BYTES);
      if (wrong.status != NfsStatus.BAD_COOKIE) {
        assertThat(wrong).as("seed %d", seed).isEqualTo(page(cookie, start.verifier, PAGE_BYTES));
      }
    }
  }
}
