package sluice.domain.portal.copy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;

/// The memory that one call lends to its service. Any thread may call, because a caller that stops
/// waiting revokes the memory from the service's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | lent, ended | both threads of the call | under the lock | under the lock |
public final class Loans {
  private @Nullable List<Memory> lent;
  private boolean ended;

  /// Returns the service's view of memory. The service cannot close the memory, and cannot use it
  /// after the call.
  ///
  /// @throws IllegalStateException if the memory or the call has ended
  Memory lend(Memory whole) {
    Memory loan = whole.lendPart(0, whole.lengthBytes());
    synchronized (this) {
      if (!ended) {
        if (lent == null) {
          lent = new ArrayList<>(2);
        }
        lent.add(loan);
        return loan.slice(0, loan.lengthBytes());
      }
    }
    loan.close();
    throw new IllegalStateException("the call has ended");
  }

  /// Revokes all lent memory.
  public void end() {
    List<Memory> last;
    synchronized (this) {
      ended = true;
      last = lent;
      lent = null;
    }
    if (last != null) {
      last.forEach(Memory::close);
    }
  }
}
