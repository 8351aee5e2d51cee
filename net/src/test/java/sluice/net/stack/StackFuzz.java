package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.StackLimits;

/// Feeds the code that reads frames with bytes that no real station would send.
///
/// Each test run tries the inputs in `src/test/resources`. In `./sluice test --acceptance`, which
/// continuous integration also runs, each method then searches for new inputs for three seconds;
/// `SLUICE_EXPLORE=10m` makes this longer. An input that fails is printed in base64 and stored with
/// the others, so that the ordinary test run fails from then on.
@Tag("fuzz")
class StackFuzz {
  private static final byte[] TO_US = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};

  private long now = 1;

  private Ipv4Stack stack(QuietPort port) throws IOException {
    StackConfig config =
        StackConfig.of(Ipv4Prefix.parse("10.0.0.2/24")).withLimits(new StackLimits(8, 4, 2, 10));
    Ipv4Stack stack = new Ipv4Stack(port, config, () -> now, 0);
    // Until no ARP packet can make the stack give its address up any more.
    for (int i = 0; i < 10; i++) {
      now += 1_000_000_000L;
      stack.tick();
    }
    UdpSocket echo = stack.bind(7, _ -> {});
    echo.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = echo.send(memory, at, length, from, fromPort);
    });
    return stack;
  }

  /// Splits the input into frames, each with its length in the first byte. The stack must come to
  /// an end and must not lose a frame.
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

  /// Feeds frames as [#frames] does, but from the first second on, while the address is still
  /// probed, and with ticks in between. Each frame is also delivered outside of the queues.
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

  /// Feeds fragments of an echo request or a datagram. Four bytes of the input give the offset,
  /// length, flags and the factor of the offset of a fragment. The headers are valid, so that all
  /// fragments reach the reassembly.
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
