package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The contract on providers of libfabric, and what these devices define beyond it.
abstract class OfiViContract extends ViContract {
  /// Such as `ofi-tcp`.
  abstract String device();

  @Override
  Nic open() throws ViException {
    String why = Nic.skipped().get(device());
    assumeTrue(why != null && why.isEmpty(), device() + ": " + why);
    return Nic.open(device());
  }

  @Override
  List<Reliability> levels() {
    return List.of(Reliability.RELIABLE_DELIVERY);
  }

  @Override
  int connections() {
    return device().equals("ofi-tcp") ? 10 : 60; // over TCP each takes half a second
  }

  @Override
  int withoutTheSender() {
    return 4096;
  }

  @Test
  void otherLevelsAreRefused() throws Exception {
    try (Nic nic = open();
        ViServer server = new ViServer(VisUnderTest.place(nic), 1)) {
      for (Reliability level : List.of(Reliability.UNRELIABLE, Reliability.RELIABLE_RECEPTION)) {
        ViAttributes attributes = ViAttributes.DEFAULT.withReliability(level);
        assertThatThrownBy(() -> server.accept(attributes, 1000))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("RELIABLE_DELIVERY");
        assertThatThrownBy(() -> new Vi(VisUnderTest.place(nic), attributes, null, null, 1))
            .isInstanceOf(ViException.class)
            .hasMessageContaining("RELIABLE_DELIVERY");
      }
    }
  }

  @Test
  void theJvmKeepsItsSignals() throws Exception {
    long before = signals();
    try (VisUnderTest vis = connect(ViAttributes.DEFAULT)) {
      assertThat(vis.client.failure()).isNull();
      int nulls = 0;
      for (int i = 0; i < 200_000; i++) {
        nulls += length((i & 1023) == 0 ? null : "x") < 0 ? 1 : 0;
      }
      assertThat(nulls).isEqualTo(196);
      vis.client.send(new byte[] {3}, 0, 1);
      assertThat(vis.server.recv(LONG)).containsExactly(3);
    }
    assertThat(signals()).isEqualTo(before);
  }

  /// Signals that have a handler of a library or of the JVM.
  private static long signals() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("SigCgt:"))
        .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).trim(), 16))
        .sum();
  }

  @SuppressWarnings("NullAway")
  private static int length(@Nullable String text) {
    try {
      return text.length();
    } catch (NullPointerException e) {
      return -1; // found by SIGSEGV once this is compiled
    }
  }
}
