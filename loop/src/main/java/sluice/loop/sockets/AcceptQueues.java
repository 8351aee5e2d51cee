package sluice.loop.sockets;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.stream.Stream;

/// Searches the kernel's tables of TCP sockets for clients that are about to be accepted. Any
/// thread may call. Reading takes about a microsecond per socket of the machine, so it should not
/// be done on a loop.
///
/// A client is connected from its point of view when it has received the server's SYN-ACK. Its last
/// ACK, which arrives half a round trip later, adds the connection to the accept queue. If the
/// listener is closed before that, the connection is reset. The tables show the connection without
/// a gap: first as a request in state SYN_RECV (like its socket until it is in the queue), and then
/// in the `rx_queue` count of the listener.
///
/// ```
///   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt …
///    0: 0100007F:1F90 00000000:0000 0A 00000000:00000002 00:00000000 00000000 …   listens, 2 wait
///    1: 0100007F:1F90 0100007F:C350 03 00000000:00000000 01:00000064 00000000 …   a handshake
/// ```
///
/// Connections created from SYN cookies during a flood are not visible before they are established.
/// A SYN-ACK that was sent three times without an answer is ignored, because its client no longer
/// exists or is a scanner.
public final class AcceptQueues {
  private static final Logger LOG = System.getLogger("sluice.loop");
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
  private static final String SYN_RECV = "03";
  private static final String LISTEN = "0A";
  private static final int MOST_REPEATS = 2;

  private AcceptQueues() {}

  /// Returns true if no client is in the accept queues of the given local ports or about to be
  /// added to one of them. Also returns true if this cannot be determined.
  public static boolean settled(Set<Integer> ports) {
    if (ports.isEmpty()) {
      return true;
    }
    for (Path table : TABLES) {
      try (Stream<String> lines = Files.lines(table, StandardCharsets.ISO_8859_1)) {
        if (lines.skip(1).anyMatch(line -> waits(line, ports))) {
          return false;
        }
      } catch (IOException | RuntimeException | LinkageError e) {
        LOG.log(
            Level.DEBUG, () -> "cannot tell from " + table + " which clients are on the way in", e);
      }
    }
    return true;
  }

  /// Returns true if a line describes a waiting client.
  ///
  /// @param line a line of a table, after the heading
  static boolean waits(String line, Set<Integer> ports) {
    StringTokenizer fields = new StringTokenizer(line);
    fields.nextToken();
    String local = fields.nextToken();
    fields.nextToken();
    String state = fields.nextToken();
    if (!state.equals(SYN_RECV) && !state.equals(LISTEN)) {
      return false;
    }
    if (!ports.contains(number(local))) {
      return false;
    }
    int waiting = number(fields.nextToken());
    fields.nextToken();
    return state.equals(LISTEN) ? waiting > 0 : number(fields.nextToken()) < MOST_REPEATS;
  }

  /// Parses the hexadecimal number after the colon, or the entire field if it does not contain a
  /// colon.
  private static int number(String field) {
    return Integer.parseUnsignedInt(field.substring(field.indexOf(':') + 1), 16);
  }
}
