package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2;
import sluice.host.disk.MountedImage;

/// Tests that `sluice fs` can read the image of a crashed server without changing it.
@Timeout(600)
final class FsUnreplayedTest {
  @TempDir Path directory;
  private FsRig rig = new FsRig(Path.of("."));
  private Path crashed = Path.of("");

  /// Creates an image with a file and a directory that are only in the journal. After five seconds,
  /// entries are written to their home blocks, so a slower attempt is repeated.
  @BeforeEach
  void crash() throws IOException {
    rig = new FsRig(directory);
    crashed = directory.resolve("crashed.img");
    int attempts = 0;
    do {
      attempts++;
      assertThat(attempts).as("attempts, each of which was too slow").isLessThan(10);
    } while (nanosOfACrash() > TimeUnit.SECONDS.toNanos(4));
  }

  private long nanosOfACrash() throws IOException {
    assertThat(rig.run("mkfs", "--force", "--size", "8M", rig.image().toString())).isZero();
    Path note = rig.file("note", "precious\n".getBytes(StandardCharsets.UTF_8));
    assertThat(rig.run("cp", rig.image().toString(), note.toString(), ":/note")).isZero();
    try (MountedImage mounted = rig.mounted()) {
      long begin = System.nanoTime();
      Ext2 tree = mounted.tree();
      long root = tree.rootInode();
      byte[] name = MountedImage.bytes("made");
      long made = tree.create(Caller.ROOT, root, name, NewFile.directory(0755));
      byte[] note1 = MountedImage.bytes("note");
      tree.rename(Caller.ROOT, root, note1, made, MountedImage.bytes("moved"), 0);
      tree.sync();
      Files.copy(rig.image(), crashed, StandardCopyOption.REPLACE_EXISTING);
      return System.nanoTime() - begin;
    }
  }

  private void saysThatItReadTheLog() {
    assertThat(rig.err()).contains("a log that a crash left").contains("the image is not changed");
    assertThat(rig.err().lines()).hasSize(1);
  }

  @Test
  void filesComeOutAndTheImageStaysAsItIs() throws IOException {
    byte[] before = Files.readAllBytes(crashed);
    String image = crashed.toString();
    assertThat(rig.run("ls", image, "/made")).isZero();
    assertThat(rig.out()).isEqualTo("moved\n");
    saysThatItReadTheLog();
    Path back = directory.resolve("back");
    assertThat(rig.run("cp", "-r", image, ":/", back.toString())).isZero();
    saysThatItReadTheLog();
    assertThat(back.resolve("made/moved")).hasContent("precious\n");
    assertThat(back.resolve("note")).doesNotExist();
    assertThat(rig.run("fsck", image)).isZero();
    assertThat(rig.out()).contains("clean after replay");
    assertThat(Files.readAllBytes(crashed)).isEqualTo(before);
  }

  @Test
  void aMountThatWritesReplaysIt() throws IOException {
    Path more = rig.file("more", new byte[] {'x'});
    assertThat(rig.run("cp", crashed.toString(), more.toString(), ":/made/more")).isZero();
    assertThat(rig.err()).isEmpty();
    assertThat(rig.run("ls", crashed.toString(), "/made")).isZero();
    assertThat(rig.out()).isEqualTo("more\nmoved\n");
    assertThat(rig.err()).isEmpty();
    assertThat(rig.run("fsck", crashed.toString())).isZero();
  }
}
