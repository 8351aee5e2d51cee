package sluice.domain.portal.copy;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The copiers of one direction: from classes that one party uses to those that another defines.
/// Any thread may use it. It holds classes of both sides, so it must be dropped with either.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | table | under the monitor | volatile | volatile, a new array each time |
public final class Copiers {
  private record Entry(Class<?> type, Copier copier) {}

  private final Counterparts counterparts;
  private volatile @Nullable Entry[] table = new Entry[64];
  private int count;

  /// @param receiver defines the classes of the copies
  public Copiers(ClassLoader receiver) {
    counterparts = new Counterparts(receiver);
  }

  /// A context for the arguments of one call, or for its result.
  public CopyContext context(References references, CopyQuota quota) {
    return new CopyContext(this, references, quota);
  }

  /// Copies one graph in which nothing passes by reference.
  ///
  /// @throws CopyRefused if something in it cannot be copied, or there is too much of it
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
    // outside the monitor: code of the receiver may run
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
