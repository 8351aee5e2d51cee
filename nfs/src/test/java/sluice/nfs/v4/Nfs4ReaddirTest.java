package sluice.nfs.v4;

import static sluice.nfs.v4.Nfs4TestClient.putFh;

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
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Op;

/// Runs the READDIR contract on NFSv4.1.
final class Nfs4ReaddirTest extends ReaddirContract {
  private @Nullable Nfs4Rig rig;
  private @Nullable Nfs4TestClient client;
  private byte @Nullable [] directory;

  @Override
  protected FileTree start(CrashDevice device) throws IOException {
    Nfs4Rig started = new Nfs4Rig(device);
    rig = started;
    client = started.client("one");
    return started.tree;
  }

  @Override
  protected Page page(long cookie, long verifier, int bytes) {
    Nfs4TestClient asking = Objects.requireNonNull(client);
    if (directory == null) {
      directory = asking.handle("srv", "data", "d");
    }
    Op list =
        to -> {
          to.int32(Nfs4Op.READDIR).int64(cookie).int64(verifier).int32(bytes).int32(bytes);
          Bitmap.of().write(to);
        };
    Nfs4TestClient.Reply reply = asking.run(putFh(directory), list).plain(Nfs4Op.PUTFH);
    int status = reply.next(Nfs4Op.READDIR);
    if (status != 0) {
      return new Page(status, 0, false, List.of());
    }
    XdrReader in = reply.in;
    long given = in.int64();
    List<Entry> entries = new ArrayList<>();
    while (in.bool()) {
      long next = in.int64();
      entries.add(new Entry(new String(in.opaque(255), StandardCharsets.UTF_8), next));
      Bitmap.read(in);
      in.skip(in.length(1000));
    }
    return new Page(status, given, in.bool(), entries);
  }

  @Override
  protected long least() {
    return 3;
  }

  @Override
  @AfterEach
  protected void stop() throws IOException {
    if (rig != null) {
      rig.close();
    }
  }
}
