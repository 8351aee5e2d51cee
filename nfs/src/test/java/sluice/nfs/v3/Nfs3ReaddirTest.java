package sluice.nfs.v3;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import sluice.fs.FileTree;
import sluice.nfs.CrashDevice;
import sluice.nfs.ReaddirContract;
import sluice.nfs.rpc.Wire;

/// Runs the READDIR contract on NFSv3.
final class Nfs3ReaddirTest extends ReaddirContract {
  private @Nullable Nfs3Rig rig;
  private byte @Nullable [] directory;

  @Override
  protected FileTree start(CrashDevice device) throws IOException {
    Nfs3Rig started = Nfs3Rig.over(device);
    rig = started;
    return started.tree;
  }

  @Override
  protected Page page(long cookie, long verifier, int bytes) {
    Nfs3Rig server = Objects.requireNonNull(rig);
    if (directory == null) {
      directory = server.root.lookup(server.top, "d");
    }
    byte[] handle = directory;
    Wire answer =
        server.root.call(
            Nfs3Procedure.READDIR,
            w -> w.opaque(handle).int64(cookie).int64(verifier).int32(bytes));
    int status = answer.u32();
    answer.postOp();
    if (status != 0) {
      answer.end();
      return new Page(status, 0, false, List.of());
    }
    long given = answer.u64();
    List<Entry> entries = new ArrayList<>();
    while (answer.bool()) {
      answer.u64();
      String name = new String(answer.opaque(), StandardCharsets.UTF_8);
      entries.add(new Entry(name, answer.u64()));
    }
    boolean end = answer.bool();
    answer.end();
    return new Page(status, given, end, entries);
  }

  @Override
  protected long least() {
    return 1;
  }

  @Override
  @AfterEach
  protected void stop() throws IOException {
    if (rig != null) {
      rig.close();
    }
  }
}
