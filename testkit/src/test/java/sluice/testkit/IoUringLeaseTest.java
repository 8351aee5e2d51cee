package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.memory.block.Block;

/// The contract of leases on the `io_uring` engine.
class IoUringLeaseTest extends LeaseContract {
  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return KernelEngines.open(Backend.IO_URING, config);
  }

  /// Checks that more small messages can be kept than there are chunks.
  @Test
  void smallMessagesLieSideBySide() throws IOException {
    String[] kernel = System.getProperty("os.version").split("\\D+", 3);
    int version = Integer.parseInt(kernel[0]) * 100 + Integer.parseInt(kernel[1]);
    assumeTrue(version >= 612, "buffers that are filled bit by bit need Linux 6.12");
    rig().configure(new EngineConfig(4, 1024, 64));
    var pair = rig().pair();
    rig().holdChunks();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    List<Block> held = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      pair.peer().write(EngineContractRig.randomBytes(32, i));
      var event = rig().await(token);
      assertThat(event.bytes()).isEqualTo(EngineContractRig.randomBytes(32, i));
      held.add(Objects.requireNonNull(event.chunk()));
    }
    assertThat(Set.copyOf(held)).hasSize(2);
    held.forEach(Block::release);
    assertThat(rig().sockets().arena().free()).isEqualTo(4);
  }
}
