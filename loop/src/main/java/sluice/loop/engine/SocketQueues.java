package sluice.loop.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The capacity of the queues between two sockets of the same machine. Constant after startup.
final class SocketQueues {
  private static final int READ_BYTES = 256;
  private static final long UNKNOWN = 64L << 20;

  /// The number of bytes by which a queue may exceed its limit, including the segment being added.
  private static final long SLACK = 1L << 20;

  /// The maximum number of bytes in a sender's and a receiver's queue together, unless a program
  /// has the privilege to exceed the system's limits.
  static final long MOST_BYTES = most("tcp_wmem") + most("tcp_rmem") + SLACK;

  private SocketQueues() {}

  /// Returns the last of the three numbers of a setting, which are the minimum, initial and maximum
  /// size of a queue.
  private static long most(String setting) {
    try (InputStream in = Files.newInputStream(Path.of("/proc/sys/net/ipv4", setting))) {
      // The file is read in one call, because a second read of such a file returns nothing.
      byte[] text = new byte[READ_BYTES];
      int length = Math.max(0, in.read(text));
      String[] numbers = new String(text, 0, length, US_ASCII).strip().split("\\s+", -1);
      return Long.parseLong(numbers[numbers.length - 1]);
    } catch (IOException | NumberFormatException e) {
      return UNKNOWN;
    }
  }
}
