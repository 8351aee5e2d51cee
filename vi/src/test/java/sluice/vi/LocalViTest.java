package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The contract on shared memory, and what this device defines beyond it.
final class LocalViTest extends ViContract {
  @Override
  Nic open() throws ViException {
    return Nic.open("local");
  }

  @Override
  List<Reliability> levels() {
    return List.of(Reliability.values());
  }

  @Test
  void anUnreliableMessageWithoutAReceiveIsDiscarded() throws Exception {
    ViAttributes attributes = ViAttributes.DEFAULT.withReliability(Reliability.UNRELIABLE);
    try (VisUnderTest vis = connect(attributes)) {
      ViBufferTicket in = vis.buffer(vis.server, 10);
      vis.client.send(new byte[] {1}, 0, 1);
      vis.server.recvBufPost(in, 0);
      vis.client.send(new byte[] {2}, 0, 1);
      vis.client.send(new byte[] {3}, 0, 1);
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(in);
      assertThat(in.buffer().bytes().get(0)).isEqualTo((byte) 2);
      vis.server.recvBufPost(in, 0);
      vis.client.send(new byte[] {4}, 0, 1);
      assertThat(vis.server.recvBufWait(LONG)).isSameAs(in);
      assertThat(in.buffer().bytes().get(0)).isEqualTo((byte) 4);
    }
  }
}
