package sluice.loop;

import sluice.memory.View;

/// A protocol that frames and answers the messages of connections. There is one instance per loop.
/// Its methods run to completion on the loop's thread and must not block.
public interface Protocol {
  /// Invoked when a connection has been accepted.
  default void opened(Connection connection) {}

  /// Handles bytes of a preface while [Connection#expectPreface] is on. A preface precedes all
  /// other input, including TLS; an example is the client address sent by a proxy. The protocol
  /// calls [Connection#expectPreface] with `false` after the last byte of the preface and before
  /// this method returns. It responds to a malformed preface with [Connection#abort].
  ///
  /// @param input the bytes, valid until this method returns
  /// @return the number of bytes consumed, which must be all bytes until the preface has ended
  default int preface(Connection connection, View input) {
    connection.expectPreface(false);
    return 0;
  }

  /// Handles received bytes. The protocol consumes complete messages from the front and stages
  /// replies in [Connection#output]. Bytes that are not consumed are kept and shown again together
  /// with the bytes that follow.
  ///
  /// The protocol must stop consuming and return after it has deferred a message
  /// ([Connection#defer]), after [Connection#holdInput] and [Connection#close], and when
  /// [Connection#outputFull] returns true. The remaining bytes are shown again when there is room.
  ///
  /// @param input the bytes, valid until this method returns
  /// @return the number of bytes consumed, 0 to `input.length()`
  int received(Connection connection, View input);

  /// Receives input into the protocol's own memory. This method is called when all previous input
  /// has been consumed and [Connection#expectLong] is on. Until it returns, the next bytes may be
  /// received with [Connection#receiveInto].
  default void caughtUp(Connection connection) {}

  /// Handles the bytes of an incomplete message when the peer will send no more. Called before
  /// [#ended], after which the bytes are dropped.
  ///
  /// @param input the bytes, valid until this method returns
  default void leftOver(Connection connection, View input) {}

  /// Handles the end of input, after which the peer will send no more. Staged and deferred replies
  /// are still sent. The `leftover` bytes of an incomplete message are dropped.
  default void ended(Connection connection, int leftover) {
    connection.close();
  }

  /// Handles the end of input of a TLS connection whose peer sent no `close_notify`. Called instead
  /// of [#ended]. An attacker may have truncated the input (RFC 8446, 6.1), so a protocol that
  /// handles messages before they are complete must not treat this as the end of a message.
  default void truncated(Connection connection, int leftover) {
    if (leftover > 0) {
      connection.abort();
    } else {
      ended(connection, 0);
    }
  }

  /// Handles the expiry of the deadline set with [Connection#deadline].
  default void timedOut(Connection connection) {
    connection.abort();
  }

  /// Handles a connection that exceeds the connection limit. Notifies the client and closes the
  /// connection.
  default void overloaded(Connection connection) {
    connection.abort();
  }

  /// Returns true if clients that exceed the limit of connections or descriptors should wait in the
  /// queue of the listening socket instead of being refused.
  default boolean waitsForPlace() {
    return false;
  }

  /// Returns true if an idle connection ([Connection#idle]) may be closed now to make room for a
  /// new client. Called for the connections that have been idle longest, when connections or
  /// descriptors have run out.
  default boolean mayMakeRoom(Connection connection) {
    return true;
  }

  /// Prepares for the close of a connection in favor of a new client. The close follows
  /// immediately.
  default void makesRoom(Connection connection) {}

  /// Handles the drain of the server: completes the requests in progress, then closes the
  /// connection. Called once for each connection.
  default void draining(Connection connection) {
    connection.close();
  }

  /// Continues after the kernel has accepted the output up to the value passed to
  /// [Connection#awaitSent].
  default void sent(Connection connection) {}

  /// Releases the objects attached to a connection that has been closed.
  default void closed(Connection connection) {}
}
