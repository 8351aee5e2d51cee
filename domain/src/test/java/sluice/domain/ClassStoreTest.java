package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests of the class file store, with a short file, which is copied, and a long one, which is
/// mapped.
@Timeout(60)
final class ClassStoreTest {
  @TempDir Path directory = Path.of(".");

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 256 << 10, 1 << 20})
  void whatIsAddedIsFound(int bytes) throws Exception {
    Path file = directory.resolve("store");
    byte[] one = new byte[bytes];
    byte[] other = new byte[bytes + 1];
    new Random(7).nextBytes(one);
    new Random(8).nextBytes(other);
    assertThat(ClassStore.of(file).find(file, "p/One")).isNull();
    ClassStore.add(file, "p/One", one);
    ClassStore before = ClassStore.of(file);
    ClassStore.add(file, "p/Other", other);
    ClassStore.add(file, "p/One", other); // it has it
    assertThat(before.find(file, "p/Other")).as("as the file was").isNull();
    ClassStore now = ClassStore.of(file);
    assertThat(ClassStore.of(file)).isSameAs(now);
    assertThat(now.find(file, "p/One")).isEqualTo(one);
    assertThat(now.find(file, "p/Other")).isEqualTo(other);
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, 1 << 20})
  void aDamagedClassHasTheFileDeleted(int bytes) throws Exception {
    Path file = directory.resolve("store");
    ClassStore.add(file, "p/One", new byte[bytes]);
    byte[] all = Files.readAllBytes(file);
    all[all.length - 1] ^= 1;
    Files.write(file, all);
    assertThat(ClassStore.of(file).find(file, "p/One")).isNull();
    assertThat(file).doesNotExist();
  }
}
