package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Virtual threads that wait in channels leave their carriers to others.
class VirtualThreadTest extends Scenario {
  /// More than the scheduler's carriers with all that it adds for threads that are pinned, 256.
  private static final int MANY = 300;

  @ParameterizedTest
  @EnumSource(names = {"READ", "ACCEPT", "RECEIVE", "PIPE_READ"})
  void hundredsThatBlockStopNoOtherThread(BlockedCall call) throws Exception {
    List<Channel> channels = new ArrayList<>();
    List<Task<?>> blocked = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(MANY);
    for (BlockedCall.Ready ready : prepared(call)) {
      channels.add(ready.channel());
      blocked.add(
          Task.Kind.VIRTUAL.start(() -> {
            started.countDown();
            return ready.call().call();
          }));
    }
    // Each has had a carrier; one more virtual thread gets one too.
    assertThat(started.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(Task.Kind.VIRTUAL.start(() -> 42).join()).isEqualTo(42);
    for (Task<?> task : blocked) {
      assertThat(task.isDone()).isFalse();
    }
    for (Channel channel : channels) {
      channel.close();
    }
    for (Task<?> task : blocked) {
      assertThat(task.failure()).isInstanceOf(java.io.IOException.class);
    }
  }

  /// Prepared side by side: a connection that says nothing is kept from the application for a while
  /// by a front, and these all say nothing.
  private List<BlockedCall.Ready> prepared(BlockedCall call) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(50)) {
      Callable<BlockedCall.Ready> prepare = () -> call.prepare(this);
      List<BlockedCall.Ready> all = new ArrayList<>();
      for (Future<BlockedCall.Ready> one : threads.invokeAll(Collections.nCopies(MANY, prepare))) {
        all.add(one.get());
      }
      return all;
    }
  }

  @Test
  void hundredsThatSelectStopNoOtherThread() throws Exception {
    List<Selector> selectors = new ArrayList<>();
    List<Task<Integer>> selecting = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Selector selector = selector();
      selectors.add(selector);
      selecting.add(Task.Kind.VIRTUAL.start(() -> selector.select()));
    }
    assertThat(Task.Kind.VIRTUAL.start(() -> 42).join()).isEqualTo(42);
    for (Selector selector : selectors) {
      selector.wakeup();
    }
    for (Task<Integer> task : selecting) {
      assertThat(task.join()).isZero();
    }
  }

  @Test
  void aSelectingVirtualThreadHearsOfBytesOfItsTimeAndOfAnInterrupt() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey _ = register(link.near(), selector, SelectionKey.OP_READ);
    assertThat(Task.Kind.VIRTUAL.start(() -> selector.select(50)).join()).isZero();
    Task<Integer> selecting = Task.Kind.VIRTUAL.start(() -> selector.select());
    send(link.far(), "x");
    assertThat(selecting.join()).isEqualTo(1);
    selector.selectedKeys().clear();
    readFully(link.near(), 1);
    Task<Boolean> interrupted =
        Task.Kind.VIRTUAL.start(() -> {
          int _ = selector.select();
          return Thread.interrupted();
        });
    interrupted.thread().interrupt();
    assertThat(interrupted.join()).isTrue();
    assertThat(selector.isOpen()).isTrue();
  }

  @Test
  void pairsOfVirtualThreadsTalk() throws Exception {
    List<Task<Boolean>> tasks = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Pair pair = pair();
      byte[] bytes = pattern(20_000 + i);
      tasks.add(
          Task.Kind.VIRTUAL.start(() -> {
            writeFully(pair.near(), java.nio.ByteBuffer.wrap(bytes));
            return java.util.Arrays.equals(readFully(pair.near(), bytes.length), bytes);
          }));
      tasks.add(
          Task.Kind.VIRTUAL.start(() -> {
            byte[] received = readFully(pair.far(), bytes.length);
            writeFully(pair.far(), java.nio.ByteBuffer.wrap(received));
            return true;
          }));
    }
    for (Task<Boolean> task : tasks) {
      assertThat(task.join()).isTrue();
    }
  }
}
