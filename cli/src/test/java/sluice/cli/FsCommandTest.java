package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `sluice fs`: what goes into an image comes out of it, and what is wrong is said.
@Timeout(60)
final class FsCommandTest {
  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] args = new String[words.length + 1];
    args[0] = "fs";
    System.arraycopy(words, 0, args, 1, words.length);
    CommandLine commands = Commands.commandLine();
    return commands
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private String image() {
    return directory.resolve("disk.img").toString();
  }

  private Path file(String name, byte[] content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  @Test
  void aTreeGoesInAndOut() throws IOException {
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    file("tree/a", content);
    file("tree/sub/b", new byte[] {'h', 'i', '\n'});
    Files.createSymbolicLink(directory.resolve("tree/link"), Path.of("sub/b"));
    assertThat(run("mkfs", "--size", "8M", "--label", "mine", image())).isZero();
    assertThat(out.toString()).contains("ext2, 8388608 bytes");
    assertThat(run("cp", "-r", image(), directory.resolve("tree").toString(), ":/")).isZero();
    assertThat(run("ls", "-l", image(), "/tree")).isZero();
    assertThat(out.toString()).contains("300000").contains("link -> sub/b");
    assertThat(run("cp", "-r", image(), ":/tree", directory.resolve("back").toString())).isZero();
    assertThat(directory.resolve("back/a")).hasBinaryContent(content);
    assertThat(directory.resolve("back/link")).isSymbolicLink().hasContent("hi\n");
    assertThat(run("fsck", image())).isZero();
    assertThat(out.toString()).contains("clean, 3 files, 4 directories");
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    assertThat(run("mkfs", image())).isEqualTo(1);
    assertThat(err.toString()).contains("holds an ext2 file system").contains("--force");
    assertThat(run("mkfs", "--block", "512", "--force", image())).isEqualTo(2);
    assertThat(run("ls", image(), "/none")).isEqualTo(1);
    assertThat(err.toString()).contains("ENOENT").contains("/none");
    assertThat(run("cp", image(), "a", "b")).isEqualTo(2);
    assertThat(run("fsck", "-y", image())).isEqualTo(2);
    assertThat(err.toString()).contains("e2fsck");
    Path noise = file("noise", new byte[102_400]);
    assertThat(run("fsck", noise.toString())).isEqualTo(8);
    assertThat(err.toString()).contains("no ext2 file system");
  }

  @Test
  void fsckSeesDamage() throws IOException {
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    byte[] bytes = Files.readAllBytes(Path.of(image()));
    bytes[1024 + 12] ^= 1; // the superblock's count of free blocks
    Files.write(Path.of(image()), bytes);
    assertThat(run("fsck", image())).isEqualTo(4);
    assertThat(out.toString()).contains("the superblock counts").contains("e2fsck -f");
  }
}
