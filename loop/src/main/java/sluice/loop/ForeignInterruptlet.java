package sluice.loop;

import java.io.IOException;
import java.nio.file.Path;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.sys.HandlerSymbol;

/// An interruptlet written in C. It is a function of a shared library that is called with the bytes
/// in the place where they were received and writes its reply in the place from which it is sent.
/// One instance belongs to one loop.
///
/// ```c
/// int handle(const void *request, size_t length, void *reply, size_t capacity);
/// ```
///
/// The function returns the length of its reply in bytes, or a negative number to pass the message
/// to the slow path. It is trusted like the JVM itself, and writes outside of the reply are not
/// detected. It is timed like every other handler. A function that never returns blocks the loop
/// permanently.
///
/// A reply may have at most [#CAPACITY_BYTES]. If the function claims to have written more, the
/// connection is closed and the function's name is logged.
public final class ForeignInterruptlet implements Interruptlet {
  /// The maximum size of a reply in bytes.
  public static final int CAPACITY_BYTES = 16 << 10;

  private final HandlerSymbol symbol;
  private final OutputMark mark = new OutputMark();

  private ForeignInterruptlet(HandlerSymbol symbol) {
    this.symbol = symbol;
  }

  /// Looks up a function and loads its library, which stays loaded until the process terminates.
  ///
  /// @throws IOException if the library or the function does not exist; the message states the
  ///   reason and the fix
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
