package sluice.loop.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.Framing;
import sluice.loop.Interruptlets;
import sluice.loop.SlowHandler;
import sluice.loop.engine.Backend;
import sluice.sys.threads.VirtualThreads;
import sluice.testbase.Await;

/// Handlers on the loop's own thread: a waiting handler does not hold up the loop.
@Timeout(120)
@SuppressWarnings({"LockNotBeforeTry", "ThreadPriorityCheck"}) // locks and yields are tested
final class LoopThreadsTest {
  private static void assumeAvailable() {
    Assumptions.assumeTrue(
        VirtualThreads.isAvailable(), "the JVM was started without " + VirtualThreads.OPTION);
  }

  private static Server start(Backend backend, SlowHandler handler) throws IOException {
    Interruptlets lines = new Interruptlets(Framing.LINES, handler);
    ServerConfig config =
        ServerConfig.onLoopback("carrier", 0)
            .withBackend(backend)
            .withHandlers(HandlerThreads.LOOP);
    return Server.start(config, lines::protocol);
  }

  /// A client that waits for each answer.
  private record Client(Socket socket, BufferedReader in) implements AutoCloseable {
    static Client of(Server server) throws IOException {
      return to(server.port());
    }

    static Client to(int port) throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      return new Client(
          socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)));
    }

    void say(String line) throws IOException {
      socket.getOutputStream().write((line + "\n").getBytes(US_ASCII));
    }

    String ask(String line) throws IOException {
      say(line);
      return String.valueOf(in.readLine());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static void reply(OutputStream to, String line) throws IOException {
    to.write((line + "\n").getBytes(US_ASCII));
  }

  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"IO_URING", "EPOLL", "POLL", "JDK"})
  void aHandlerThatWaitsDoesNotHoldUpTheLoop(Backend backend) throws Exception {
    assumeAvailable();
    ReentrantLock lock = new ReentrantLock();
    Semaphore gate = new Semaphore(0);
    BlockingQueue<String> inside = new LinkedBlockingQueue<>();
    CompletableFuture<Integer> port = new CompletableFuture<>();
    SlowHandler handler =
        (message, to) -> {
          String line = new String(message, US_ASCII).trim();
          switch (line) {
            case "where" -> reply(to, Thread.currentThread().toString());
            case "lock" -> {
              inside.add(line);
              lock.lock();
              lock.unlock();
              reply(to, "locked");
            }
            case "gate" -> {
              inside.add(line);
              gate.acquire();
              reply(to, "passed");
            }
            case "sleep" -> {
              Thread.sleep(1);
              reply(to, "slept");
            }
            case "ask" -> {
              try (Client other = Client.to(port.get())) {
                reply(to, other.ask("sleep"));
              }
            }
            default -> reply(to, line);
          }
        };
    lock.lock();
    try (Server server = start(backend, handler);
        Client locked = Client.of(server);
        Client gated = Client.of(server);
        Client other = Client.of(server)) {
      port.complete(server.port());
      assertThat(other.ask("where")).endsWith("@carrier-loop-0");
      locked.say("lock");
      gated.say("gate");
      assertThat(List.of(inside.take(), inside.take())).containsExactlyInAnyOrder("lock", "gate");
      for (int i = 0; i < 1_000; i++) {
        assertThat(other.ask("line " + i)).isEqualTo("line " + i);
      }
      assertThat(other.ask("sleep")).isEqualTo("slept");
      assertThat(other.ask("ask")).isEqualTo("slept");
      gate.release();
      assertThat(gated.in().readLine()).isEqualTo("passed");
      lock.unlock();
      assertThat(locked.in().readLine()).isEqualTo("locked");
    }
  }

  private static Server startCarrying(CompletableFuture<LoopThreads> threads, boolean carries)
      throws IOException {
    return Server.start(
        ServerConfig.onLoopback("carrier", 0),
        loop -> {
          threads.complete(new LoopThreads(loop, carries));
          return (connection, input) -> input.length();
        });
  }

  @Test
  void aLoopThatWaitsForAThreadItCarriesIsHelped() throws Exception {
    assumeAvailable();
    CompletableFuture<LoopThreads> made = new CompletableFuture<>();
    try (Server server = startCarrying(made, true)) {
      LoopThreads threads = made.join();
      server.watchdog().watch(threads);
      ReentrantLock lock = new ReentrantLock();
      CountDownLatch held = new CountDownLatch(1);
      Semaphore gate = new Semaphore(0);
      threads.execute(() -> {
        lock.lock();
        held.countDown();
        gate.acquireUninterruptibly();
        lock.unlock();
      });
      held.await();
      CountDownLatch turned = new CountDownLatch(1);
      server
          .loops()
          .getFirst()
          .execute(() -> {
            lock.lock();
            lock.unlock();
            turned.countDown();
          });
      Await.until("the loop waits for the lock", lock::hasQueuedThreads);
      gate.release();
      turned.await();
      assertThat(threads.rescued()).isPositive();
      CompletableFuture<String> where = new CompletableFuture<>();
      threads.execute(() -> where.complete(Thread.currentThread().toString()));
      assertThat(where.get()).contains("@carrier");
    }
  }

  @Test
  void manyThreadsTakeTurnsWithTheLoop() throws Exception {
    assumeAvailable();
    CompletableFuture<LoopThreads> made = new CompletableFuture<>();
    try (Server server = startCarrying(made, true)) {
      LoopThreads threads = made.join();
      int count = 4 * LoopThreads.BATCH;
      CountDownLatch ended = new CountDownLatch(count);
      List<Thread> started = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Thread each =
            threads.newThread(() -> {
              for (int turn = 0; turn < 100; turn++) {
                Thread.yield();
              }
              ended.countDown();
            });
        started.add(each);
        each.start();
      }
      CountDownLatch between = new CountDownLatch(1);
      server.loops().getFirst().execute(between::countDown);
      between.await();
      ended.await();
      for (Thread each : started) {
        Await.end(each);
      }
      assertThat(threads.carried()).isGreaterThanOrEqualTo(count * 100L);
      assertThat(threads.carriedByLoop()).isTrue();
    }
  }

  @Test
  void threadsGoOnWhenTheLoopHasEnded() throws Exception {
    assumeAvailable();
    CompletableFuture<LoopThreads> made = new CompletableFuture<>();
    Semaphore gate = new Semaphore(0);
    CountDownLatch waiting = new CountDownLatch(1);
    CompletableFuture<String> end = new CompletableFuture<>();
    try (Server _ = startCarrying(made, true)) {
      made.join()
          .execute(() -> {
            waiting.countDown();
            gate.acquireUninterruptibly();
            end.complete("went on");
          });
      waiting.await();
    }
    gate.release();
    assertThat(end.get()).isEqualTo("went on");
  }

  @Test
  void withoutTheOptionTheJvmCarries() throws Exception {
    CompletableFuture<LoopThreads> made = new CompletableFuture<>();
    try (Server _ = startCarrying(made, false)) {
      LoopThreads threads = made.join();
      assertThat(threads.carriedByLoop()).isFalse();
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      threads.execute(() -> ran.complete(Thread.currentThread()));
      assertThat(ran.get().isVirtual()).isTrue();
      assertThat(ran.get().toString()).doesNotContain("@carrier-loop");
      assertThat(threads.carried()).isZero();
    }
  }
}
