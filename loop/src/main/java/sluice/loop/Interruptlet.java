package sluice.loop;

import sluice.memory.View;

/// A handler that answers messages in place: it runs to completion on the loop's thread over the
/// bytes where they were received, and its reply leaves in the kernel crossing of the same turn.
/// One instance belongs to one loop, so it may keep plain fields. [Interruptlets] describes the
/// sockets it suits.
///
/// An interruptlet must not block and must be short: while it runs, no other connection of its loop
/// is served. It is trusted and watched. A handler that exceeds its limit is reported with its
/// stack, fails the server's health, and is disabled when it returns; its messages then go to the
/// slow path.
@FunctionalInterface
public interface Interruptlet {
  /// The result if the reply is complete.
  boolean DONE = true;

  /// The result if the slow path has to answer the message.
  boolean PASS = false;

  /// Answers a message, or leaves it to the slow path. An exception is logged and ends the
  /// connection.
  ///
  /// @param message one whole message as defined by the [Framing]; valid until this method returns
  /// @param reply takes the staged reply; valid until this method returns. `append` sends bytes of
  ///   the message without copying them
  /// @return [#DONE]; or [#PASS], which discards the staged bytes and gives the unchanged message
  ///   to the slow path
  boolean handle(View message, Output reply);
}
