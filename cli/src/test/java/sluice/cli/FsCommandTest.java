package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import sluice.cli.console.Output;
import sluice.cli.fs.FsCat;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Await;

/// Tests `sluice fs`: files copied into an image come out unchanged, and errors are reported.
@Timeout(600)
final class FsCommandTest {
  @TempDir Path directory;
  private FsRig rig = new FsRig(Path.of("."));

  @BeforeEach
  void open() {
    rig = new FsRig(directory);
  }

  private int run(String... words) {
    return rig.run(words);
  }

  private String image() {
    return rig.image().toString();
  }

  @Test
  void aTreeGoesInAndOut() throws IOException {
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    rig.file("tree/a", content);
    rig.file("tree/sub/b", new byte[] {'h', 'i', '\n'});
    Files.createSymbolicLink(directory.resolve("tree/link"), Path.of("sub/b"));
    assertThat(run("mkfs", "--size", "8M", "--label", "mine", image())).isZero();
    assertThat(rig.out()).contains("ext2, 8388608 bytes");
    assertThat(run("cp", "-r", image(), directory.resolve("tree").toString(), ":/")).isZero();
    assertThat(run("ls", "-l", image(), "/tree")).isZero();
    assertThat(rig.out()).contains("300000").contains("link -> sub/b");
    assertThat(run("cp", "-r", image(), ":/tree", directory.resolve("back").toString())).isZero();
    assertThat(directory.resolve("back/a")).hasBinaryContent(content);
    assertThat(directory.resolve("back/link")).isSymbolicLink().hasContent("hi\n");
    assertThat(run("fsck", image())).isZero();
    assertThat(rig.out()).contains("clean, 3 files, 4 directories");
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    assertThat(run("mkfs", image())).isEqualTo(1);
    assertThat(rig.err()).contains("holds an ext2 file system").contains("--force");
    assertThat(run("mkfs", "--block", "512", "--force", image())).isEqualTo(2);
    assertThat(run("mkfs", "--block", "4k", "--inode-ratio", "1M", "--force", image())).isZero();
    assertThat(rig.out()).contains("blocks of 4096");
    assertThat(run("mkfs", "--inode-ratio", "some", "--force", image())).isEqualTo(2);
    assertThat(rig.err()).contains("--inode-ratio must be a number of bytes, such as 4k: some");
    assertThat(run("mkfs", "--version")).isZero();
    assertThat(rig.out()).startsWith("sluice ");
    assertThat(run("ls", image(), "/none")).isEqualTo(1);
    assertThat(rig.err()).contains("ENOENT").contains("/none");
    assertThat(run("cp", image(), "a", "b")).isEqualTo(2);
    assertThat(run("cpy", image(), "a", ":/b")).isEqualTo(2);
    assertThat(rig.err()).contains("sluice fs: there is no command 'cpy'", "Commands:");
    assertThat(run("fsck", "-y", image())).isEqualTo(2);
    assertThat(rig.err()).contains("e2fsck");
    Path noise = rig.file("noise", new byte[102_400]);
    assertThat(run("fsck", noise.toString())).isEqualTo(8);
    assertThat(rig.err()).contains("no ext2 file system");
    Path empty = rig.file("empty", new byte[0]);
    assertThat(run("ls", empty.toString())).isEqualTo(1);
    assertThat(rig.err())
        .contains(
            empty + ": EINVAL", "it has fewer than the 4096 bytes of the smallest one; Fix: ");
  }

  /// Checks that a wrong option is reported in two lines, without the whole usage text.
  @Test
  void wrongUseIsToldInTwoLines() {
    assertThat(run("ls", "--none", image())).isEqualTo(2);
    assertThat(rig.err().lines())
        .containsExactly(
            "sluice fs ls: unknown option: --none", "'sluice fs ls --help' shows the usage.");
    assertThat(run("lss", image())).isEqualTo(2);
    assertThat(rig.err()).startsWith("sluice fs: ").contains("'lss'").contains("mkfs");
    assertThat(run()).isEqualTo(2);
    assertThat(rig.err()).startsWith("sluice fs: Missing required subcommand").contains("mkfs");
  }

  @Test
  void fsckSeesDamage() throws IOException {
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    byte[] bytes = Files.readAllBytes(Path.of(image()));
    bytes[1024 + 12] ^= 1; // the superblock's count of free blocks
    Files.write(Path.of(image()), bytes);
    assertThat(run("fsck", image())).isEqualTo(4);
    assertThat(rig.out()).contains("the superblock counts").contains("e2fsck -f");
  }

  /// Checks that a refused mkfs does not change the file or its length.
  @Test
  void mkfsTouchesNothingBeforeItIsSure() throws IOException {
    assertThat(run("mkfs", "--size", "8M", image())).isZero();
    Path note = rig.file("note", "keep me".getBytes(StandardCharsets.UTF_8));
    assertThat(run("cp", image(), note.toString(), ":/note")).isZero();
    byte[] before = Files.readAllBytes(rig.image());
    assertThat(run("mkfs", "--size", "4M", image())).isEqualTo(1);
    assertThat(rig.err()).contains("holds an ext2 file system").contains("--force");
    assertThat(run("mkfs", "--size", "4M", "--force", "--block", "512", image())).isEqualTo(2);
    try (BlockDevice _ = BlockDevices.file(rig.image(), false)) {
      assertThat(run("mkfs", "--size", "4M", "--force", image())).isEqualTo(1);
      assertThat(rig.err()).contains("another process has this image open").contains("Fix: ");
    }
    assertThat(Files.readAllBytes(rig.image())).isEqualTo(before);
    assertThat(run("mkfs", "--size", "4M", note.toString())).isEqualTo(1);
    assertThat(rig.err()).contains("is not empty").contains("--force");
    assertThat(run("mkfs", note.toString())).isEqualTo(1);
    assertThat(note).hasContent("keep me");
    assertThat(run("mkfs", "--size", "4M", directory.toString())).isEqualTo(1);
    assertThat(rig.err()).contains("is a directory").contains("Fix: ");
    Path none = directory.resolve("none");
    assertThat(run("mkfs", none.toString())).isEqualTo(1);
    assertThat(rig.err()).contains("does not exist").contains("--size");
    assertThat(run("mkfs", "--size", "some", none.toString())).isEqualTo(2);
    assertThat(run("mkfs", "--size", "4M", "--block", "512", none.toString())).isEqualTo(2);
    assertThat(none).doesNotExist();
  }

  /// Checks that a failed mkfs leaves no file, and that the message names the file and the fix.
  @Test
  void mkfsLeavesNothingOfWhatCannotBeMade() {
    Path none = directory.resolve("none");
    assertThat(run("mkfs", "--size", "10K", none.toString())).isEqualTo(1);
    assertThat(rig.err()).contains("ENOSPC").contains("Fix: ");
    assertThat(none).doesNotExist();
    assertThat(run("mkfs", "--size", String.valueOf(Long.MAX_VALUE), none.toString())).isEqualTo(1);
    assertThat(rig.err()).contains(none.toString()).contains("Fix: ");
    assertThat(none).doesNotExist();
    Path below = directory.resolve("no such folder/image");
    assertThat(run("mkfs", "--size", "4M", below.toString())).isEqualTo(1);
    assertThat(rig.err()).contains("no such folder does not exist");
    assertThat(rig.err()).contains("Fix: mkdir -p '" + directory + "/no such folder'");
  }

  /// Interrupts mkfs, which must remove the unfinished file.
  @Test
  void anInterruptedMkfsLeavesNothing() throws Exception {
    Path large = directory.resolve("large");
    List<String> command = SluiceProcess.command("fs", "mkfs", "--size", "800G");
    command.addAll(List.of("--inode-ratio", "4k", large.toString()));
    Process making = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      BufferedReader said = making.inputReader(StandardCharsets.UTF_8);
      assertThat(said.readLine()).startsWith("… ").endsWith(" groups");
      Process kill = new ProcessBuilder("kill", "-INT", Long.toString(making.pid())).start();
      assertThat(Await.end(kill)).isZero();
      String rest = String.join("\n", said.lines().toList());
      assertThat(Await.end(making)).as(rest).isEqualTo(130);
      assertThat(rest).contains("ended by SIGINT; " + large + " is removed again");
    } finally {
      int _ = Await.end(making.destroyForcibly());
    }
    assertThat(large).doesNotExist();
  }

  private static CommandLine below(CommandLine commands, String name) {
    return Objects.requireNonNull(commands.getSubcommands().get(name));
  }

  private int cat(OutputStream to, String... paths) {
    CommandLine commands = Commands.commandLine();
    FsCat cat = below(below(commands, "fs"), "cat").getCommand();
    cat.out = new Output(to);
    String[] words = new String[paths.length + 2];
    words[0] = "cat";
    words[1] = image();
    System.arraycopy(paths, 0, words, 2, paths.length);
    return rig.run(commands, words);
  }

  @Test
  void catPrintsBytes() throws IOException {
    byte[] content = new byte[70_000];
    new Random(3).nextBytes(content);
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    assertThat(run("cp", image(), rig.file("a", content).toString(), ":/a")).isZero();
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    assertThat(cat(to, "/a", "a")).isZero();
    byte[] twice = new byte[2 * content.length];
    System.arraycopy(content, 0, twice, 0, content.length);
    System.arraycopy(content, 0, twice, content.length, content.length);
    assertThat(to.toByteArray()).isEqualTo(twice);
    assertThat(cat(to, "/none")).isEqualTo(1);
    assertThat(rig.err()).contains("ENOENT").contains("/none").contains("Fix: ");
    assertThat(cat(to, "/")).isEqualTo(1);
    assertThat(rig.err()).contains("EISDIR").contains("/ in the image");
  }

  private static OutputStream failing(String why) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(why);
      }
    };
  }

  @Test
  void outputThatIsLostIsNoSuccess() throws IOException {
    assertThat(run("mkfs", "--size", "4M", image())).isZero();
    assertThat(run("cp", image(), rig.file("a", new byte[5000]).toString(), ":/")).isZero();
    assertThat(cat(failing("No space left on device"), "/a")).isEqualTo(1);
    assertThat(rig.err()).contains("could not be written: No space left on device");
    assertThat(cat(failing("Broken pipe"), "/a")).isEqualTo(1);
    assertThat(rig.err()).isEmpty();
  }
}
