package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.vi.xdp.PairedStacks;
import sluice.vi.xdp.StackWire;

/// The contract on datagrams of two network stacks, joined by a wire in memory.
final class XdpViTest extends ViContract {
  @Override
  Nic open() throws Exception {
    StackWire wire = new StackWire(0, 0, frame -> frame);
    return new Nic("xdp", PairedStacks.over(wire.end(0), wire.end(1)));
  }

  @Override
  List<Reliability> levels() {
    return List.of(Reliability.values());
  }

  @Test
  void tagsShareAPort() throws Exception {
    try (Nic nic = open()) {
      ViAddress place = VisUnderTest.place(nic);
      try (ViServer _ = new ViServer(place, 1);
          ViServer _ = new ViServer(place, 2)) {
        assertThatThrownBy(() -> new ViServer(place, 2)).hasMessageContaining("already");
        assertThatThrownBy(() -> new Vi(place, ViAttributes.DEFAULT, null, null, 3))
            .hasMessageContaining("no accept matches");
      }
      for (int i = 0; i < 200; i++) { // the port is free as soon as the last server has closed
        new ViServer(place, 1).close();
      }
    }
  }

  /// Fragments of a message leave together, and few answers come back.
  @Test
  void aStreamTellsTheDeviceSeldom() throws Exception {
    StackWire wire = new StackWire(0, 0, frame -> frame);
    int bytes = 40 << 10;
    int messages = 50;
    try (Nic nic = new Nic("xdp", PairedStacks.over(wire.end(0), wire.end(1)));
        VisUnderTest vis = VisUnderTest.connect(nic, ViAttributes.DEFAULT)) {
      ViBufferTicket out = vis.buffer(vis.client, bytes);
      ViBufferTicket in = vis.buffer(vis.server, bytes);
      byte[] sent = VisUnderTest.fill(out, 1);
      int framesBefore = wire.frames.get();
      int kicksBefore = wire.kicks.get();
      for (int i = 0; i < messages; i++) {
        vis.server.recvBufPost(in, 0);
        vis.client.sendBufPost(out, 0, bytes);
        ViTicket _ = vis.server.recvBufWait(LONG);
        ViTicket _ = vis.client.sendBufWait(LONG);
      }
      assertThat(VisUnderTest.content(in, bytes)).isEqualTo(sent);
      int frames = wire.frames.get() - framesBefore;
      int kicks = wire.kicks.get() - kicksBefore;
      System.out.println(frames + " frames, " + kicks + " kicks");
      assertThat(frames).isGreaterThan(messages * 28);
      assertThat(kicks).isLessThan(frames / 6);
    }
  }

  @Test
  void addressesAreChecked() throws Exception {
    try (Nic nic = open()) {
      for (String wrong : List.of("here", "10.9.0.1", "10.9.0.1:0", ":80", "10.9.0.1:65536")) {
        assertThatThrownBy(() -> new ViServer(nic.address(wrong), 1))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("HOST:PORT");
      }
      assertThatThrownBy(() -> new ViServer(nic.address("[::1]:80"), 1))
          .hasMessageContaining("IPv4");
      assertThatThrownBy(() -> new ViServer(nic.address("10.9.0.77:80"), 1))
          .hasMessageContaining("EADDRNOTAVAIL");
      ViAddress own = nic.address("10.9.0.2:80");
      assertThatThrownBy(() -> new Vi(own, ViAttributes.DEFAULT, null, null, 1))
          .hasMessageContaining("own address");
    }
  }

  @Test
  void aClosedDeviceConnectsNoMore() throws Exception {
    Nic nic = open();
    ViAddress place = VisUnderTest.place(nic);
    nic.close();
    nic.close();
    assertThatThrownBy(() -> new ViServer(place, 1)).hasMessageContaining("closed");
    assertThatThrownBy(() -> new Vi(place, ViAttributes.DEFAULT, null, null, 1))
        .hasMessageContaining("closed");
  }

  @Test
  void closingTheDeviceFailsItsVis() throws Exception {
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      ViBufferTicket in = vis.buffer(vis.server, 100);
      vis.server.recvBufPost(in, 0);
      vis.nic.close();
      assertThatThrownBy(() -> vis.server.recvBufWait(LONG)).isInstanceOf(ViException.class);
      assertThat(vis.client.failure()).isNotNull();
      assertThat(in.isPosted()).isFalse();
    }
  }

  /// Without words there is nothing to open, and the reason says what they are.
  @Test
  void wordsAreWanted() {
    assertThatThrownBy(() -> Nic.open("xdp"))
        .hasMessageContaining("needs an interface and an address")
        .hasMessageContaining("Fix: -Dsluice.vi.xdp=xdp:eth0,10.0.0.2/24");
    assertThatThrownBy(() -> Nic.open("xdp", "eth0")).hasMessageContaining("tap|xdp:INTERFACE");
    assertThatThrownBy(() -> Nic.open("xdp", "xdp:nonesuch0,10.0.0.2/24"))
        .isInstanceOf(ViException.class)
        .hasMessageContaining("nonesuch0");
    assertThatThrownBy(() -> Nic.open("local", "x")).hasMessageContaining("told nothing");
  }
}
