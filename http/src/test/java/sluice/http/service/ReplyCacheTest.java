package sluice.http.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.FileClock;
import sluice.http.files.FileFill;
import sluice.http.files.FileReader;
import sluice.http.files.SiteFiles;
import sluice.http.files.WatchedFiles;
import sluice.http.parse.Bytes;
import sluice.http.parse.ContentNegotiation;
import sluice.http.reply.LongBodies;
import sluice.http.reply.Resource;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;
import sluice.memory.View;

/// The cache does what a map in order of use does.
@Timeout(120)
class ReplyCacheTest {
  private static final long LIMIT = 100_000;

  private final ReplyCache cache = new ReplyCache(LIMIT);

  /// Least recently used first.
  private final Map<String, Resource> model = new LinkedHashMap<>(16, 0.75f, true);

  private static Resource resource(String path, int bytes) {
    return Resource.bare(Bytes.latin1(path), 404, new byte[0], new byte[bytes], null);
  }

  private static View view(String path) {
    return Bytes.view(path + " HTTP/1.1");
  }

  private @Nullable Resource lookup(String path) {
    Resource found = cache.lookup(view(path), 0, path.length());
    if (found != null) {
      cache.use(found);
    }
    return found;
  }

  private boolean insert(Resource resource) {
    String path = Bytes.text(resource.path);
    return cache.insert(resource, cache.hash(view(path), 0, path.length()));
  }

  private long modelBytes() {
    return model.values().stream().mapToLong(Resource::chargedBytes).sum();
  }

  private void insertIntoModel(Resource resource) {
    model.remove(Bytes.text(resource.path));
    Iterator<Resource> oldest = model.values().iterator();
    long bytes = modelBytes();
    while (bytes + resource.chargedBytes() > LIMIT && oldest.hasNext()) {
      bytes -= oldest.next().chargedBytes();
      oldest.remove();
    }
    model.put(Bytes.text(resource.path), resource);
  }

  @Test
  void theLeastRecentlyUsedGivesWay() {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    for (int i = 0; i < 40_000; i++) {
      String path = "/" + "p".repeat(random.nextInt(20)) + random.nextInt(100);
      int choice = random.nextInt(10);
      if (choice < 6) {
        assertThat(lookup(path)).as("seed %d, step %d", seed, i).isSameAs(model.get(path));
      } else if (choice < 9) {
        boolean small = random.nextInt(3) > 0; // many of them make the table grow
        Resource made = resource(path, small ? 0 : random.nextInt(10_000));
        assertThat(insert(made)).isTrue();
        insertIntoModel(made);
      } else {
        Resource gone = model.remove(path);
        if (gone != null) {
          cache.remove(gone);
          cache.remove(gone); // nothing more happens
        }
      }
      assertThat(cache.count()).isEqualTo(model.size());
      assertThat(cache.usedBytes()).isEqualTo(modelBytes());
    }
    assertThat(cache.evictions()).isPositive();
    cache.clear();
    assertThat(cache.count()).isZero();
    assertThat(cache.usedBytes()).isZero();
  }

  /// A file in the coding that a client likes best, as of now.
  private Resource file(Site site, SiteFiles files, Account memory, int first) {
    FileFill fill =
        new FileFill(
            site, files, null, memory, each -> false, new FileReader(memory, FileClock.SYSTEM));
    SiteReplies replies = new SiteReplies(memory, new LongBodies("none", 0), site, SiteRules.NONE);
    int order = first | ContentNegotiation.IDENTITY << 4;
    SitePath path = SitePath.of("/f");
    return replies.resource(Bytes.latin1("/f"), path, fill.answer(path, order));
  }

  @Test
  void codingsOfOnePathStandBesideEachOtherWhileTheyAgree(@TempDir Path root) throws Exception {
    Account memory = new Account("test", 1 << 20);
    Files.writeString(root.resolve("f"), "plain".repeat(2000)); // sent from where it was read
    Files.writeString(root.resolve("f.gz"), "packed");
    Site site = Site.of(root);
    try (SiteFiles files = WatchedFiles.open(site, 0, problem -> {}).files()) {
      Resource plain = file(site, files, memory, ContentNegotiation.IDENTITY);
      Resource packed = file(site, files, memory, ContentNegotiation.GZIP);
      assertThat(insert(plain)).isTrue();
      assertThat(insert(packed)).isTrue();
      assertThat(cache.count()).isEqualTo(2);
      assertThat(cache.find(plain, ContentNegotiation.GZIP)).isSameAs(packed);
      assertThat(cache.find(packed, ContentNegotiation.IDENTITY)).isSameAs(plain);
      assertThat(cache.find(plain, ContentNegotiation.BR)).isNull();
      Resource again = file(site, files, memory, ContentNegotiation.GZIP);
      assertThat(insert(again)).isTrue();
      assertThat(cache.find(plain, ContentNegotiation.GZIP)).isSameAs(again);
      Files.delete(root.resolve("f.gz"));
      Resource alone = file(site, files, memory, ContentNegotiation.GZIP);
      assertThat(alone.coding).isEqualTo(ContentNegotiation.IDENTITY);
      assertThat(insert(alone)).isTrue();
      assertThat(cache.count()).as("no other is left").isEqualTo(1);
      assertThat(lookup("/f")).isSameAs(alone);
      cache.clear();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void anEntryThatIsTooLargeDrivesNoOtherOut() {
    assertThat(insert(resource("/a", 100))).isTrue();
    assertThat(insert(resource("/b", (int) LIMIT / 8))).isFalse();
    assertThat(lookup("/a")).isNotNull();
    assertThat(lookup("/b")).isNull();
    assertThat(new ReplyCache(0).insert(resource("/c", 1), 1)).isFalse();
  }
}
