package sluice.loop;

import sluice.memory.View;

/// Frames and answers the messages of connections. One instance per loop: its methods run on the
/// loop's thread, to completion, and must not block.
public interface Protocol {
  /// A connection was accepted.
  default void opened(Connection connection) {}

  /// Bytes of a preface have arrived, which comes before everything else, TLS included, such as the
  /// address of the client that a proxy stands for: while [Connection#expectPreface] is on. Behind
  /// its last byte, and before this returns, switch that off; what is no preface ends by
  /// [Connection#abort].
  ///
  /// @param input the bytes, valid until this method returns
  /// @return bytes taken: all, until it has ended
  default int preface(Connection connection, View input) {
    connection.expectPreface(false);
    return 0;
  }

  /// Bytes have arrived. Consume whole messages from the front and stage replies in
  /// [Connection#output]; what is not consumed is kept and shown again with what comes later.
  ///
  /// Stop consuming, and return, after a message that was deferred ([Connection#defer]), after
  /// [Connection#holdInput] and [Connection#close], and when [Connection#outputFull] says so: the
  /// rest is shown again when there is room.
  ///
  /// @param input the bytes, valid until this method returns
  /// @return bytes consumed, 0 to `input.length()`
  int received(Connection connection, View input);

  /// All that has come so far was consumed, and [Connection#expectLong] is on: what comes next may
  /// be taken by [Connection#receiveInto] until this method returns.
  default void caughtUp(Connection connection) {}

  /// The peer will send no more, and these bytes of an unfinished message are all there is of it.
  /// Called before [#ended], by which they are dropped.
  ///
  /// @param input valid until this method returns
  default void leftOver(Connection connection, View input) {}

  /// The peer will send no more. Replies that are staged or deferred still go out; `leftover` bytes
  /// of an unfinished message are dropped.
  default void ended(Connection connection, int leftover) {
    connection.close();
  }

  /// As [#ended] on a connection with TLS whose peer did not say so by `close_notify`: what it sent
  /// may have been cut short by an attacker (RFC 8446, 6.1). A protocol whose messages are handled
  /// before they are complete must not take this for the end of one.
  default void truncated(Connection connection, int leftover) {
    if (leftover > 0) {
      connection.abort();
    } else {
      ended(connection, 0);
    }
  }

  /// The deadline set with [Connection#deadline] has passed.
  default void timedOut(Connection connection) {
    connection.abort();
  }

  /// The connection limit is reached and this connection is one too many: say so and close it.
  default void overloaded(Connection connection) {
    connection.abort();
  }

  /// Returns true if clients beyond the connection limit, or beyond the descriptors, are to wait in
  /// the queue of the listening socket instead of being told.
  default boolean waitsForPlace() {
    return false;
  }

  /// Returns true if a connection that was said to be idle ([Connection#idle]) may be closed now
  /// for a new client. Asked for those that have been idle longest, when places or descriptors are
  /// short.
  default boolean mayMakeRoom(Connection connection) {
    return true;
  }

  /// The connection is closed for a new client, right after this.
  default void makesRoom(Connection connection) {}

  /// The server drains: finish what is under way, then close. Called once for each connection.
  default void draining(Connection connection) {
    connection.close();
  }

  /// The kernel has taken the output up to where [Connection#awaitSent] said.
  default void sent(Connection connection) {}

  /// The connection is gone; release what was attached to it.
  default void closed(Connection connection) {}
}
