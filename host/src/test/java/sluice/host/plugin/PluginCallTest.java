package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;

/// A call of a plug-in that is interrupted because it takes too long, by another thread and late.
final class PluginCallTest {
  private static final int CALLS = 4_000;

  /// Answers 500 if it finds its thread interrupted, takes up to 40 µs, and answers 200.
  private static final class Probe implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      int status = Thread.interrupted() ? 500 : 200;
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(40_000));
      return PluginReply.of(status, "text/plain", new byte[0]);
    }
  }

  @Test
  void aLateInterruptReachesNoOtherCall() throws Exception {
    LinkedBlockingQueue<PluginCall> calls = new LinkedBlockingQueue<>();
    Probe plugin = new Probe();
    Thread runner =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                while (true) {
                  calls.take().run(plugin);
                }
              } catch (InterruptedException e) {
                // No call is interrupted between calls: the test looks whether this one lives.
              }
            });
    SplittableRandom random = new SplittableRandom(1);
    int late = 0;
    int wrong = 0;
    try (ExecutorService others =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (int i = 0; i < CALLS; i++) {
        PluginCall call = new PluginCall(request());
        calls.add(call);
        PluginOutcome outcome =
            call.await(
                Duration.ofNanos(1 + random.nextLong(80_000)),
                task ->
                    others.execute(() -> {
                      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000));
                      task.run();
                    }));
        if (outcome instanceof PluginOutcome.Replied replied) {
          wrong += replied.reply().status() == 200 ? 0 : 1;
        } else {
          late++;
        }
      }
    }
    assertThat(runner.isAlive()).as("no interrupt between calls").isTrue();
    runner.interrupt();
    assertThat(wrong).as("calls that another's interrupt reached").isZero();
    assertThat(late).as("calls that were interrupted").isPositive();
  }

  private static PluginRequest request() {
    return new PluginRequest("GET", "/", null, Map.of(), new byte[0]);
  }
}
