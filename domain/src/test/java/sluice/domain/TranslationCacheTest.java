package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TranslationCacheTest {
  @TempDir Path temporary;

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  private void runOnce(Path cache) throws Exception {
    DomainConfig base = Guests.config();
    Path jar = temporary.resolve("guests.jar");
    if (!Files.exists(jar)) {
      Guests.jar(temporary);
    }
    DomainConfig config =
        DomainConfig.of(base.name(), jar).withStreams(base.streams()).withCache(cache);
    Domain domain = Domain.create(config);
    try (domain) {
      assertThat((List<?>) ((Callable<?>) Guests.create(domain, "Polite")).call())
          .anyMatch("count 1"::equals);
    }
    assertThat(domain.awaitEnd(Duration.ofSeconds(20))).as("its jar is closed").isTrue();
  }

  @Test
  void damagedFilesAreMadeAgain() throws Exception {
    Path cache = temporary.resolve("cache");
    runOnce(cache);
    List<Path> kept = files(cache);
    assertThat(kept).hasSize(1);
    byte[] good = Files.readAllBytes(kept.getFirst());
    byte[] damaged = good.clone();
    damaged[good.length - 10] ^= 1;
    for (byte[] bad : List.of(damaged, new byte[0], new byte[40])) {
      Files.write(kept.getFirst(), bad);
      runOnce(cache);
      assertThat(files(cache)).isEqualTo(kept);
      assertThat(Files.readAllBytes(kept.getFirst())).isEqualTo(good);
    }
  }

  @Test
  void keptTranslationIsTheOneUsed() throws Exception {
    Path cache = temporary.resolve("cache");
    byte[] made = {1, 2, 3, 4};
    TranslationCache first = new TranslationCache(cache, new byte[] {1});
    assertThat(first.find("a/B")).isNull();
    first.keep("a/B", made);
    first.keep("a/C", new byte[] {5});
    first.keep("a/B", new byte[] {6}); // it is there
    TranslationCache again = new TranslationCache(cache, new byte[] {1});
    assertThat(again.find("a/B")).isEqualTo(made);
    assertThat(again.find("a/C")).isEqualTo(new byte[] {5});
    TranslationCache other = new TranslationCache(cache, new byte[] {2});
    assertThat(other.find("a/B")).isNull();
    other.keep("a/B", new byte[] {7});
    assertThat(files(cache)).as("another component has another file").hasSize(2);
    TranslationCache.trim(cache, 40);
    assertThat(files(cache)).hasSize(1);
  }

  /// Checks that a record of which a killed process has written only a part is overwritten.
  @Test
  void aRecordWrittenInPartIsOverwritten() throws Exception {
    Path cache = temporary.resolve("cache");
    TranslationCache first = new TranslationCache(cache, new byte[] {1});
    first.keep("a/B", new byte[] {1, 2, 3, 4});
    Path file = files(cache).getFirst();
    byte[] one = Files.readAllBytes(file);
    first.keep("a/C", new byte[] {5, 6, 7});
    byte[] two = Files.readAllBytes(file);
    for (int length = one.length; length < two.length; length++) {
      Files.write(file, java.util.Arrays.copyOf(two, length));
      TranslationCache then = new TranslationCache(cache, new byte[] {1});
      assertThat(then.find("a/B")).isEqualTo(new byte[] {1, 2, 3, 4});
      assertThat(then.find("a/C")).isNull();
      then.keep("a/C", new byte[] {5, 6, 7});
      assertThat(Files.readAllBytes(file)).as("cut to %d", length).isEqualTo(two);
    }
  }

  /// Checks that a domain opens no jar if all of its classes are cached.
  @Test
  void aDomainOfKeptClassesOpensNoJar() throws Exception {
    Path cache = temporary.resolve("cache");
    runOnce(cache);
    Path jar = temporary.resolve("guests.jar");
    Domain domain = Domain.create(DomainConfig.of("kept", jar).withCache(cache));
    try (domain) {
      assertThat(OpenFiles.now()).doesNotContain(jar.toRealPath());
      domain.loader().loadClass("sluice.domain.guest.Polite");
      assertThat(OpenFiles.now()).doesNotContain(jar.toRealPath());
      assertThat(domain.loader().getResource("sluice/domain/guest/Pair.class")).isNotNull();
      assertThat(OpenFiles.now()).contains(jar.toRealPath());
    }
  }

  /// Checks that a rewritten jar is treated as a new one.
  @Test
  void aJarWrittenAgainHasNewClasses() throws Exception {
    Path cache = temporary.resolve("cache");
    runOnce(cache);
    Path jar = temporary.resolve("guests.jar");
    Files.write(jar, new byte[] {1, 2, 3});
    assertThatThrownBy(() -> Domain.create(DomainConfig.of("bad", jar).withCache(cache)))
        .isInstanceOf(java.util.zip.ZipException.class)
        .hasMessageStartingWith(jar + " is no jar: ");
  }

  @Test
  void directoryThatOthersMayEnterIsNotUsed() throws Exception {
    Path open = Files.createDirectory(temporary.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(new TranslationCache(open, new byte[0]).isUsed()).isFalse();
    runOnce(open);
    assertThat(files(open)).isEmpty();
    Path link = Files.createSymbolicLink(temporary.resolve("link"), open);
    assertThat(new TranslationCache(link, new byte[0]).isUsed()).isFalse();
    Path own = temporary.resolve("own");
    assertThat(new TranslationCache(own, new byte[0]).isUsed()).isTrue();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
        .isEqualTo("rwx------");
  }
}
