package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class JarCopiesTest {
  @TempDir Path directory;

  /// Makes copies and waits to be killed.
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      JarCopies copies = JarCopies.create(Path.of(arguments[0]), "copies");
      copies.copy(Path.of(arguments[1]));
      System.out.println(copies.directory());
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void removesWhatAKilledProcessLeftAndNotWhatALivingOneHas() throws Exception {
    Path jar = Files.writeString(directory.resolve("some.jar"), "x");
    Path parent = Files.createDirectory(directory.resolve("parent"));
    String classes = Path.of("target/classes") + ":" + Guests.testClasses();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes,
                Holder.class.getName(),
                parent.toString(),
                jar.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      Path theirs = Path.of(out.readLine());
      assertThat(theirs.resolve("0-some.jar")).exists();
      try (JarCopies ours = JarCopies.create(parent, "copies")) {
        assertThat(theirs).exists();
        process.destroyForcibly().waitFor();
        try (JarCopies more = JarCopies.create(parent, "copies")) {
          assertThat(theirs).doesNotExist();
          assertThat(ours.directory()).exists();
          assertThat(more.copy(jar)).hasContent("x");
        }
      }
      assertThat(parent).isEmptyDirectory();
    } finally {
      process.destroyForcibly();
    }
  }
}
