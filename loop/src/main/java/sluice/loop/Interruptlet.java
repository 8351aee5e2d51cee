package sluice.loop;

import sluice.memory.View;

/// Answers messages where their bytes landed: runs to completion on the loop's thread, and its
/// reply leaves in the kernel crossing of the turn. One instance belongs to one loop, so it may
/// keep plain fields. [Interruptlets] says for which sockets it is.
///
/// It must not block and not take long: while it runs, no other connection of its loop is served.
/// It is trusted and watched. A handler that runs longer than it was admitted for is reported with
/// its stack, fails the server's health, and is disabled when it returns; its messages then go to
/// the slow path.
@FunctionalInterface
public interface Interruptlet {
  /// The reply is complete.
  boolean DONE = true;

  /// The message is not mine: the slow path answers.
  boolean PASS = false;

  /// Answers a message, or leaves it to the slow path.
  ///
  /// What it throws is logged and ends the connection.
  ///
  /// @param message one whole message as the [Framing] says; good until this method returns
  /// @param reply where the reply is staged; good until this method returns. `append` sends bytes
  ///   of the message without copying them
  /// @return [#DONE], or [#PASS]: what was staged is forgotten, and the slow path gets the message
  ///   as it came
  boolean handle(View message, Output reply);
}
