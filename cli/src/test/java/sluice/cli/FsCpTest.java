package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.HostSystemCalls;
import sluice.testbase.Await;

/// Tests the difficult cases of `sluice fs cp`: hostile images, files that cannot be copied, and
/// signals.
@Timeout(600)
final class FsCpTest {
  @TempDir Path directory;
  private FsRig rig = new FsRig(Path.of("."));

  @BeforeEach
  void make() {
    rig = new FsRig(directory);
    assertThat(rig.run("mkfs", "--size", "4M", image())).isZero();
  }

  private String image() {
    return rig.image().toString();
  }

  private String host(String name) {
    return directory.resolve(name).toString();
  }

  @Test
  void permissionsAndTimesComeBack() throws IOException {
    Path script = rig.file("tree/script", "#!/bin/sh\n".getBytes(StandardCharsets.US_ASCII));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.123456789Z"));
    Files.setLastModifiedTime(script, time);
    assertThat(rig.run("cp", "-r", image(), host("tree"), ":/")).isZero();
    assertThat(rig.run("cp", "-r", image(), ":/tree/", host("back"))).isZero();
    Path back = directory.resolve("back/script");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back)))
        .isEqualTo("rwx------");
    assertThat(Files.getLastModifiedTime(back)).isEqualTo(time);
    assertThat(rig.run("cp", "-r", image(), ":/tree/script", host("back"))).isZero();
    assertThat(rig.run("cp", image(), ":/tree", host("other"))).isEqualTo(2);
    assertThat(rig.err()).contains(":/tree is a directory: give -r");
  }

  /// Copies from an image with a directory entry that points outside of the target directory.
  @Test
  void namesOfAStrangersImageLeadNowhere() throws IOException {
    rig.file("tree/..X..Xescaped", new byte[] {'x'});
    assertThat(rig.run("cp", "-r", image(), host("tree"), ":/")).isZero();
    byte[] bytes = Files.readAllBytes(rig.image());
    byte[] name = "..X..Xescaped".getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at < bytes.length - name.length; at++) {
      if (java.util.Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
        bytes[at + 2] = '/';
        bytes[at + 5] = '/';
      }
    }
    Files.write(rig.image(), bytes);
    Files.createDirectories(directory.resolve("one/two"));
    assertThat(rig.run("cp", "-r", image(), ":/tree", host("one/two"))).isEqualTo(1);
    assertThat(rig.err()).contains("EUCLEAN").contains("slash").contains("Fix: ");
    assertThat(directory.resolve("one/escaped")).doesNotExist();
    assertThat(directory.resolve("escaped")).doesNotExist();
    assertThat(rig.run("ls", image(), "/tree")).isEqualTo(1);
    assertThat(rig.run("fsck", image())).isEqualTo(4);
    assertThat(rig.out()).contains("slash");
  }

  @Test
  void linksThatAreThereAreNotFollowed() throws IOException {
    rig.file("tree/sub/file", new byte[] {'x'});
    rig.file("tree/plain", new byte[] {'x'});
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path precious = rig.file("precious", "keep".getBytes(StandardCharsets.US_ASCII));
    assertThat(rig.run("cp", "-r", image(), host("tree"), ":/")).isZero();
    Files.createDirectories(directory.resolve("out/tree"));
    Files.createSymbolicLink(directory.resolve("out/tree/sub"), elsewhere);
    assertThat(rig.run("cp", "-r", image(), ":/tree", host("out"))).isEqualTo(1);
    assertThat(rig.err()).contains("symbolic link, not followed").contains("Fix: ");
    assertThat(elsewhere).isEmptyDirectory();
    Files.delete(directory.resolve("out/tree/sub"));
    Files.deleteIfExists(directory.resolve("out/tree/plain"));
    Files.createSymbolicLink(directory.resolve("out/tree/plain"), precious);
    assertThat(rig.run("cp", "-r", image(), ":/tree", host("out"))).isEqualTo(1);
    assertThat(precious).hasContent("keep");
  }

  @Test
  void whatCannotBeCopiedIsNamedAndTheRestIsCopied() throws Exception {
    rig.file("tree/file", new byte[] {'x'});
    Process made = new ProcessBuilder("mkfifo", host("tree/pipe")).inheritIO().start();
    assertThat(Await.end(made)).isZero();
    assertThat(rig.run("cp", "-r", image(), host("tree"), ":/")).isEqualTo(1);
    assertThat(rig.err()).contains("left out").contains("tree/pipe");
    assertThat(rig.run("cp", "-r", image(), ":/tree", host("back"))).isZero();
    assertThat(directory.resolve("back/file")).hasSize(1);
  }

  /// Checks that names and link targets may contain every byte except the slash and NUL.
  @Test
  void namesAreBytes() throws IOException {
    byte[] odd = new byte[255];
    for (int i = 0; i < odd.length; i++) {
      odd[i] = (byte) (i + 1 == '/' ? 'x' : i + 1);
    }
    byte[] one = {'n', (byte) 0xE4};
    byte[] two = {'n', (byte) 0xE5};
    try (MountedImage mounted = rig.mounted()) {
      Ext2 tree = mounted.tree();
      byte[] name = MountedImage.bytes("tree");
      long top = tree.create(Caller.ROOT, tree.rootInode(), name, NewFile.directory(0755));
      long below = tree.create(Caller.ROOT, top, odd, NewFile.directory(0755));
      tree.create(Caller.ROOT, below, one, NewFile.regular(0644));
      tree.link(Caller.ROOT, tree.create(Caller.ROOT, below, two, NewFile.symlink(one)), top, one);
    }
    assertThat(rig.run("cp", "-a", image(), ":/tree", host("out"))).isIn(0, 1); // owners
    Path out = HostSystemCalls.below(directory.resolve("out"), odd);
    assertThat(HostSystemCalls.readLink(HostSystemCalls.below(out, two))).isEqualTo(one);
    assertThat(rig.run("cp", "-a", image(), host("out"), ":/back")).isZero();
    try (MountedImage mounted = rig.mounted()) {
      Ext2 tree = mounted.tree();
      long back = mounted.resolve("/back");
      assertThat(MountedImage.entries(tree, back).keySet()).containsExactly(odd, one);
      long below = tree.lookup(Caller.ROOT, back, odd);
      var entries = MountedImage.entries(tree, below);
      assertThat(entries.keySet()).containsExactly(one, two);
      assertThat(tree.readLink(tree.lookup(Caller.ROOT, below, two))).isEqualTo(one);
      assertThat(entries).containsEntry(two, tree.lookup(Caller.ROOT, back, one)); // hard link
      tree.create(Caller.ROOT, back, MountedImage.bytes("link"), NewFile.symlink(odd));
      assertThat(mounted.resolve("/back/link")).isEqualTo(below);
    }
    assertThat(rig.run("ls", image(), "/back/link")).isZero();
    assertThat(rig.out().lines()).hasSize(2).allMatch(line -> line.startsWith("n"));
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    Path file = rig.file("file", new byte[8 << 20]);
    assertThat(rig.run("cp", image(), host("none"), ":/")).isEqualTo(1);
    assertThat(rig.err()).contains("none does not exist");
    assertThat(rig.run("cp", image(), file.toString(), ":/file")).isEqualTo(1);
    assertThat(rig.err()).contains("ENOSPC").contains("Fix: ");
    assertThat(rig.err()).contains("the copy of " + file + " is not complete");
    assertThat(rig.run("fsck", image())).isZero();
    assertThat(rig.run("cp", image(), host("none"), ":/no/where")).isEqualTo(1);
    assertThat(rig.err()).contains("ENOENT").contains("no in the image").contains("Fix: ");
    assertThat(rig.run("cp", image(), ":/file", host("no/where"))).isEqualTo(1);
    assertThat(rig.err()).contains("the directory ").contains("no does not exist. Fix: mkdir -p ");
    assertThat(rig.run("cp", host("absent.img"), ":/file", host("x"))).isEqualTo(1);
    assertThat(rig.err()).contains("ENOENT").contains("absent.img").contains("Fix: ");
  }

  /// Copies a directory that contains the image itself, which would never end.
  @Test
  void theImageIsNotCopiedIntoItself() throws IOException {
    rig.file("note", new byte[] {'x'});
    assertThat(rig.run("cp", "-r", image(), directory.toString(), ":/all")).isEqualTo(1);
    assertThat(rig.err()).contains("left out").contains("disk.img: it is the image itself");
    assertThat(rig.run("ls", image(), ":/all")).isZero();
    assertThat(rig.out()).isEqualTo("note\n");
  }

  /// Interrupts a long copy. The image must be consistent and need no replay.
  @Test
  void aSignalEndsItBetweenTwoPieces() throws Exception {
    String large = host("large.img");
    assertThat(rig.run("mkfs", "--size", "48G", "--inode-ratio", "16M", large)).isZero();
    Path source = Files.createDirectory(directory.resolve("source"));
    Path content = Files.write(source.resolve("0"), new byte[32 << 20]);
    // 40 GB, which takes far longer to copy than the signal takes to arrive.
    for (int i = 1; i < 1280; i++) {
      Files.createLink(source.resolve(Integer.toString(i)), content);
    }
    List<String> command =
        SluiceProcess.command("fs", "cp", "-r", large, source.toString(), ":/copy");
    Process copying = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      BufferedReader said = copying.inputReader(StandardCharsets.UTF_8);
      assertThat(said.readLine()).startsWith("… ").endsWith(" bytes");
      Process kill = new ProcessBuilder("kill", "-INT", Long.toString(copying.pid())).start();
      assertThat(Await.end(kill)).isZero();
      String rest = String.join("\n", said.lines().toList());
      assertThat(copying.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(rest).contains("ended by SIGINT").contains("what was copied before stays");
      assertThat(copying.exitValue()).isEqualTo(130);
    } finally {
      int _ = Await.end(copying.destroyForcibly());
    }
    assertThat(rig.run("fsck", large)).isZero();
    assertThat(rig.out()).contains("clean, ");
  }
}
