package sluice.loop;

import sluice.memory.View;

/// A protocol: frames and answers the messages of connections. There is one instance per loop. Its
/// methods run on the loop's thread, to completion, and must not block.
public interface Protocol {
  /// Handles an accepted connection.
  default void opened(Connection connection) {}

  /// Handles bytes of a preface while [Connection#expectPreface] is on. A preface precedes
  /// everything else, TLS included; an example is the client address sent by a proxy. The protocol
  /// switches [Connection#expectPreface] off after the last byte of the preface and before this
  /// method returns. It answers a malformed preface with [Connection#abort].
  ///
  /// @param input the bytes, valid until this method returns
  /// @return the number of bytes taken: all, until the preface has ended
  default int preface(Connection connection, View input) {
    connection.expectPreface(false);
    return 0;
  }

  /// Handles received bytes: consumes whole messages from the front and stages replies in
  /// [Connection#output]. Bytes that are not consumed are kept and shown again with those that
  /// follow.
  ///
  /// The protocol stops consuming and returns after deferring a message ([Connection#defer]), after
  /// [Connection#holdInput] and [Connection#close], and when [Connection#outputFull] returns true.
  /// The rest is shown again when there is room.
  ///
  /// @param input the bytes, valid until this method returns
  /// @return the number of bytes consumed, 0 to `input.length()`
  int received(Connection connection, View input);

  /// Receives into the protocol's own memory: called when all input so far was consumed and
  /// [Connection#expectLong] is on. The next bytes may be taken by [Connection#receiveInto] until
  /// this method returns.
  default void caughtUp(Connection connection) {}

  /// Handles the bytes of an unfinished message when the peer will send no more. Called before
  /// [#ended], which drops them.
  ///
  /// @param input valid until this method returns
  default void leftOver(Connection connection, View input) {}

  /// Handles the end of input: the peer will send no more. Replies that are staged or deferred are
  /// still sent; `leftover` bytes of an unfinished message are dropped.
  default void ended(Connection connection, int leftover) {
    connection.close();
  }

  /// Handles the end of input of a TLS connection whose peer sent no `close_notify`, in place of
  /// [#ended]. The input may have been cut short by an attacker (RFC 8446, 6.1). A protocol that
  /// handles messages before they are complete must not take this for the end of a message.
  default void truncated(Connection connection, int leftover) {
    if (leftover > 0) {
      connection.abort();
    } else {
      ended(connection, 0);
    }
  }

  /// Handles the passing of the deadline set with [Connection#deadline].
  default void timedOut(Connection connection) {
    connection.abort();
  }

  /// Handles a connection above the connection limit: tells the client and closes the connection.
  default void overloaded(Connection connection) {
    connection.abort();
  }

  /// Returns true if clients beyond the limit of connections or descriptors should wait in the
  /// queue of the listening socket instead of being refused.
  default boolean waitsForPlace() {
    return false;
  }

  /// Returns true if an idle connection ([Connection#idle]) may be closed now for a new client.
  /// Called for the connections that have been idle longest, when places or descriptors are short.
  default boolean mayMakeRoom(Connection connection) {
    return true;
  }

  /// Prepares for the close of a connection in favor of a new client, which follows at once.
  default void makesRoom(Connection connection) {}

  /// Handles the drain of the server: finishes the requests in progress, then closes. Called once
  /// for each connection.
  default void draining(Connection connection) {
    connection.close();
  }

  /// Continues after the kernel has taken the output up to the number given to
  /// [Connection#awaitSent].
  default void sent(Connection connection) {}

  /// Releases the objects attached to a connection that is gone.
  default void closed(Connection connection) {}
}
