package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.NanoClock;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.net.StackConfig;
import sluice.net.wire.Checksum;
import sluice.net.wire.IcmpHeader;
import sluice.net.wire.Ipv4Header;

/// Implements ICMP, including echo requests and replies, and rate-limited errors (RFC 792; RFC
/// 1812, section 4.3.2.8). Instances are owned by the stack's thread.
final class Icmp {
  /// The maximum length of the packet that is quoted in an error, which includes its header and
  /// eight bytes of the payload.
  private static final int QUOTED = Ipv4Header.MOST_BYTES + 8;

  private static final int MOST_ECHO_BYTES = 1 << 16;

  private final Ipv4Output output;
  private final StackCounters counters;
  private final StackConfig config;
  private final NanoClock clock;
  private final RateLimit errors;
  private final Block scratch;
  private @Nullable EchoListener listener;

  Icmp(
      Ipv4Output output,
      StackCounters counters,
      StackConfig config,
      NanoClock clock,
      Account account) {
    this.output = output;
    this.counters = counters;
    this.config = config;
    this.clock = clock;
    this.errors = new RateLimit(config.limits().icmpPerSecond(), clock.nanos());
    Block made = Block.allocate(account, MOST_ECHO_BYTES);
    if (made == null) {
      throw new IllegalStateException("no room for messages of ICMP: " + account);
    }
    this.scratch = made;
  }

  void listen(EchoListener to) {
    listener = to;
  }

  /// Processes a message, whose memory may be overwritten.
  ///
  /// @param toUs false if the message was broadcast, in which case no reply is sent
  void received(MemorySegment memory, long at, int bytes, int source, boolean toUs) {
    if (bytes < IcmpHeader.BYTES) {
      counters.malformed++;
      return;
    }
    if (Checksum.sum(memory, at, bytes) != 0xffff) {
      counters.badChecksums++;
      return;
    }
    switch (IcmpHeader.type(memory, at)) {
      case IcmpHeader.ECHO -> {
        if (toUs && config.ownsAddress()) {
          counters.echoes++;
          IcmpHeader.toReply(memory, at);
          boolean _ = output.send(source, Ipv4Header.ICMP, memory, at, bytes);
        }
      }
      case IcmpHeader.ECHO_REPLY -> {
        if (listener != null) {
          int word = IcmpHeader.echoId(memory, at) << 16 | IcmpHeader.echoNumber(memory, at);
          listener.replied(source, word, memory, at + IcmpHeader.BYTES, bytes - IcmpHeader.BYTES);
        }
      }
      case IcmpHeader.UNREACHABLE -> counters.icmpErrorsReceived++;
      default -> counters.refused++;
    }
  }

  /// Sends an echo request.
  ///
  /// @return false if the request was dropped
  boolean echo(int destination, int idAndNumber, byte[] data) {
    MemorySegment memory = scratch.segment();
    int bytes = IcmpHeader.BYTES + data.length;
    MemorySegment.copy(MemorySegment.ofArray(data), 0, memory, IcmpHeader.BYTES, data.length);
    IcmpHeader.write(memory, 0, IcmpHeader.ECHO << 8, idAndNumber, bytes);
    return output.send(destination, Ipv4Header.ICMP, memory, 0, bytes);
  }

  /// Sends a "destination unreachable" error, unless the rate limit has been reached.
  ///
  /// @param headerAt the position of the refused packet
  /// @param packetBytes the length of the refused packet
  void unreachable(MemorySegment packet, long headerAt, int packetBytes, int code) {
    if (!config.ownsAddress() || !errors.take(clock.nanos())) {
      return;
    }
    int quoted = Math.min(QUOTED, packetBytes);
    MemorySegment memory = scratch.segment();
    MemorySegment.copy(packet, headerAt, memory, IcmpHeader.BYTES, quoted);
    int bytes = IcmpHeader.BYTES + quoted;
    IcmpHeader.write(memory, 0, IcmpHeader.UNREACHABLE << 8 | code, 0, bytes);
    counters.icmpErrorsSent++;
    boolean _ = output.send(Ipv4Header.source(packet, headerAt), Ipv4Header.ICMP, memory, 0, bytes);
  }

  void close() {
    scratch.release();
  }
}
