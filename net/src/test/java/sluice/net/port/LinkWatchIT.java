package sluice.net.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.LinkRig;
import sluice.sys.xdp.NetInterface;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Tests the events that the watch reports when `ip link` changes an interface.
@Timeout(120)
class LinkWatchIT {
  private final List<LinkChange> changes = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final LinkListener listener =
      new LinkListener() {
        @Override
        public void changed(LinkChange change, String line) {
          changes.add(change);
          lines.add(line);
        }

        @Override
        public void heard(long frame, int bytes) {}
      };
  private LinkRig rig;

  @BeforeEach
  void enter() {
    rig = LinkRig.veth();
    rig.link(1500, 1);
  }

  @AfterEach
  void leave() {
    if (rig != null) {
      rig.close();
    }
  }

  private LinkWatch open(boolean kernelHas) throws IOException {
    LinkWatch watch = LinkWatch.open("vA", NetInterface.named("vA"), 2000, LinkRig.OURS, kernelHas);
    watch.look(listener);
    lines.clear();
    changes.clear(); // the cable may not have been plugged in at the first look
    return watch;
  }

  private void awaitChange(LinkWatch watch, LinkChange wanted) {
    Await.until(
        wanted.name(),
        () -> {
          watch.look(listener);
          return changes.contains(wanted);
        });
  }

  private String last() {
    return lines.getLast();
  }

  @Test
  void eachChangeIsOneLine() throws Exception {
    try (LinkWatch watch = open(false)) {
      String _ = rig.run("ip link set dev vA mtu 1000");
      awaitChange(watch, LinkChange.MTU);
      assertThat(last()).contains("the MTU of vA was 1500 and is now 1000");
      assertThat(watch.mtu()).isEqualTo(1000);
      changes.clear();
      String _ = rig.run("ip link set dev vA mtu 9000");
      awaitChange(watch, LinkChange.MTU);
      assertThat(last()).contains("above 2000 are lost").contains("Fix: ").contains("mtu 2000");
      assertThat(watch.mtu()).isEqualTo(2000);
      String _ = rig.run("ip link set dev vA address 02:00:00:00:00:77");
      awaitChange(watch, LinkChange.HARDWARE);
      assertThat(last()).contains("02:00:00:00:00:77");
      assertThat(watch.macAddress()).isEqualTo(0x0200_0000_0077L);
      String _ = rig.run("ip addr add 10.9.0.3/24 dev vA");
      String _ = rig.run("ip addr add 10.9.0.2/24 dev lo");
      String _ = rig.run("ip addr add 10.9.0.2/24 dev vA");
      awaitChange(watch, LinkChange.ADDRESS);
      assertThat(last()).contains("the kernel has got 10.9.0.2").contains("Fix: ");
      changes.clear();
      String _ = rig.run("ip addr del 10.9.0.2/24 dev vA");
      awaitChange(watch, LinkChange.ADDRESS);
      assertThat(last()).contains("the kernel has lost 10.9.0.2").contains("Fix: ");
      String _ = rig.run("ip link set dev vA down");
      awaitChange(watch, LinkChange.DOWN);
      assertThat(last()).contains("vA is down").contains("Fix: ");
      String _ = rig.run("ip link set dev vA up");
      awaitChange(watch, LinkChange.UP);
      assertThat(watch.isGone()).isFalse();
      int before = lines.size();
      watch.look(listener);
      assertThat(lines).as("nothing is told twice").hasSize(before);
      String _ = rig.run("ip link del dev vA");
      awaitChange(watch, LinkChange.GONE);
      assertThat(last()).contains("vA is gone").contains("Fix: ");
      assertThat(watch.isGone()).isTrue();
      watch.look(listener);
      assertThat(lines.stream().filter(line -> line.contains("gone"))).hasSize(1);
    }
  }

  @Test
  void anInterfaceThatMovesAwayIsGone() throws Exception {
    try (LinkWatch watch = open(false)) {
      NetRoom other = NetRoom.enter("ip");
      try {
        String _ = other.outside(() -> rig.run("ip link set dev vA netns " + other.path()));
      } finally {
        other.close();
      }
      awaitChange(watch, LinkChange.GONE);
    }
  }

  @Test
  void messagesThatWereLostAreMadeUpFor() throws Exception {
    try (LinkWatch watch = open(true)) {
      String _ = rig.run("ip addr add 10.9.0.2/24 dev vA");
      // more messages than the socket of the watch can hold
      StringBuilder batch = new StringBuilder();
      for (int i = 0; i < 3000; i++) {
        batch.append("link set dev lo mtu ").append(2000 + i).append('\n');
      }
      java.nio.file.Path file = java.nio.file.Files.createTempFile("links", ".txt");
      try {
        java.nio.file.Files.writeString(file, batch);
        String _ = rig.run("ip -batch " + file);
      } finally {
        java.nio.file.Files.delete(file);
      }
      String _ = rig.run("ip addr del 10.9.0.2/24 dev vA");
      String _ = rig.run("ip link set dev vA mtu 1400");
      awaitChange(watch, LinkChange.MTU);
      awaitChange(watch, LinkChange.ADDRESS);
      assertThat(lines).anyMatch(line -> line.contains("is now 1400"));
      assertThat(lines).anyMatch(line -> line.contains("the kernel has lost 10.9.0.2"));
      String _ = rig.run("ip link del dev vA");
      awaitChange(watch, LinkChange.GONE);
    }
  }
}
