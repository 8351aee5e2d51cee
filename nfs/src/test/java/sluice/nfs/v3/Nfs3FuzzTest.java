package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.Wire;

/// Sends random arguments and damaged valid arguments: every reply is a valid RPC or NFS reply, and
/// the server keeps working.
@Timeout(300)
final class Nfs3FuzzTest {
  private static final int ROUNDS = Integer.getInteger("sluice.nfs.fuzz", 6000);

  /// Returns bytes that resemble the arguments of a procedure.
  private static ByteBuffer plausible(Random random, byte[][] handles) {
    ByteBuffer to = ByteBuffer.allocate(4096);
    int parts = 1 + random.nextInt(6);
    for (int i = 0; i < parts; i++) {
      switch (random.nextInt(i == 0 ? 1 : 6)) {
        case 0 -> opaque(to, handles[random.nextInt(handles.length)]);
        case 1 -> {
          byte[] name = new byte[random.nextInt(12)];
          for (int j = 0; j < name.length; j++) {
            name[j] = (byte) "abcdef./\0é".charAt(random.nextInt(10));
          }
          opaque(to, name);
        }
        case 2 -> to.putInt(random.nextInt(4));
        case 3 -> to.putLong(random.nextInt(100_000));
        case 4 -> to.putInt(random.nextInt());
        default -> to.putInt(0).putInt(0).putInt(0).putInt(0).putInt(0).putInt(0);
      }
    }
    return to.flip();
  }

  private static void opaque(ByteBuffer to, byte[] bytes) {
    to.putInt(bytes.length).put(bytes);
    to.position((to.position() + 3) & ~3);
  }

  @Test
  void anyArguments() throws IOException {
    long seed = Long.getLong("sluice.nfs.seed", 1);
    Random random = new Random(seed);
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] directory = rig.root.mkdir(rig.top, "a");
      byte[] file = rig.root.create(rig.top, "b", 0666);
      byte[] link = rig.root.symlink(rig.top, "c", "a");
      byte[][] handles = {rig.top, directory, file, link, new byte[40], new byte[3]};
      for (int i = 0; i < ROUNDS; i++) {
        ByteBuffer bytes = plausible(random, handles);
        byte[] arguments = new byte[bytes.remaining() & ~3];
        bytes.get(arguments);
        if (random.nextInt(4) == 0 && arguments.length > 0) {
          arguments[random.nextInt(arguments.length)] ^= (byte) (1 << random.nextInt(8));
        }
        int procedure = random.nextInt(23);
        int program = random.nextInt(8) == 0 ? 100005 : 100003;
        rig.root.calls.as(random.nextInt(3), random.nextInt(3)).slowly(random.nextBoolean());
        RpcTestCalls.Reply reply =
            rig.root.calls.call(program, 3, procedure, w -> w.fixed(arguments));
        String what = "seed " + seed + ", call " + i + " of " + procedure;
        assertThat(reply.status())
            .as(what)
            .isIn(0, RpcRefusal.PROCEDURE_UNAVAILABLE, RpcRefusal.GARBAGE_ARGUMENTS);
        if (reply.status() == 0 && procedure != 0 && program == 100003) {
          int status = new Wire(reply.bytes(), 24).u32();
          assertThat(status == NfsStatus.IO || status == NfsStatus.SERVERFAULT).as(what).isFalse();
        }
      }
      rig.root.calls.as(0, 0).slowly(false);
      assertThat(rig.root.mkdir(rig.top, "still here")).isNotEmpty();
    }
  }
}
