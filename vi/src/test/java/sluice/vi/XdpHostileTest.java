package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;
import sluice.vi.xdp.PairedStacks;
import sluice.vi.xdp.StackWire;

/// What comes in datagrams is not what a peer of ours would send: device, greeting and connections.
@Timeout(240)
final class XdpHostileTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  /// Of a frame: Ethernet, IPv4, UDP; its checksum, which 0 switches off.
  private static final int DATA_AT = 42;

  private static final int CHECKSUM_AT = 40;
  private static final int UDP = 17;

  /// Changes datagrams on their way: the stack lets them pass, the device must not be led astray.
  private static final class Mutations {
    private final Random random;
    private volatile int thousandths;

    Mutations(long seed) {
      random = new Random(seed);
    }

    synchronized byte[] apply(byte[] frame) {
      boolean udp = frame.length > DATA_AT && frame[12] == 8 && frame[13] == 0 && frame[23] == UDP;
      if (udp && random.nextInt(1000) < thousandths) {
        frame[CHECKSUM_AT] = 0;
        frame[CHECKSUM_AT + 1] = 0;
        int head = Math.min(44, frame.length - DATA_AT);
        for (int i = random.nextInt(4); i >= 0; i--) {
          frame[DATA_AT + random.nextInt(head)] = (byte) random.nextInt();
        }
      }
      return frame;
    }
  }

  @Test
  void theDeviceOutlivesWhatComes() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Mutations mutations = new Mutations(seed);
    StackWire wire = new StackWire(seed, 10, mutations::apply);
    ViAttributes attributes = ViAttributes.DEFAULT.withConnectMicros(300_000);
    try (Nic nic = new Nic("xdp", PairedStacks.over(wire.end(0), wire.end(1)));
        ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      ViAddress place = VisUnderTest.place(nic);
      try (ViServer server = new ViServer(place, 1)) {
        for (int round = 0; round < 60; round++) {
          mutations.thousandths = round % 3 * 150;
          Future<Integer> echo = thread.submit(() -> echo(server, attributes));
          try (Vi client = new Vi(place, attributes, null, null, 1)) {
            for (int i = 0; i < 20; i++) {
              client.send(VisUnderTest.pattern(5000, i), 0, 5000, 100_000);
              byte[] _ = client.recv(100_000);
            }
          } catch (ViException e) {
            // failed or refused: both are allowed
          }
          int _ = echo.get(Await.SECONDS, TimeUnit.SECONDS);
        }
      }
      mutations.thousandths = 0; // the same device still connects
      try (ViServer server = new ViServer(place, 2)) {
        Future<Vi> last = thread.submit(() -> server.accept(ViAttributes.DEFAULT, LONG));
        try (Vi client = new Vi(place, ViAttributes.DEFAULT, null, null, 2);
            Vi other = last.get(Await.SECONDS, TimeUnit.SECONDS)) {
          client.send(new byte[] {7}, 0, 1);
          assertThat(other.recv(LONG)).containsExactly(7);
        }
      }
    }
  }

  private static int echo(ViServer server, ViAttributes attributes) {
    int count = 0;
    try (Vi vi = server.accept(attributes, 300_000)) {
      while (true) {
        byte[] got = vi.recv(100_000);
        vi.send(got, 0, got.length, 100_000);
        count++;
      }
    } catch (ViException | IllegalStateException e) {
      return count; // closed, failed or never connected
    }
  }
}
