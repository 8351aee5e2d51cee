package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.FileAttributes;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.HostSystemCalls;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// Tests that `sluice fs cp -a` keeps the attributes of files and `sluice fs cp` keeps their holes.
/// A directory tree of the host is copied into an image and back, and find(1) must list it as
/// before.
@Timeout(600)
final class FsCpArchiveTest {
  private static final int HOLE = 8 << 20;
  private static final int DATA = 64 << 10;

  @TempDir Path directory;
  private FsRig rig = new FsRig(Path.of("."));

  @BeforeEach
  void make() {
    rig = new FsRig(directory);
    assertThat(rig.run("mkfs", "--size", "32M", image())).isZero();
  }

  private String image() {
    return rig.image().toString();
  }

  private String host(String name) {
    return directory.resolve(name).toString();
  }

  private String sh(String script) throws Exception {
    Path output = Files.createTempFile(directory, "out", "");
    Process process =
        new ProcessBuilder("sh", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exitCode = Await.end(process);
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertThat(exitCode).as(text).isZero();
    return text;
  }

  /// Returns the attributes of a tree as find(1) and the kernel report them.
  private List<String> manifest(String tree) throws Exception {
    String format = "%P %y %m %U %G %T@ %n %l";
    String files = "find " + tree + " -printf '" + format + "' \\( -type f -printf ' %s' \\)";
    List<String> lines = new ArrayList<>();
    lines.addAll(sh(files + " -printf '\\n' -o -printf '\\n'").lines().sorted().toList());
    String devices = "find . \\( -type c -o -type b \\) -exec stat -c '%n %t:%T' {} +";
    lines.addAll(sh("cd " + tree + "; " + devices).lines().sorted().toList());
    String names = sh("cd " + tree + "; find . -type f -o -type d");
    for (String name : names.lines().sorted().toList()) {
      lines.addAll(attributes(directory.resolve(tree).resolve(name), name));
    }
    return lines;
  }

  private static List<String> attributes(Path file, String name) throws IOException {
    int fd = HostSystemCalls.open(file, sluice.sys.Files.O_PATH, 0);
    try {
      List<String> lines = new ArrayList<>();
      String all = new String(HostSystemCalls.attributes(fd, file), StandardCharsets.ISO_8859_1);
      for (String attribute : all.split("\0", -1)) {
        if (!attribute.isEmpty() && !attribute.startsWith("security.")) {
          byte[] key = attribute.getBytes(StandardCharsets.ISO_8859_1);
          byte[] value = HostSystemCalls.attribute(fd, key, file);
          lines.add(name + " " + attribute + "=" + HexFormat.of().formatHex(value));
        }
      }
      lines.sort(null);
      return lines;
    } finally {
      sluice.sys.Files.close(fd);
    }
  }

  private static boolean root() {
    return System.getProperty("user.name", "").equals("root");
  }

  private boolean setAttribute(Path file, String name, byte[] value) {
    byte[] path = HostSystemCalls.bytes(file.toString());
    int set = AttributeCalls.setxattr(path, HostSystemCalls.bytes(name), value, 0);
    assertThat(set).isIn(0, -Errno.EOPNOTSUPP, -Errno.EPERM);
    return set == 0;
  }

  private void tree() throws Exception {
    Files.createDirectories(directory.resolve("tree/dir/sub"));
    byte[] content = new byte[300_001];
    new Random(5).nextBytes(content);
    rig.file("tree/big", content);
    rig.file("tree/dir/plain", "text\n".getBytes(StandardCharsets.US_ASCII));
    rig.file("tree/empty", new byte[0]);
    sh(
        "cd tree; ln dir/plain hard; ln -s dir/plain soft; ln -s nowhere dangling; mkfifo pipe;"
            + " chmod 620 pipe; chmod 4750 hard; chmod 1777 dir; touch -h -d '2003-04-05"
            + " 06:07:08.123456789' dangling; touch -d '1999-01-01 00:00:00.5' big");
    if (root()) {
      sh(
          "cd tree; chown 1000:2000 big; chown -h 77:88 dangling; chown 9:10 dir; chown 3:4 hard;"
              + " chmod 4750 hard; mknod null c 1 3 && chown 5:6 null || :");
    }
    setAttribute(directory.resolve("tree/dir"), "user.long", new byte[300]);
    setAttribute(directory.resolve("tree/big"), "user.colour", new byte[] {0, 1, (byte) 255});
    sh("cd tree; chmod 500 dir/sub; touch -d '2001-02-03 04:05:06.7' dir/sub dir .");
  }

  @Test
  void allIsKept() throws Exception {
    tree();
    List<String> before = manifest("tree");
    assertThat(before).hasSizeGreaterThan(10);
    assertThat(rig.run("cp", "-a", image(), host("tree"), ":/")).as(rig.err()).isZero();
    assertThat(rig.run("fsck", image())).isZero();
    assertThat(rig.run("cp", "-a", image(), ":/tree", host("back"))).as(rig.err()).isZero();
    assertThat(manifest("back")).isEqualTo(before);
    sh("cmp tree/big back/big; cmp tree/dir/plain back/dir/plain; chmod 700 */dir/sub");
  }

  /// Copies without `-a` and checks that only the documented attributes are kept.
  @Test
  void whatIsNotAskedForIsNotKept() throws Exception {
    tree();
    assertThat(rig.run("cp", "-r", image(), host("tree"), ":/")).isEqualTo(1);
    assertThat(rig.err()).contains("left out").contains("tree/pipe").contains("give -a");
    assertThat(rig.run("ls", "-l", image(), "/tree")).isZero();
    assertThat(rig.out()).doesNotContain(" 2000 ").contains("hard");
    try (MountedImage mounted = rig.mounted()) {
      long hard = mounted.resolve("/tree/hard");
      assertThat(hard).isNotEqualTo(mounted.resolve("/tree/dir/plain"));
      assertThat(mounted.tree().attributes(hard).uid()).isZero();
    }
    sh("chmod 700 tree/dir/sub");
  }

  private static void sparse(Path file) throws IOException {
    byte[] data = new byte[DATA];
    Arrays.fill(data, (byte) 7);
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.seek(HOLE);
      out.write(data);
      out.seek(2 * HOLE);
      out.write(new byte[DATA]); // zeros that are allocated
      out.setLength(3 * HOLE);
    }
  }

  private static long allocated(Path file) throws IOException {
    return HostSystemCalls.status(file).blocks() * 512;
  }

  @Test
  void holesStayHoles() throws Exception {
    Path source = directory.resolve("sparse");
    sparse(source);
    sh("truncate -s 5M hole");
    assumeTrue(allocated(source) < HOLE, "the file system of the test keeps no holes");
    assertThat(rig.run("cp", image(), source.toString(), ":/")).isZero();
    assertThat(rig.run("cp", image(), host("hole"), ":/")).isZero();
    try (MountedImage mounted = rig.mounted()) {
      long inode = mounted.resolve("/sparse");
      FileAttributes a = mounted.tree().attributes(inode);
      assertThat(a.sizeBytes()).isEqualTo(3 * HOLE);
      assertThat(a.allocatedBytes()).isBetween(2L * DATA, 4L * DATA);
      assertThat(mounted.tree().seek(inode, 0, false)).isEqualTo(HOLE);
      assertThat(mounted.tree().seek(inode, HOLE, true)).isEqualTo(HOLE + DATA);
      assertThat(mounted.tree().seek(inode, HOLE + DATA, false)).isEqualTo(2 * HOLE);
      assertThat(mounted.tree().attributes(mounted.resolve("/hole")).allocatedBytes()).isZero();
    }
    assertThat(rig.run("cp", image(), ":/sparse", host("back"))).isZero();
    assertThat(rig.run("cp", image(), ":/hole", host("hole back"))).isZero();
    assertThat(directory.resolve("back")).hasSameBinaryContentAs(source);
    assertThat(allocated(directory.resolve("back"))).isLessThan(HOLE);
    assertThat(allocated(directory.resolve("hole back"))).isLessThan(HOLE / 8);
    assertThat(directory.resolve("hole back")).hasSize(5 << 20);
    assertThat(rig.run("fsck", image())).isZero();
  }

  /// Copies a file that reports no length, as the files in `/proc` do.
  @Test
  void aFileWithoutLengthIsCopied() throws IOException {
    byte[] version = Files.readAllBytes(Path.of("/proc/version"));
    assertThat(rig.run("cp", image(), "/proc/version", ":/")).isZero();
    assertThat(rig.run("cp", image(), ":/version", host("version"))).isZero();
    assertThat(directory.resolve("version")).hasBinaryContent(version);
  }

  /// Copies the module path to a place that any user can read, and returns the new path.
  private String readableForAll() throws Exception {
    List<String> copies = new ArrayList<>();
    for (String path : System.getProperty("jdk.module.path", "").split(":", -1)) {
      Path copy = directory.resolve("lib/" + copies.size());
      Path name = copy.resolve(String.valueOf(Path.of(path).getFileName()));
      sh("mkdir -p " + copy + "; cp -r " + path + " " + copy + "; chmod -R a+rX " + copy);
      copies.add(name.toString());
    }
    sh("chmod a+rx lib");
    return String.join(":", copies);
  }

  /// Copies as a user other than root. The command copies the files and reports the missing
  /// attributes.
  @Test
  void whatOnlyRootMayIsNamed() throws Exception {
    assumeTrue(root(), "needs root, to make what others may not keep");
    tree();
    assertThat(rig.run("cp", "-a", image(), host("tree"), ":/")).isZero();
    Path out = Files.createDirectory(directory.resolve("out"));
    Files.setPosixFilePermissions(out, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    sh("chmod 644 disk.img; chmod 700 tree/dir/sub");
    List<String> nobody =
        new ArrayList<>(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"));
    nobody.addAll(
        SluiceProcess.command("fs", "cp", "-a", image(), ":/tree", out.resolve("tree") + ""));
    nobody.set(nobody.indexOf("--module-path") + 1, readableForAll());
    Path said = directory.resolve("said");
    Process process =
        new ProcessBuilder(nobody).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    int exitCode = Await.end(process);
    String text = Files.readString(said);
    assertThat(exitCode).as(text).isEqualTo(1);
    assertThat(text).containsPattern("owner and group of \\d+ files").contains("Fix: run as root");
    assertThat(out.resolve("tree/big")).hasSameBinaryContentAs(directory.resolve("tree/big"));
    assertThat(HostSystemCalls.status(out.resolve("tree/hard")).mode() & 07777).isEqualTo(0750);
    assertThat(HostSystemCalls.status(out.resolve("tree/hard")).links()).isEqualTo(2);
  }
}
