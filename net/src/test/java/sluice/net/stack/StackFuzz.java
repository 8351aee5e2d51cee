package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.StackLimits;

/// Everything that reads a frame, fed with bytes no station would send.
///
/// Each test run tries the inputs in `src/test/resources`. In `./sluice test --acceptance`, as in
/// continuous integration, each method then looks for new ones for three seconds;
/// `SLUICE_EXPLORE=10m` is longer. An input that fails is printed (in base64) and written beside
/// the others, and fails the ordinary run from then on.
@Tag("fuzz")
class StackFuzz {
  private static final byte[] TO_US = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};

  private long now = 1;

  private Ipv4Stack stack(QuietPort port) throws IOException {
    StackConfig config =
        StackConfig.of(Ipv4Prefix.parse("10.0.0.2/24")).withLimits(new StackLimits(8, 4, 2, 10));
    Ipv4Stack stack = new Ipv4Stack(port, config, () -> now, 0);
    for (int i = 0; i < 10; i++) { // until its address is given up to no sender of ARP any more
      now += 1_000_000_000L;
      stack.tick();
    }
    UdpSocket echo = stack.bind(7, _ -> {});
    echo.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = echo.send(memory, at, length, from, fromPort);
    });
    return stack;
  }

  /// Frames with the first byte of each as length: the stack ends, and no frame is lost.
  @FuzzTest
  void frames(byte[] data) throws IOException {
    QuietPort port = new QuietPort();
    try (Ipv4Stack stack = stack(port)) {
      int at = 0;
      while (at < data.length) {
        int end = Math.min(data.length, at + 1 + (data[at] & 0xff));
        byte[] frame = Arrays.copyOf(TO_US, TO_US.length + end - at - 1);
        System.arraycopy(data, at + 1, frame, TO_US.length, end - at - 1);
        give(stack, port, frame);
        at = end;
      }
      settle(stack, port);
    }
  }

  /// As [#frames], from the first second on, while the address is probed, with ticks in between;
  /// and each is also heard beside the queues.
  @FuzzTest
  void stations(byte[] data) throws IOException {
    QuietPort port = new QuietPort();
    StackConfig config =
        StackConfig.of(Ipv4Prefix.parse("10.0.0.2/24")).withLimits(new StackLimits(8, 4, 2, 10));
    try (Ipv4Stack stack = new Ipv4Stack(port, config, () -> now, 0)) {
      for (int at = 0; at < data.length; at += 1 + (data[at] & 0x3f)) {
        int end = Math.min(data.length, at + 1 + (data[at] & 0x3f));
        byte[] frame = Arrays.copyOf(TO_US, TO_US.length + end - at - 1);
        System.arraycopy(data, at + 1, frame, TO_US.length, end - at - 1);
        boolean heard = (data[at] & 0x40) != 0;
        if (heard) {
          port.hear(frame);
          stack.tick();
        } else {
          give(stack, port, frame);
        }
        now += (data[at] & 0x80) != 0 ? 1_000_000_000L : 0;
      }
      settle(stack, port);
    }
  }

  /// Three bytes are a fragment of an echo or a datagram: where, how long, and flags. Its header is
  /// good, so that all of them reach the place where they are put together.
  @FuzzTest
  void fragments(byte[] data) throws IOException {
    QuietPort port = new QuietPort();
    try (Ipv4Stack stack = stack(port)) {
      for (int i = 0; i + 4 <= data.length; i += 4) {
        int offset = (data[i] & 0xff) * (1 + (data[i + 3] >> 4 & 0xf) * 2) * 8;
        int flags = data[i + 2];
        boolean datagram = (flags & 4) != 0;
        byte[] payload = new byte[(data[i + 1] & 0xff) * 5];
        Arrays.fill(payload, data[i + 1]);
        byte[] frame =
            Frames.fragment(datagram ? 17 : 1, flags >> 3 & 3, offset, (flags & 1) != 0, payload);
        give(stack, port, frame);
      }
      settle(stack, port);
    }
  }

  private void give(Ipv4Stack stack, QuietPort port, byte[] frame) {
    now += 1_000_000;
    port.offer(frame);
    int _ = stack.poll();
  }

  private void settle(Ipv4Stack stack, QuietPort port) {
    for (int i = 0; i < 20; i++) {
      now += 1_000_000_000L;
      stack.tick();
    }
    assertThat(stack.held()).isZero();
    assertThat(port.free()).isEqualTo(64);
  }
}
