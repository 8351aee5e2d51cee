package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The contract on TCP by the loop, with the best engine that this machine has.
class RingViTest extends ViContract {
  @Override
  Nic open() throws ViException {
    return Nic.open("ring");
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
        ViAttributes hasty = ViAttributes.DEFAULT.withConnectMicros(50_000);
        assertThatThrownBy(() -> new Vi(place, hasty, null, null, 2)).hasMessageContaining("time");
      }
      for (int i = 0; i < 200; i++) { // the port is free as soon as the last server has closed
        new ViServer(place, 1).close();
      }
      try (ViServer _ = new ViServer(place, 1)) {
        assertThat(nic.why()).contains("ring: in use: TCP by ");
      }
    }
  }

  @Test
  void addressesAreChecked() throws Exception {
    try (Nic nic = open()) {
      for (String wrong : List.of("here", "127.0.0.1", "127.0.0.1:0", ":80", "127.0.0.1:65536")) {
        assertThatThrownBy(() -> new ViServer(nic.address(wrong), 1))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("HOST:PORT");
      }
    }
  }
}
