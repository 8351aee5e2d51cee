package sluice.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.loop.poller.Poller;
import sluice.sys.EventFd;

/// A world on the real kernel: subjects are event counters, and time is real. Owned by the test's
/// thread; delayed actions run on threads of their own.
public final class PollerContractKernel implements PollerContractWorld {
  private final Backend backend;
  private final List<Counter> counters = new ArrayList<>();
  private final List<Poller> pollers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  public PollerContractKernel(Backend backend) {
    this.backend = backend;
  }

  private record Counter(EventFd event) implements Subject {
    @Override
    public int fd() {
      return event.fd();
    }

    @Override
    public void readable(boolean readable) {
      if (readable) {
        event.signal();
      } else {
        event.drain();
      }
    }

    @Override
    public void close() {
      event.close();
    }
  }

  @Override
  public Poller open(int maxEntries) throws IOException {
    Poller poller = Poller.open(maxEntries, backend);
    pollers.add(poller);
    return poller;
  }

  @Override
  public Subject subject() throws IOException {
    Counter counter = new Counter(EventFd.open(true));
    counters.add(counter);
    return counter;
  }

  @Override
  public void later(long delayNanos, Runnable action) {
    threads.add(
        Thread.ofPlatform()
            .name("later")
            .start(() -> {
              try {
                TimeUnit.NANOSECONDS.sleep(delayNanos);
                action.run();
              } catch (Throwable e) { // reported by close, on the test's thread
                failure.compareAndSet(null, e);
              }
            }));
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void close() {
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while " + thread + " runs", e);
      }
    }
    pollers.forEach(Poller::close);
    counters.forEach(Counter::close);
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("beside the test's thread", thrown);
    }
  }
}
