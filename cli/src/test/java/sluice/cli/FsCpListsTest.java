package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.host.disk.MountedImage;
import sluice.host.disk.copy.HostSystemCalls;
import sluice.sys.AttributeCalls;
import sluice.testbase.Await;
import sluice.testkit.machine.Privileges;

/// Tests that `sluice fs cp -a` keeps access control lists in both directions, and warns once if
/// they cannot be kept.
@Timeout(240)
final class FsCpListsTest {
  private static final String ACCESS = "system.posix_acl_access";
  private static final String DEFAULT = "system.posix_acl_default";

  @TempDir Path directory;
  private FsRig rig = new FsRig(Path.of("."));

  @BeforeEach
  void make() {
    rig = new FsRig(directory);
    assertThat(rig.run("mkfs", "--size", "8M", image())).isZero();
  }

  private String image() {
    return rig.image().toString();
  }

  private String host(String name) {
    return directory.resolve(name).toString();
  }

  /// Returns the list that `setfacl -m u:1234:r,g:77:x` makes for a file of mode 0640.
  private static byte[] list(int user) {
    int[] entries = {1, 6, -1, 2, 4, user, 4, 4, -1, 8, 1, 77, 0x10, 5, -1, 0x20, 0, -1};
    ByteBuffer b =
        ByteBuffer.allocate(4 + entries.length / 3 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2);
    for (int i = 0; i < entries.length; i += 3) {
      b.putShort((short) entries[i]).putShort((short) entries[i + 1]).putInt(entries[i + 2]);
    }
    return b.array();
  }

  private boolean set(String file, String name, byte[] list) {
    byte[] path = HostSystemCalls.bytes(host(file));
    return AttributeCalls.setxattr(path, HostSystemCalls.bytes(name), list, 0) == 0;
  }

  private List<String> lists(String tree) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String file : List.of("", "/file", "/sub", "/sub/plain", "/pipe", "/link")) {
      int fd =
          HostSystemCalls.open(
              Path.of(host(tree + file)), sluice.sys.Files.O_PATH | sluice.sys.Files.O_NOFOLLOW, 0);
      try {
        String mode =
            Integer.toOctalString(HostSystemCalls.status(Path.of(host(tree + file))).mode());
        for (String name : List.of(ACCESS, DEFAULT)) {
          byte[] value = new byte[1000];
          int length =
              AttributeCalls.getxattr(HostSystemCalls.path(fd), HostSystemCalls.bytes(name), value);
          String text = length < 0 ? "none" : HexFormat.of().formatHex(value, 0, length);
          lines.add(file + " " + mode + " " + name + " " + text);
        }
      } finally {
        sluice.sys.Files.close(fd);
      }
    }
    return lines;
  }

  private void tree() throws Exception {
    Files.createDirectories(directory.resolve("tree/sub"));
    rig.file("tree/file", "content".getBytes(StandardCharsets.US_ASCII));
    rig.file("tree/sub/plain", new byte[0]);
    Files.createSymbolicLink(directory.resolve("tree/link"), Path.of("file"));
    Process pipe = new ProcessBuilder("mkfifo", host("tree/pipe")).start();
    assertThat(Await.end(pipe)).isZero();
    assumeTrue(set("tree/file", ACCESS, list(1234)), "the file system here keeps no lists");
    assertThat(set("tree/pipe", ACCESS, list(5))).isTrue();
    assertThat(set("tree/sub", ACCESS, list(6))).isTrue();
    assertThat(set("tree/sub", DEFAULT, list(7))).isTrue();
  }

  @Test
  void theyAreKeptBothWays() throws Exception {
    Privileges.requireRoot("it keeps owners");
    tree();
    List<String> before = lists("tree");
    assertThat(before.stream().filter(line -> !line.endsWith("none"))).hasSize(4);
    assertThat(rig.run("cp", "-a", image(), host("tree"), ":/")).as(rig.err()).isZero();
    assertThat(rig.err()).isEmpty();
    assertThat(rig.run("fsck", image())).as(rig.out()).isZero();
    try (MountedImage mounted = rig.mounted()) {
      long file = mounted.resolve("/tree/file");
      assertThat(mounted.tree().accessControlList(file, false)).isEqualTo(list(1234));
    }
    assertThat(rig.run("cp", "-a", image(), ":/tree", host("back"))).as(rig.err()).isZero();
    assertThat(rig.err()).isEmpty();
    assertThat(lists("back")).isEqualTo(before);
  }

  /// Copies without `-a`, which keeps neither lists nor other attributes.
  @Test
  void withoutArchiveTheyAreNot() throws Exception {
    tree();
    assertThat(rig.run("cp", image(), host("tree/file"), ":/")).as(rig.err()).isZero();
    try (MountedImage mounted = rig.mounted()) {
      long file = mounted.resolve("/file");
      assertThat(mounted.tree().accessControlList(file, false)).isNull();
    }
  }

  /// Copies to a file system without lists, in a mount that ends with its process.
  @Test
  void whereTheyCannotBeKeptThatIsSaidOnce() throws Exception {
    assumeTrue(System.getProperty("user.name", "").equals("root"), "needs root, to mount a ramfs");
    try (MountedImage mounted = rig.mounted()) {
      for (int i = 0; i < 5; i++) {
        byte[] name = ("file " + i).getBytes(StandardCharsets.US_ASCII);
        long file = mounted.tree().create(Caller.ROOT, 2, name, NewFile.regular(0640));
        mounted.tree().setAccessControlList(file, false, list(i));
      }
    }
    Path target = Files.createDirectory(directory.resolve("target"));
    List<String> copy =
        SluiceProcess.command("fs", "cp", "-a", image(), ":/", target.resolve("all").toString());
    List<String> command = new ArrayList<>();
    String script =
        "mount -t ramfs none '"
            + target
            + "' || exit 99; \"$@\"; code=$?; ls '"
            + target
            + "/all'; exit $code";
    command.addAll(List.of("unshare", "-m", "sh", "-c", script, "sh"));
    command.addAll(copy);
    Path output = directory.resolve("said");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int code = Await.end(process);
    String said = Files.readString(output);
    assumeTrue(code != 99 && !said.contains("unshare: "), "may not mount here: " + said);
    assertThat(code).as(said).isEqualTo(1);
    assertThat(said).contains("left out 5 access control lists, the first of ").contains("Fix: ");
    assertThat(said.lines().filter(line -> line.startsWith("sluice: "))).as(said).hasSize(1);
    assertThat(said.lines().filter(line -> line.startsWith("file "))).hasSize(5);
  }
}
