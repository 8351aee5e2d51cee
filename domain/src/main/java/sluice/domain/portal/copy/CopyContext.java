package sluice.domain.portal.copy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;

/// One copy of a graph: its quota, its depth, and which objects were met. Owned by the thread that
/// copies, for the arguments of one call or for its result.
///
/// The walk is depth-first. An object that can change is entered before its fields are followed, so
/// a cycle ends at it; a record is entered when it is built, because a cycle cannot consist of
/// records alone. A hash or sorted collection is filled when its keys are complete; if a key leads
/// back to an object that is not, the collection is filled after the walk.
///
/// Objects met are found by comparing references, in an array while there are few and in an
/// [IdentityHashMap] beyond: no code of the sender runs. The first has fields of its own, so that
/// what is one object costs no array. An object is compared only with those met since the first of
/// its class, if all since the last change of class are of one.
public final class CopyContext {
  /// Levels of objects inside objects. Each takes two frames of the stack.
  public static final int MAX_DEPTH = 400;

  private static final int SCANNED = 24;

  /// Places for 16 objects and their copies.
  private static final int FIRST_MET = 32;

  private static final @Nullable Object[] NOTHING = new Object[0];
  private static final int[] NOWHERE = new int[0];

  private final Copiers copiers;
  private final References references;
  private long bytesLeft;
  private int objectsLeft;
  private int depth;

  /// What was copied last: elements of a collection are mostly of one class.
  private @Nullable Class<?> lastType;

  private @Nullable Copier lastCopier;

  /// A bit for each class that was copied, by its hash. If it is not set, none was copied yet.
  private long types;

  /// No object with a smaller number is of the class `lastType`.
  private int from;

  private @Nullable Object firstSource;
  private @Nullable Object firstCopy;

  /// Of each later object the source and, behind it, the copy; the first has no place here.
  private @Nullable Object[] met = NOTHING;

  /// Numbers of the objects that are not complete, innermost last: the way to where the walk is.
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

  /// Copies one more root. Roots of one context share objects and quota.
  ///
  /// @throws CopyRefused if something in it cannot be copied, or there is too much of it
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

  /// As [#root], for an argument or result that is declared as `type`.
  ///
  /// @throws CopyRefused as [#root]
  public @Nullable Object root(@Nullable Object source, Class<?> type) {
    Object passed = source == null ? null : references.promoted(source, type);
    return passed == null ? root(source) : passed;
  }

  /// Has memory be lent for the time of the call whose arguments this copies.
  ///
  /// @param of where the loans are noted; null for this context, whose [#endCall] ends them
  public CopyContext forCall(@Nullable Loans of) {
    isOfCall = true;
    loans = of;
    return this;
  }

  /// Takes back what was lent for the call.
  public void endCall() {
    if (loans != null) {
      loans.end();
    }
  }

  /// What the receiver gets of memory that lives.
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

  /// A field that is declared as an interface which may be passed by reference.
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

  /// The copier of the object that is copied next.
  Copier copier(Class<?> type) {
    Copier copier = lastCopier;
    if (copier == null || type != lastType) {
      copier = copiers.of(type);
      next(type, copier);
    }
    return copier;
  }

  /// What is copied next is of that class.
  void next(Class<?> type, Copier copier) {
    if (type != lastType) {
      lastType = type;
      lastCopier = copier;
      long bit = 1L << type.hashCode();
      from = (types & bit) == 0 ? count : 0;
      types |= bit;
    }
  }

  /// A field whose value is of the class that the field is declared as, or of one below. The copier
  /// is a constant where this is inlined, and so no table is asked and the copy is inlined too.
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

  /// What the receiver has for a portal or service; null if the object is to be copied.
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

  /// Before a key is put into a collection that asks for its hash.
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

  /// Begins an object: it costs, and its fields are one level deeper.
  void enter(Object source, long bytes) {
    charge(bytes);
    if (++depth > MAX_DEPTH) {
      throw tooDeep(source);
    }
  }

  /// The copy of an object that was met before, or null.
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

  /// Enters the copy of an object whose fields are not yet set.
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

  /// All fields of the innermost object that is not complete are set.
  void complete() {
    openCount--;
    depth--;
  }

  /// Enters the copy of an object that cannot change, which is complete at once.
  Object built(Object source, Object copy) {
    add(source, copy);
    depth--;
    return copy;
  }

  int backEdges() {
    return backEdges;
  }

  /// Fills a collection by hashes or order after the walk: a key leads back to an object that is
  /// not complete.
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
