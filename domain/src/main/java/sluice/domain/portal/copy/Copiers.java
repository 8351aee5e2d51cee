package sluice.domain.portal.copy;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The copiers of one direction, from the classes of one party to those of another. It holds
/// classes of both parties, so it must be dropped when either ends. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | table | under the monitor | volatile | volatile, a new array each time |
public final class Copiers {
  private record Entry(Class<?> type, Copier copier) {}

  private final Counterparts counterparts;
  private volatile @Nullable Entry[] table = new Entry[64];
  private int count;

  /// Creates the copiers for a receiver.
  ///
  /// @param receiver the loader that defines the classes of the copies
  public Copiers(ClassLoader receiver) {
    counterparts = new Counterparts(receiver);
  }

  /// Returns a context for the arguments of one call, or for its result.
  public CopyContext context(References references, CopyQuota quota) {
    return new CopyContext(this, references, quota);
  }

  /// Copies a graph of objects in which nothing is passed by reference.
  ///
  /// @throws CopyRefused if an object in it cannot be copied, or if it exceeds the quota
  public @Nullable Object copy(@Nullable Object source, CopyQuota quota) {
    return context(References.NONE, quota).root(source);
  }

  Counterparts counterparts() {
    return counterparts;
  }

  Copier of(Class<?> type) {
    @Nullable Entry[] entries = table;
    for (int i = type.hashCode() & entries.length - 1; ; i = i + 1 & entries.length - 1) {
      Entry entry = entries[i];
      if (entry == null) {
        return add(type);
      }
      if (entry.type == type) {
        return entry.copier;
      }
    }
  }

  private Copier add(Class<?> type) {
    // Runs outside of the monitor, because it may run code of the receiver.
    Copier made = Objects.requireNonNull(CopierChoice.make(type, this));
    synchronized (this) {
      @Nullable Entry[] old = table;
      @Nullable Entry[] grown = new Entry[2 * count > old.length ? 2 * old.length : old.length];
      for (Entry entry : old) {
        if (entry != null) {
          if (entry.type == type) {
            return entry.copier;
          }
          put(grown, entry);
        }
      }
      put(grown, new Entry(type, made));
      count++;
      table = grown;
      return made;
    }
  }

  private static void put(@Nullable Entry[] entries, Entry entry) {
    int i = entry.type.hashCode() & entries.length - 1;
    while (entries[i] != null) {
      i = i + 1 & entries.length - 1;
    }
    entries[i] = entry;
  }
}
