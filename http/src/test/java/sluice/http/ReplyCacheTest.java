package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.parse.Bytes;
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
    return cache.lookup(view(path), 0, path.length());
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

  @Test
  void oneThatIsTooLargeDrivesNobodyOut() {
    assertThat(insert(resource("/a", 100))).isTrue();
    assertThat(insert(resource("/b", (int) LIMIT / 8))).isFalse();
    assertThat(lookup("/a")).isNotNull();
    assertThat(lookup("/b")).isNull();
    assertThat(new ReplyCache(0).insert(resource("/c", 1), 1)).isFalse();
  }
}
