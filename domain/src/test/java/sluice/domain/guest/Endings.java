package sluice.domain.guest;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/// Ways of threads to end. Loaded in domains only.
@SuppressWarnings({"all", "unused"})
public final class Endings {
  public static void main(String[] arguments) {
    waits();
  }

  /// Throws, as an application does.
  public static final class Throws implements Runnable {
    public void run() {
      throw new IllegalStateException("of the application");
    }
  }

  /// Throws what throws when it is asked for its text.
  public static final class ThrowsTheUnspeakable implements Runnable {
    static final class Unspeakable extends RuntimeException {
      public String toString() {
        throw new AssertionError();
      }
    }

    public void run() {
      throw new Unspeakable();
    }
  }

  /// Waits in a thread whose handler prints, and in its own; both say that they were interrupted.
  public static final class SaysWhatInterrupts implements Runnable {
    public void run() {
      Thread other = new Thread(Endings::waits);
      other.setUncaughtExceptionHandler((_, e) -> System.err.println("handled " + e));
      other.start();
      try {
        waits();
      } catch (IllegalStateException e) {
        e.printStackTrace();
        System.out.println(e);
        throw e;
      }
    }
  }

  private static void waits() {
    try {
      Thread.sleep(1_000_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Runs virtual threads whose handlers throw, more than a domain has carriers; then one more.
  public static final class HandlersThrow implements Runnable {
    public void run() {
      ThreadFactory threads = Thread.ofVirtual().factory();
      try {
        for (int i = 0; i < 10; i++) {
          Thread thread = threads.newThread(new Throws());
          thread.setUncaughtExceptionHandler((_, e) -> {
            throw new IllegalArgumentException("a handler", e);
          });
          thread.start();
          thread.join();
        }
        CountDownLatch ran = new CountDownLatch(1);
        threads.newThread(ran::countDown).start();
        ran.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
