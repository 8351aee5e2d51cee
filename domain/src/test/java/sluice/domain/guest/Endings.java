package sluice.domain.guest;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/// Guests whose threads end in different ways. Loaded only in domains.
@SuppressWarnings({"all", "unused"})
public final class Endings {
  public static void main(String[] arguments) {
    waits();
  }

  /// Throws an ordinary exception.
  public static final class Throws implements Runnable {
    public void run() {
      throw new IllegalStateException("of the application");
    }
  }

  /// Throws an exception whose text cannot be read without another exception.
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

  /// Waits in its own thread and in one with a handler that prints; both report an interrupt.
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

  /// Runs more virtual threads with throwing handlers than a domain has carriers, and then one
  /// more.
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
