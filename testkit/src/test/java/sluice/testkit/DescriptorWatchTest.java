package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.DescriptorWatch;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.sys.EventFd;
import sluice.testbase.Await;

/// Tests of a loop that waits for a descriptor in addition to its connections.
@Timeout(120)
class DescriptorWatchTest {
  private static final long TURN_NANOS = 5_000_000;

  private static Loop loop(Backend backend) throws IOException {
    Engine engine = KernelEngines.open(backend, EngineConfig.DEFAULT);
    return new Loop("watching", engine, LoopConfig.DEFAULT, NanoClock.SYSTEM, Runnable::run);
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void hearsOnceForEachTimeItIsArmed(Backend backend) throws Exception {
    AtomicInteger heard = new AtomicInteger();
    try (EventFd event = EventFd.open(true);
        Loop loop = loop(backend)) {
      DescriptorWatch watch = loop.watch(event.fd(), heard::incrementAndGet);
      for (int round = 1; round <= 3; round++) {
        assertThat(watch.arm(DescriptorWatch.READABLE)).isTrue();
        assertThat(watch.arm(DescriptorWatch.READABLE)).isTrue();
        loop.turn(0);
        assertThat(heard.get()).isEqualTo(round - 1);
        Thread signal = Thread.ofPlatform().start(event::signal);
        Await await = new Await();
        while (heard.get() < round) {
          await.check("what is watched");
          loop.turn(TURN_NANOS);
        }
        signal.join();
        loop.turn(TURN_NANOS); // not armed: nothing is heard
        assertThat(heard.get()).isEqualTo(round);
        assertThat(event.drain()).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void closedHearsNothing(Backend backend) throws Exception {
    AtomicInteger heard = new AtomicInteger();
    try (EventFd event = EventFd.open(true);
        Loop loop = loop(backend)) {
      DescriptorWatch watch = loop.watch(event.fd(), heard::incrementAndGet);
      watch.arm(DescriptorWatch.READABLE);
      loop.turn(0);
      watch.close();
      watch.close();
      event.signal();
      for (int i = 0; i < 5; i++) {
        loop.turn(TURN_NANOS);
      }
      watch.arm(DescriptorWatch.READABLE);
      loop.turn(TURN_NANOS);
      assertThat(heard.get()).isZero();
    }
  }

  /// Checks that closing the loop lets the opener of a watch close the watch and its resources.
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void closesWithItsLoop(Backend backend) throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    try (EventFd event = EventFd.open(true)) {
      try (Loop loop = loop(backend)) {
        DescriptorWatch watch = loop.watch(event.fd(), () -> {});
        watch.arm(DescriptorWatch.READABLE);
        loop.turn(0);
        loop.onClose(() -> {
          watch.close();
          closed.set(true);
        });
      }
      assertThat(closed).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "JDK")
  void anEngineWithoutDescriptorsSaysSo(Backend backend) throws Exception {
    try (EventFd event = EventFd.open(true);
        Loop loop = loop(backend)) {
      assertThat(loop.watch(event.fd(), () -> {}).arm(DescriptorWatch.READABLE)).isFalse();
    }
  }
}
