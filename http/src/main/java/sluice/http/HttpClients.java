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

/// Which client a connection is of, and whether it may have another connection or request. Owned by
/// the loop's thread. A request of a server with limits costs one comparison and exchange; of one
/// without, a comparison.
final class HttpClients {
  private final TurnClock clock;
  private final HttpReplies replies;
  private final @Nullable ClientTable table;
  private final List<AddressRange> proxies;
  private final long headerNanos;

  /// @param table what addresses have; null without limits
  HttpClients(
      TurnClock clock, HttpConfig config, HttpReplies replies, @Nullable ClientTable table) {
    this.clock = clock;
    this.replies = replies;
    this.table = table;
    this.proxies = table == null ? List.of() : config.proxies();
    this.headerNanos = config.headerTimeout().toNanos();
  }

  /// A connection was accepted. One of a proxy first tells its client's address.
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

  /// Whether the requests of a connection are counted.
  static boolean counts(HttpSession session) {
    return session.allowance != null;
  }

  /// Counts a request.
  ///
  /// @return null when it is answered; else header lines of its refusal
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

  /// A connection has ended.
  void closed(HttpSession session) {
    ClientAllowance allowance = session.allowance;
    ClientTable counted = table;
    if (allowance != null && counted != null) {
      session.allowance = null;
      counted.close(allowance, clock.now());
    }
  }

  /// What a proxy says of its client.
  ///
  /// @return bytes taken
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
