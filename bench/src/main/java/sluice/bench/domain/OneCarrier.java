package sluice.bench.domain;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import sluice.sys.threads.VirtualThreads;

/// A scheduler of one platform thread that only runs virtual threads. The cost of another scheduler
/// beyond this one is its own.
final class OneCarrier implements Executor {
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
  private final LinkedBlockingQueue<Runnable> arriving = new LinkedBlockingQueue<>();
  private final Thread carrier = Thread.ofPlatform().daemon().start(this::carry);

  @Override
  public void execute(Runnable continuation) {
    if (VirtualThreads.carrier() == carrier) {
      ready.add(continuation);
    } else {
      arriving.add(continuation);
    }
  }

  private void carry() {
    try {
      while (true) {
        Runnable next = ready.poll();
        (next == null ? arriving.take() : next).run();
      }
    } catch (InterruptedException e) {
      // the end
    }
  }
}
