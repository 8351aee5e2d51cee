package sluice.http;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientAllowance;
import sluice.http.clients.ClientTable;
import sluice.http.clients.ProxyHeader;
import sluice.http.reply.HttpReplies;
import sluice.http.rules.AddressRange;
import sluice.http.text.Latin1;
import sluice.loop.Connection;
import sluice.loop.engine.TurnClock;
import sluice.memory.View;

/// Assigns connections to clients and applies the limits of a client's address to connections and
/// requests. Owned by the loop's thread. On a server with limits, each request requires one
/// compare-and-exchange. On a server without limits, it requires one comparison.
final class HttpClients {
  private final TurnClock clock;
  private final HttpReplies replies;
  private final @Nullable ClientTable table;
  private final List<AddressRange> proxies;
  private final long headerNanos;

  /// @param table the allowances of addresses, or null if there are no limits
  HttpClients(
      TurnClock clock, HttpConfig config, HttpReplies replies, @Nullable ClientTable table) {
    this.clock = clock;
    this.replies = replies;
    this.table = table;
    this.proxies = table == null ? List.of() : config.proxies();
    this.headerNanos = config.headerTimeout().toNanos();
  }

  /// Registers an accepted connection. A connection from a proxy first sends the address of the
  /// client.
  void opened(Connection connection, HttpSession session) {
    if (table == null) {
      return;
    }
    session.noteAddress(connection);
    for (int i = 0; i < proxies.size(); i++) {
      if (proxies.get(i).has(session.addressHigh, session.addressLow)) {
        session.proxyHeader = new ProxyHeader();
        connection.expectPreface(true);
        connection.deadline(headerNanos);
        return;
      }
    }
    admit(connection, session);
  }

  private void admit(Connection connection, HttpSession session) {
    ClientTable counted = table;
    ClientAllowance allowance =
        counted == null ? null : counted.open(session.addressHigh, session.addressLow, clock.now());
    session.allowance = allowance;
    if (counted == null || allowance == null) {
      return;
    }
    switch (counted.admission(allowance)) {
      case ADMITTED -> {}
      case REFUSED -> {
        replies.counts().limitedConnections++;
        if (connection.secure()) {
          connection.abort(); // an answer would take a handshake
        } else {
          replies.error(connection.output(), 429, null, HttpReplies.RETRY, HttpReplies.CLOSE);
          connection.close();
        }
      }
      case DROPPED -> {
        replies.counts().limitedConnections++;
        connection.abort();
      }
    }
  }

  /// Returns true if the requests of the connection are counted.
  static boolean counts(HttpSession session) {
    return session.allowance != null;
  }

  /// Counts a request.
  ///
  /// @return null if the request may be answered, otherwise the header lines of the refusal
  byte @Nullable [] refusal(HttpSession session) {
    ClientAllowance allowance = session.allowance;
    long wait = allowance == null ? 0 : allowance.request(clock.now());
    if (wait == 0) {
      return null;
    }
    replies.counts().limitedRequests++;
    long seconds = 1 + (wait - 1) / 1_000_000_000L;
    return seconds == 1 ? HttpReplies.RETRY : Latin1.bytes("Retry-After: " + seconds + "\r\n");
  }

  /// Releases the allowance of a connection that has been closed.
  void closed(HttpSession session) {
    ClientAllowance allowance = session.allowance;
    ClientTable counted = table;
    if (allowance != null && counted != null) {
      session.allowance = null;
      counted.close(allowance, clock.now());
    }
  }

  /// Reads the header that a proxy sends with the address of its client.
  ///
  /// @return the number of bytes consumed
  int preface(Connection connection, HttpSession session, View input) {
    ProxyHeader header = session.proxyHeader;
    if (header == null) {
      throw new IllegalStateException("a preface that was not expected");
    }
    switch (header.take(input)) {
      case INCOMPLETE -> {}
      case ADDRESS -> {
        session.noteAddress(header.high(), header.low());
        ended(connection, session);
      }
      case NO_ADDRESS -> ended(connection, session);
      case MALFORMED -> {
        replies.counts().proxyFailures++;
        connection.abort();
      }
    }
    return header.taken();
  }

  private void ended(Connection connection, HttpSession session) {
    replies.counts().proxyHeaders++;
    session.proxyHeader = null;
    connection.expectPreface(false);
    admit(connection, session);
  }
}
