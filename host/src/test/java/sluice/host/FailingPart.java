package sluice.host;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import sluice.host.life.Part;
import sluice.sys.threads.Uninterrupted;

/// A part that reports a stuck thread or fails when a test tells it to. Thread-safe.
final class FailingPart implements Part {
  private final CountDownLatch failed = new CountDownLatch(1);
  private volatile boolean isDegraded;

  void degrade() {
    isDegraded = true;
  }

  void fail() {
    failed.countDown();
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public String describe() {
    return "a part of a test";
  }

  @Override
  public List<String> stuck(Duration within) {
    return isDegraded ? List.of("its thread") : List.of();
  }

  @Override
  public String problem() {
    return "it was told to";
  }

  @Override
  public void drain(String why, Duration atMost, Consumer<String> told) {}

  @Override
  public boolean awaitEnd() {
    Uninterrupted.await(failed::await);
    return false;
  }

  @Override
  public void close() {}
}
