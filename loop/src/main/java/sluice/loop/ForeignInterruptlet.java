package sluice.loop;

import java.io.IOException;
import java.nio.file.Path;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.sys.HandlerSymbol;

/// An interruptlet in C: a function of a shared library, called on the bytes where they were
/// received and writing its reply where it is sent from. One instance belongs to one loop.
///
/// ```c
/// int handle(const void *request, size_t length, void *reply, size_t capacity);
/// ```
///
/// The function returns the length of its reply in bytes, or a negative number to pass the message
/// on. It is trusted like the JVM itself: writes outside of the reply are not detected. It is timed
/// as every handler is; a function that never returns stops the loop for good.
///
/// Limits: a reply of at most [#CAPACITY_BYTES]; a function that claims to have written more ends
/// the connection, and its name is in the log.
public final class ForeignInterruptlet implements Interruptlet {
  /// The room for a reply, in bytes.
  public static final int CAPACITY_BYTES = 16 << 10;

  private final HandlerSymbol symbol;
  private final OutputMark mark = new OutputMark();

  private ForeignInterruptlet(HandlerSymbol symbol) {
    this.symbol = symbol;
  }

  /// Finds a function and loads its library, which stays loaded until the process ends.
  ///
  /// @throws IOException if there is no such library or function; the message says why and how to
  ///   fix it
  public static ForeignInterruptlet of(Path library, String function) throws IOException {
    return new ForeignInterruptlet(HandlerSymbol.find(library, function));
  }

  /// Returns the name of the function and its library.
  public String name() {
    return symbol.name();
  }

  @Override
  public boolean handle(View message, Output reply) {
    Block request = reply.inputBlock(message);
    mark.set(reply);
    long at = reply.claim(CAPACITY_BYTES);
    Block slab = reply.staging().slab();
    int written =
        symbol.call(
            request.segment().address() + reply.inputOffset(),
            message.length(),
            slab.segment().address() + at,
            CAPACITY_BYTES);
    if (written > CAPACITY_BYTES) {
      throw new IllegalStateException(
          symbol.name()
              + " says that it has written "
              + written
              + " bytes. Why: its reply has room for "
              + CAPACITY_BYTES
              + ". Fix: return at most the capacity that it was given.");
    }
    if (written <= 0) {
      mark.rollback();
      return written == 0 ? DONE : PASS;
    }
    mark.clear();
    reply.unclaim(CAPACITY_BYTES - written);
    return DONE;
  }
}
