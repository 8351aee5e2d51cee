package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.LinuxTools;

/// Tests that programs lose their set-id bits and capabilities when their content or owner changes,
/// as on the host's own file system: in the image and in the kernel's caches.
@Timeout(600)
final class FuseSetIdTest {
  @TempDir Path directory;

  @BeforeEach
  void require() {
    FuseRig.require();
    LinuxTools.require("python3");
  }

  private FuseRig open(RingUse rings) throws Exception {
    return FuseRig.openTrusted(directory, 256 << 20, 4096, rings);
  }

  private static List<String> changeAll(Path where) throws IOException {
    try (InputStream script =
        Objects.requireNonNull(FuseSetIdTest.class.getResourceAsStream("set-id.py"))) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return LinuxTools.must("python3", "-c", text, where.toString()).lines().toList();
    }
  }

  @Test
  void everyWayOfChangingDoesWhatTheHostDoes() throws Exception {
    Path host = Files.createDirectory(directory.resolve("host"));
    List<String> expected = new ArrayList<>(changeAll(host));
    // A write through a mapping removes capabilities here, like any other write; set-id bits stay.
    expected.replaceAll(
        line -> line.contains("-mmap-capable") ? line.replace("True", "False") : line);
    assertThat(expected).hasSizeGreaterThan(1000);
    FuseRig rig = open(RingUse.OFF);
    try (rig) {
      assertThat(changeAll(rig.directory)).isEqualTo(expected);
      for (String line : expected) {
        String name = line.substring(0, line.indexOf(':'));
        String mode = line.replaceAll(".* is ([0-7]+),.*", "$1");
        FileAttributes kept = rig.tree.find(Caller.ROOT, rig.tree.rootInode(), bytes(name));
        assertThat(Integer.toOctalString(kept.permissions())).as("image: %s", line).isEqualTo(mode);
      }
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /// Checks a program that is run immediately after another user has overwritten it, without a
  /// request for its attributes in between.
  @Test
  void aProgramThatAnotherUserHasOverwrittenRunsAsThatUser() throws Exception {
    FuseRig rig = open(RingUse.OFF);
    try (rig) {
      String said =
          rig.python(
              """
              import shutil, subprocess
              os.umask(0)
              os.chmod('.', 0o777)
              program = shutil.which('id')
              content = open(program, 'rb').read()
              libc = __import__('ctypes').CDLL(None)
              def changed(name, change):
                  shutil.copyfile(program, name)
                  os.chmod(name, 0o6777)
                  def run():
                      return subprocess.run(['./' + name, '-u'], capture_output=True, text=True)
                  os.setgroups([])
                  os.setegid(65534)
                  os.seteuid(65534)
                  child = os.fork()
                  if child == 0:
                      os.seteuid(0)
                      os.setgid(65534)
                      os.setuid(65534)
                      before = run().stdout.strip()
                      f = os.open(name, os.O_RDWR)
                      change(f)
                      os.close(f)
                      after = run().stdout.strip()
                      print(name, before, after, flush=True)
                      os._exit(0)
                  os.seteuid(0)
                  os.setegid(0)
                  os.waitpid(child, 0)
              changed('written', lambda f: os.pwrite(f, content, 0))
              changed('allocated', lambda f: libc.fallocate(f, 1, 0, 4096))
              changed('untouched', lambda f: os.read(f, 100))
              changed('longer', lambda f: libc.ftruncate(f, len(content) + 100))
              """);
      assertThat(said.lines())
          .containsExactly(
              "written 0 65534", "allocated 0 65534", "untouched 0 0", "longer 0 65534");
    }
    rig.closeClean();
  }
}
