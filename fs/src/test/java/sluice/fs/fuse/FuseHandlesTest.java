package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.LinuxTools;

/// Tests file handles (`name_to_handle_at(2)`), as the kernel's NFS server uses them, and transfers
/// that bypass the page cache. Files that the kernel has forgotten are found again, and removed
/// files are not.
@Timeout(300)
final class FuseHandlesTest {
  @TempDir Path directory;

  @BeforeEach
  void require() {
    FuseRig.require();
    LinuxTools.require("python3");
  }

  private static String script(String name) throws IOException {
    try (InputStream script =
        Objects.requireNonNull(FuseHandlesTest.class.getResourceAsStream(name))) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String handles(FuseRig rig, String what, Path input) throws IOException {
    Path file = Files.writeString(directory.resolve("handles.py"), script("handles.py"));
    String command = "python3 '%s' '%s' %s < '%s'".formatted(file, rig.directory, what, input);
    return LinuxTools.must("sh", "-c", command);
  }

  @Test
  void aHandleOutlivesWhatTheKernelAndTheServerRemember() throws Exception {
    FuseRig rig = FuseRig.open(directory, 16 << 20, 1024, RingUse.OFF);
    Path known = directory.resolve("known");
    try (rig) {
      Files.writeString(known, handles(rig, "make", Path.of("/dev/null")));
    }
    rig.closeClean();
    FuseRig again = new FuseRig(rig.image, rig.directory, false, RingUse.OFF);
    try (again) {
      String _ = handles(again, "use", known);
    }
    again.closeClean();
    assertThat(again.messages).isEmpty();
  }

  @Test
  void aHandleLeadsToNoOtherFile() throws Exception {
    FuseRig rig = FuseRig.open(directory, 16 << 20, 1024, RingUse.OFF);
    try (rig) {
      Files.writeString(rig.directory.resolve("victim"), "victim");
      String _ = handles(rig, "reuse", Path.of("/dev/null"));
    }
    rig.closeClean();
    assertThat(rig.messages).isEmpty();
  }

  /// Runs asynchronous writes that bypass the cache, concurrently with readers that use it, like
  /// xfstests generic/451.
  @Test
  void whatIsWrittenPastTheCacheIsReadThroughIt() throws Exception {
    FuseRig rig = FuseRig.open(directory, 16 << 20, 4096, RingUse.OFF);
    try (rig) {
      String stale =
          LinuxTools.must("python3", "-c", script("stale.py"), rig.directory.toString(), "300");
      assertThat(stale.strip()).as("stale reads").isEqualTo("0");
    }
    rig.closeClean();
  }
}
