package sluice.loop.verdict;

import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.HostThread;

/// The verdicts of the process's [Judge] on handlers. Each class is judged once, on a separate
/// thread. No message waits for a verdict, and a handler is trusted until its verdict is known. Any
/// thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `VERDICTS` | threads that ask, the thread that judges | under its lock | under its lock |
public final class Judges {
  private static final System.Logger LOGGER = System.getLogger("sluice.loop");

  private static final Map<Class<?>, Known> VERDICTS = new WeakHashMap<>();

  /// The current verdict on one class.
  private static final class Known implements Judged {
    private volatile Verdict verdict = Verdict.TRUSTED;

    @Override
    public Verdict verdict() {
      return verdict;
    }
  }

  /// The judge, which is looked up when the first handler is judged.
  private static final class Found {
    static final @Nullable Judge JUDGE = find();

    private static @Nullable Judge find() {
      Iterator<Judge> judges =
          ServiceLoader.load(Judge.class, Judge.class.getClassLoader()).iterator();
      return judges.hasNext() ? judges.next() : null;
    }
  }

  private Judges() {}

  /// Returns the holder of the verdict on a handler. The holder is updated when the verdict is
  /// known.
  public static Judged of(Object handler) {
    if (handler instanceof Judged known) {
      return known;
    }
    Class<?> type = handler.getClass();
    synchronized (VERDICTS) {
      Known known = VERDICTS.get(type);
      if (known == null) {
        known = new Known();
        VERDICTS.put(type, known);
        Known asked = known;
        HostThread.daemon("judge-" + type.getSimpleName(), () -> judge(type, asked)).start();
      }
      return known;
    }
  }

  private static void judge(Class<?> type, Known known) {
    try {
      Judge judge = Found.JUDGE;
      if (judge != null) {
        known.verdict = judge.of(type);
      }
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.DEBUG, () -> type + " stays trusted: it could not be judged", e);
    }
  }
}
