package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The files of `bench mix`, against what SPECweb99 is known for.
final class ClassMixTest {
  private static List<ClassMix.Sized> all() throws IOException {
    List<ClassMix.Sized> all = new ArrayList<>();
    ClassMix.forEach(all::add);
    return all;
  }

  @Test
  void classesHaveTheirShares() throws IOException {
    Map<String, Double> shares = new HashMap<>();
    for (ClassMix.Sized file : all()) {
      shares.merge(Path.of(file.path()).getName(0).toString(), file.share(), Double::sum);
    }
    assertThat(shares.get("class0")).isCloseTo(0.35, within(1e-9));
    assertThat(shares.get("class1")).isCloseTo(0.50, within(1e-9));
    assertThat(shares.get("class2")).isCloseTo(0.14, within(1e-9));
    assertThat(shares.get("class3")).isCloseTo(0.01, within(1e-9));
    assertThat(all().stream().map(ClassMix.Sized::path).distinct().count())
        .isEqualTo((long) ClassMix.DIRECTORIES * ClassMix.CLASSES * ClassMix.FILES);
  }

  @Test
  void aReplyHasFourteenKilobytesOnAverage() throws IOException {
    double bytes = all().stream().mapToDouble(f -> f.bytes() * f.share()).sum();
    assertThat(bytes).isBetween(14_000.0, 16_000.0);
  }

  @Test
  void sizesAreTenthsOfAKilobyteTimesPowersOfTen() {
    assertThat(ClassMix.bytes(0, 1)).isEqualTo(102);
    assertThat(ClassMix.bytes(0, 9)).isEqualTo(921);
    assertThat(ClassMix.bytes(1, 9)).isEqualTo(9 * 1024);
    assertThat(ClassMix.bytes(3, 9)).isEqualTo(900 * 1024);
  }

  @Test
  void theMiddleOfAClassIsMostPopularAndSoIsTheFirstDirectory() throws IOException {
    ClassMix.Sized most =
        all().stream().max((a, b) -> Double.compare(a.share(), b.share())).orElseThrow();
    assertThat(most.path()).isEqualTo("class1/dir00000/5");
    Map<String, Double> of = new HashMap<>();
    all().forEach(file -> of.put(file.path(), file.share()));
    assertThat(of.get("class1/dir00001/5")).isCloseTo(most.share() / 2, within(1e-9));
    assertThat(of.get("class1/dir00000/1")).isCloseTo(most.share() / 9, within(1e-9));
  }
}
