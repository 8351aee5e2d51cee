package sluice.domain.portal.copy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;

/// The state of one copy of an object graph: its remaining quota, its depth, and the objects
/// visited so far. Owned by the copying thread, for the arguments of one call or for its result.
///
/// The walk is depth-first. The copy of a mutable object is recorded before its fields are
/// followed, so that a cycle ends there. The copy of a record is recorded when it is built, because
/// a cycle cannot consist of records alone. A hash-based or sorted collection is filled once its
/// keys are complete. If a key leads back to an incomplete object, the collection is filled after
/// the walk.
///
/// Objects met before are found by reference comparison, in an array while they are few and in an
/// [IdentityHashMap] beyond that, so no code of the sender runs. The first object has fields of its
/// own, so that a graph of one object needs no array. If all objects since the last change of class
/// have the same class, an object is compared only with those met since the first one of its class.
public final class CopyContext {
  /// The maximum nesting depth of objects. Each level requires two stack frames.
  public static final int MAX_DEPTH = 400;

  private static final int SCANNED = 24;

  /// The initial size of `met`, which is sufficient for 16 objects and their copies.
  private static final int FIRST_MET = 32;

  private static final @Nullable Object[] NOTHING = new Object[0];
  private static final int[] NOWHERE = new int[0];

  private final Copiers copiers;
  private final References references;
  private long bytesLeft;
  private int objectsLeft;
  private int depth;

  /// The most recently copied class, because the elements of a collection usually have the same
  /// class.
  private @Nullable Class<?> lastType;

  private @Nullable Copier lastCopier;

  /// A bit set of the hashes of all copied classes. If the bit of a class is clear, no object of
  /// that class has been copied yet.
  private long types;

  /// A lower bound on the numbers of objects of the class `lastType`.
  private int from;

  private @Nullable Object firstSource;
  private @Nullable Object firstCopy;

  /// The sources of all objects but the first, each followed by its copy.
  private @Nullable Object[] met = NOTHING;

  /// The numbers of the incomplete objects, innermost last: the path to the current position.
  private int[] open = NOWHERE;

  private int openCount;
  private int count;
  private @Nullable IdentityHashMap<Object, Integer> index;
  private int backEdges;
  private @Nullable List<Runnable> late;
  private boolean isOfCall;
  private @Nullable Loans loans;
  private final CopyQuota quota;
  private @Nullable HashWork hashWork;

  CopyContext(Copiers copiers, References references, CopyQuota quota) {
    this.copiers = copiers;
    this.references = references;
    this.quota = quota;
    this.bytesLeft = quota.bytes();
    this.objectsLeft = quota.objects();
  }

  /// Copies one more root. The roots of one context share objects and quota.
  ///
  /// @throws CopyRefused if an object in it cannot be copied, or if it exceeds the quota
  public @Nullable Object root(@Nullable Object source) {
    try {
      Object copy = any(source);
      finish();
      return copy;
    } catch (CopyRefused refused) {
      throw refused;
    } catch (StackOverflowError e) {
      throw tooDeep(source);
    } catch (RuntimeException e) {
      throw receiverThrew(source, e);
    }
  }

  /// Copies an argument or result whose declared type is `type`; otherwise as [#root(Object)].
  ///
  /// @throws CopyRefused as [#root(Object)] does
  public @Nullable Object root(@Nullable Object source, Class<?> type) {
    Object passed = source == null ? null : references.promoted(source, type);
    return passed == null ? root(source) : passed;
  }

  /// Makes this a context for the arguments of a call: memory is only lent, for the time of the
  /// call.
  ///
  /// @param of the place where the loans are recorded; null for this context, whose [#endCall] ends
  ///   them
  public CopyContext forCall(@Nullable Loans of) {
    isOfCall = true;
    loans = of;
    return this;
  }

  /// Revokes the memory that was lent for the duration of the call.
  public void endCall() {
    if (loans != null) {
      loans.end();
    }
  }

  /// Returns the receiver's view of live memory.
  Memory memory(Memory whole) {
    if (!isOfCall) {
      return whole.slice(0, whole.lengthBytes());
    }
    Loans noted = loans;
    if (noted == null) {
      noted = new Loans();
      loans = noted;
    }
    return noted.lend(whole);
  }

  Counterparts counterparts() {
    return copiers.counterparts();
  }

  /// Copies the value of a field whose declared interface may be passed by reference.
  @Nullable Object declared(@Nullable Object source, Class<?> type) {
    Object passed = source == null ? null : references.promoted(source, type);
    return passed == null ? any(source) : passed;
  }

  @Nullable Object any(@Nullable Object source) {
    if (source == null) {
      return null;
    }
    if (source instanceof String text) {
      charge(24 + 2L * text.length());
      return text;
    }
    return copier(source.getClass()).copy(source, this);
  }

  /// Returns the copier for the next object, which has the given class.
  Copier copier(Class<?> type) {
    Copier copier = lastCopier;
    if (copier == null || type != lastType) {
      copier = copiers.of(type);
      next(type, copier);
    }
    return copier;
  }

  /// Records the class of the object that is copied next.
  void next(Class<?> type, Copier copier) {
    if (type != lastType) {
      lastType = type;
      lastCopier = copier;
      long bit = 1L << type.hashCode();
      from = (types & bit) == 0 ? count : 0;
      types |= bit;
    }
  }

  /// Copies the value of a field that is expected to be of the declared class. Where this is
  /// inlined, the copier is a constant, so no table is searched and the copy is inlined too.
  @Nullable Object expected(@Nullable Object source, Class<?> type, Copier copier) {
    if (source == null || source.getClass() != type) {
      return any(source);
    }
    next(type, copier);
    return copier.copy(source, this);
  }

  @Nullable Object string(@Nullable Object source) {
    if (source != null) {
      charge(24 + 2L * ((String) source).length());
    }
    return source;
  }

  /// Returns the receiver's reference to a portal or service, or null if the object must be copied.
  @Nullable Object reference(Object source) {
    return references.known(source);
  }

  void charge(long bytes) {
    bytesLeft -= bytes;
    objectsLeft--;
    if ((bytesLeft | objectsLeft) < 0) {
      throw tooMuch();
    }
  }

  /// Charges for the hash of a key before the key is added to a hash-based collection.
  void hash(Object collection, @Nullable Object key) {
    if (key == null || HashWork.isLeaf(key)) {
      return;
    }
    HashWork work = hashWork;
    if (work == null) {
      work = new HashWork(quota, MAX_DEPTH);
      hashWork = work;
    }
    work.charge(collection, key);
  }

  private CopyRefused tooMuch() {
    return new CopyRefused(
        CopyRefused.Reason.QUOTA,
        "this much",
        "the call's quota of " + (bytesLeft < 0 ? "bytes" : "objects") + " is used up.",
        "pass less, pass a portal to it, or raise the receiver's copy quota.");
  }

  /// Begins an object, which charges for it and increments the depth.
  void enter(Object source, long bytes) {
    charge(bytes);
    if (++depth > MAX_DEPTH) {
      throw tooDeep(source);
    }
  }

  /// Returns the copy of an object that has been visited before, or null if it has not.
  @Nullable Object met(Object source) {
    if (count == from) {
      return null;
    }
    int at = find(source);
    if (at < 0) {
      return null;
    }
    for (int i = openCount - 1; i >= 0; i--) {
      if (open[i] == at) {
        backEdges++;
        break;
      }
    }
    return at == 0 ? firstCopy : met[2 * at - 1];
  }

  private int find(Object source) {
    if (index != null) {
      Integer at = index.get(source);
      return at == null ? -1 : at;
    }
    @Nullable Object[] all = met;
    for (int i = 2 * count - 4, last = 2 * from - 2; i >= 0 && i >= last; i -= 2) {
      if (all[i] == source) {
        return i / 2 + 1;
      }
    }
    return firstSource == source ? 0 : -1;
  }

  /// Records the copy of an object whose fields have not been set yet.
  void shell(Object source, Object copy) {
    int number = add(source, copy);
    if (openCount == open.length) {
      open = Arrays.copyOf(open, Math.max(4, 2 * openCount));
    }
    open[openCount++] = number;
  }

  private int add(Object source, Object copy) {
    if (count == 0) {
      firstSource = source;
      firstCopy = copy;
      return count++;
    }
    int at = 2 * count - 2;
    if (at == met.length) {
      met = Arrays.copyOf(met, Math.max(FIRST_MET, 2 * at));
    }
    met[at] = source;
    met[at + 1] = copy;
    if (index != null) {
      index.put(source, count);
    } else if (count == SCANNED) {
      index = new IdentityHashMap<>(4 * SCANNED);
      index.put(java.util.Objects.requireNonNull(firstSource), 0);
      for (int i = 1; i <= count; i++) {
        index.put(java.util.Objects.requireNonNull(met[2 * i - 2]), i);
      }
    }
    return count++;
  }

  /// Marks the innermost incomplete object as complete.
  void complete() {
    openCount--;
    depth--;
  }

  /// Records the copy of an immutable object, which is complete immediately.
  Object built(Object source, Object copy) {
    add(source, copy);
    depth--;
    return copy;
  }

  int backEdges() {
    return backEdges;
  }

  /// Schedules a hash-based or sorted collection to be filled after the walk, because a key leads
  /// back to an incomplete object.
  void fillLate(Runnable filling) {
    if (late == null) {
      late = new ArrayList<>();
    }
    late.add(filling);
  }

  private void finish() {
    if (late != null) {
      List<Runnable> last = late;
      late = null;
      last.forEach(Runnable::run);
    }
  }

  private static CopyRefused tooDeep(@Nullable Object source) {
    return new CopyRefused(
        CopyRefused.Reason.TOO_DEEP,
        source == null ? "null" : source.getClass().getTypeName(),
        "objects are nested deeper than " + MAX_DEPTH + " levels, or than the stack allows.",
        "keep chains in a list or an array.");
  }

  private static CopyRefused receiverThrew(@Nullable Object source, RuntimeException thrown) {
    return new CopyRefused(
        CopyRefused.Reason.RECEIVER,
        source == null ? "null" : source.getClass().getTypeName(),
        "code of the receiver threw " + thrown.getClass().getTypeName() + ".",
        "pass values that the receiver's constructors, hashCode and compareTo accept.",
        thrown);
  }
}
