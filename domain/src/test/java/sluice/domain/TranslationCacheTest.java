package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.translate.Translator;

final class TranslationCacheTest {
  private static final Translator TRANSLATOR = new Translator();

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
    try (Domain domain = Domain.create(config)) {
      assertThat((List<?>) ((Callable<?>) Guests.create(domain, "Polite")).call())
          .anyMatch("count 1"::equals);
    }
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
    byte[] bytes =
        Files.readAllBytes(Guests.testClasses().resolve("sluice/domain/guest/Polite.class"));
    TranslationCache first = new TranslationCache(cache, new byte[] {1});
    byte[] made = first.get(bytes, _ -> null, TRANSLATOR);
    assertThat(first.get(bytes, _ -> failure(), TRANSLATOR)).isEqualTo(made);
    new TranslationCache(cache, new byte[] {2}).get(bytes, _ -> null, TRANSLATOR);
    assertThat(files(cache)).as("another component has another file").hasSize(2);
    TranslationCache.trim(cache, made.length + 40);
    assertThat(files(cache)).hasSize(1);
  }

  private static byte[] failure() {
    throw new AssertionError("translated again");
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
