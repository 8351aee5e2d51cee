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

  @Test
  void theSmallestRingCarriesEverything() throws Exception {
    for (Reliability level :
        new Reliability[] {Reliability.RELIABLE_DELIVERY, Reliability.RELIABLE_RECEPTION}) {
      ViAttributes attributes =
          ViAttributes.DEFAULT
              .withReliability(level)
              .withRingBytes(1 << 14)
              .withTransferBytes(100_000);
      try (VisUnderTest vis = connect(attributes)) {
        var received =
            vis.beside(() -> {
              for (int i = 0; i < 200; i++) {
                byte[] got = vis.server.recv(LONG);
                assertThat(got).isEqualTo(VisUnderTest.pattern(i * 499, i));
              }
              return true;
            });
        for (int i = 0; i < 200; i++) {
          byte[] sent = VisUnderTest.pattern(i * 499, i);
          vis.client.send(sent, 0, sent.length, LONG);
        }
        assertThat(received.get(100, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  @Test
  void everyDeviceIsExplained() throws Exception {
    try (Nic nic = open()) {
      assertThat(nic.why())
          .contains("local: in use")
          .contains("ofi-verbs: skipped: ")
          .contains("ring: can be used: TCP by ")
          .contains("xdp: skipped: ");
      assertThat(nic.name()).isEqualTo("local");
    }
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> Nic.open("xdp"))
        .isInstanceOf(ViException.class)
        .hasMessageContaining("needs an interface and an address");
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> Nic.open("nonesuch"))
        .isInstanceOf(ViException.class)
        .hasMessageContaining("Known: local");
  }
}
