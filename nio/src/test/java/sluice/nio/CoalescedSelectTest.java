package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import sluice.nio.readiness.ReadinessSelector;
import sluice.testbase.Await;

/// A select whose wait is coalesced ends for every reason that another select ends for. Only the
/// readiness engine coalesces; the other providers are the control.
class CoalescedSelectTest extends Scenario {
  private static final int CONNECTIONS = 20;
  private static final int REQUESTS = 50;
  private static final int REQUEST_BYTES = 100;

  private static Selector coalesced(Selector selector) {
    if (selector instanceof ReadinessSelector readiness) {
      readiness.coalescing().begin();
    }
    return selector;
  }

  @Test
  void oneArrivalEndsIt() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    for (int i = 0; i < 100; i++) {
      send(link.far(), "x");
      assertThat(coalesced(selector).select()).isEqualTo(1);
      assertThat(selector.selectedKeys()).containsExactly(key);
      selector.selectedKeys().clear();
      assertThat(text(readFully(link.near(), 1))).isEqualTo("x");
    }
  }

  @Test
  void anArrivalThatComesLateEndsIt() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, OP_READ);
    Task<Integer> selecting = Task.start(() -> coalesced(selector).select());
    selecting.awaitBlocked("select");
    send(link.far(), "x");
    assertThat(selecting.join()).isEqualTo(1);
  }

  @Test
  void aWakeupEndsIt() throws Exception {
    Selector selector = selector();
    register(link().near(), selector, OP_READ);
    AtomicBoolean stop = new AtomicBoolean();
    Task<Integer> selecting =
        Task.start(() -> {
          int woken = 0;
          while (!stop.get()) {
            assertThat(coalesced(selector).select()).isZero();
            woken++;
          }
          return woken;
        });
    for (int i = 0; i < 1000; i++) {
      selector.wakeup();
    }
    selecting.awaitBlocked("select");
    stop.set(true);
    selector.wakeup();
    assertThat(selecting.join()).isPositive();
  }

  @Test
  void itsTimeEndsIt() throws Exception {
    Selector selector = selector();
    register(link().near(), selector, OP_READ);
    for (long millis = 1; millis < 10; millis++) {
      long start = System.nanoTime();
      assertThat(coalesced(selector).select(millis)).isZero();
      assertThat(System.nanoTime() - start)
          .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(millis - 1));
    }
  }

  @Test
  void anInterruptEndsIt() throws Exception {
    Selector selector = selector();
    register(link().near(), selector, OP_READ);
    Task<Boolean> selecting =
        Task.start(() -> {
          coalesced(selector).select();
          return Thread.interrupted();
        });
    selecting.awaitBlocked("select");
    selecting.thread().interrupt();
    assertThat(selecting.join()).isTrue();
  }

  @Test
  void closingEndsIt() throws Exception {
    Selector selector = selector();
    register(link().near(), selector, OP_READ);
    Task<Integer> selecting = Task.start(() -> coalesced(selector).select());
    selecting.awaitBlocked("select");
    selector.close();
    Throwable outcome = selecting.outcome();
    assertThat(outcome == null || outcome instanceof ClosedSelectorException).isTrue();
  }

  @Test
  void anotherThreadTakesItsChannelAway() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    AtomicBoolean stop = new AtomicBoolean();
    Task<Boolean> selecting =
        Task.start(() -> {
          while (!stop.get()) {
            coalesced(selector).select(1);
          }
          return true;
        });
    send(link.far(), pattern(1000));
    key.cancel();
    Await.until("a channel without a key", () -> !link.near().isRegistered());
    link.near().configureBlocking(true);
    assertThat(readFully(link.near(), 1000)).isEqualTo(pattern(1000));
    stop.set(true);
    assertThat(selecting.join()).isTrue();
  }

  /// One thread selects and drops the interest, another answers, as in servers with workers.
  @Test
  void requestsHandedToAWorkerAreAllAnswered() throws Exception {
    Selector selector = selector();
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Link link = link();
      links.add(link);
      register(link.near(), selector, OP_READ);
    }
    BlockingQueue<SelectionKey> toServe = new LinkedBlockingQueue<>();
    Queue<SelectionKey> served = new ConcurrentLinkedQueue<>();
    AtomicBoolean stop = new AtomicBoolean();
    Task<Boolean> selecting = Task.start(() -> select(selector, toServe, served, stop));
    Task<Boolean> worker = Task.start(() -> answer(selector, toServe, served));
    List<Task<byte[]>> peers = new ArrayList<>();
    byte[] all = pattern(REQUESTS * REQUEST_BYTES);
    for (Link link : links) {
      peers.add(
          Task.start(() -> {
            ByteBuffer got = ByteBuffer.allocate(all.length);
            for (int i = 0; i < REQUESTS; i++) {
              link.far().getOutputStream().write(all, i * REQUEST_BYTES, REQUEST_BYTES);
              got.put(receive(link.far(), REQUEST_BYTES));
            }
            return got.array();
          }));
    }
    for (Task<byte[]> peer : peers) {
      assertThat(peer.join()).isEqualTo(all);
    }
    stop.set(true);
    selector.wakeup();
    assertThat(selecting.join()).isTrue();
    worker.thread().interrupt();
    assertThat(worker.failure()).isInstanceOf(InterruptedException.class);
  }

  private static boolean select(
      Selector selector,
      BlockingQueue<SelectionKey> toServe,
      Queue<SelectionKey> served,
      AtomicBoolean stop)
      throws Exception {
    while (!stop.get()) {
      coalesced(selector).select();
      for (SelectionKey key = served.poll(); key != null; key = served.poll()) {
        key.interestOps(OP_READ);
      }
      for (SelectionKey key : selector.selectedKeys()) {
        key.interestOps(0);
        toServe.add(key);
      }
      selector.selectedKeys().clear();
    }
    return true;
  }

  private static boolean answer(
      Selector selector, BlockingQueue<SelectionKey> toServe, Queue<SelectionKey> served)
      throws Exception {
    ByteBuffer bytes = ByteBuffer.allocateDirect(REQUEST_BYTES);
    while (true) {
      SelectionKey key = toServe.take();
      SocketChannel channel = (SocketChannel) key.channel();
      channel.read(bytes.clear());
      writeFully(channel, bytes.flip());
      served.add(key);
      selector.wakeup();
    }
  }
}
