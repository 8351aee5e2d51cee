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

/// READDIR of both versions at cookies of any age, and at numbers that were never cookies, in a
/// directory of 2 000 names that changes, listed by place or by hash. What is expected does not
/// depend on the version.
@Timeout(240)
public abstract class ReaddirContract {
  private static final int NAMES = 2000;
  private static final int TRIES = 2000;
  private static final int PAGE_BYTES = 4096;

  /// Of a superblock: where it begins, the field `s_feature_compat` in it, and DIR_INDEX there.
  private static final long SUPERBLOCK = 1024;

  private static final int COMPATIBLE = 0x5c;
  private static final int DIR_INDEX = 0x20;

  /// From here on, cookies are of a listing by hash, which an image without such trees has not.
  private static final long HASHES = 1L << 62;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private long directory;

  /// A name that was listed, and the cookie that goes on behind it.
  public record Entry(String name, long next) {}

  /// One reply.
  ///
  /// @param entries none when it was refused
  public record Page(int status, long verifier, boolean end, List<Entry> entries) {}

  /// Starts a server over a device.
  protected abstract FileTree start(CrashDevice device) throws IOException;

  /// Asks for a page of the directory `d`, of at most so many bytes.
  protected abstract Page page(long cookie, long verifier, int bytes);

  /// The lowest number that is a cookie.
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

  /// The first name at a cookie that was there from the beginning; empty at the end.
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

  /// Cookies that were given out, while names are removed, renamed and made.
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

  /// As xfstests generic/676 asks a mount: a number that is below the last cookie is not the end,
  /// and listing from any number ends, with each name at most once.
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

  /// Any number is answered: by names, by the end, or by BAD_COOKIE where it is no cookie of such
  /// an image.
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

  /// A wrong verifier is refused, or it is answered as the right one: no page is made up.
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
