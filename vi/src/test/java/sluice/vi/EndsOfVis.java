package sluice.vi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.testbase.Await;
import sluice.vi.xdp.PairedStacks;
import sluice.vi.xdp.StackWire;

/// The contract for the end of a VI: a program of virtual threads, which [ViEndTest] starts on each
/// device in a JVM with one carrier. Every scenario ends by itself; if not, it has left a virtual
/// thread that spins, or a thread that waits for a carrier.
final class EndsOfVis {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  private final Nic nic;

  /// Connections at one time; an endpoint of libfabric over TCP takes 80 MB and half a second.
  private final int threads;

  private final int replies;

  private EndsOfVis(Nic nic) {
    this.nic = nic;
    boolean slow = nic.name().equals("ofi-tcp");
    threads = slow ? 3 : 40;
    replies = slow ? 10 : 60;
  }

  /// @param args the device and the scenario
  public static void main(String[] args) throws Exception {
    try (Nic nic = open(args[0])) {
      EndsOfVis ends = new EndsOfVis(nic);
      switch (args[1]) {
        case "close" -> ends.manyConnectEchoAndClose();
        case "reply" -> ends.whatIsSentBeforeACloseArrives();
        case "wait" -> ends.closingEndsWaits();
        case "flood" -> ends.bothCloseWhileMessagesAreUnderWay();
        default -> throw new IllegalArgumentException(args[1]);
      }
    }
    System.out.println(args[1] + " over " + args[0] + ": done");
  }

  private static Nic open(String device) throws Exception {
    if (!device.equals("xdp")) {
      return Nic.open(device);
    }
    StackWire wire = new StackWire(0, 0, frame -> frame);
    return new Nic("xdp", PairedStacks.over(wire.end(0), wire.end(1)));
  }

  /// A task that may fail.
  private interface Task {
    void run() throws Exception;
  }

  /// Starts a task on a virtual thread.
  private static Future<Boolean> start(Task task) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    Thread _ =
        Thread.startVirtualThread(() -> {
          try {
            task.run();
            done.complete(true);
          } catch (Exception | AssertionError e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  private static void awaitAll(List<Future<Boolean>> tasks) throws Exception {
    for (Future<Boolean> each : tasks) {
      boolean _ = each.get(Await.SECONDS, TimeUnit.SECONDS);
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  // ---- scenarios -----------------------------------------------------------------------------

  /// Clients connect, have ten messages echoed and close; servers close when the client has.
  private void manyConnectEchoAndClose() throws Exception {
    int rounds = nic.name().startsWith("ofi") ? 2 : 5;
    ViAddress place = VisUnderTest.place(nic);
    List<Future<Boolean>> tasks = new ArrayList<>();
    try (ViServer server = new ViServer(place, 1)) {
      for (int i = 0; i < threads; i++) {
        tasks.add(
            start(() -> {
              for (int round = 0; round < rounds; round++) {
                echo(server.accept(ViAttributes.DEFAULT, LONG));
              }
            }));
        tasks.add(
            start(() -> {
              for (int round = 0; round < rounds; round++) {
                ask(new Vi(place, ViAttributes.DEFAULT, null, null, 1));
              }
            }));
      }
      awaitAll(tasks);
    }
  }

  private static void echo(Vi accepted) throws Exception {
    try (accepted) {
      for (int i = 0; i < 10; i++) {
        byte[] message = accepted.recv(LONG);
        accepted.send(message, 0, message.length, LONG);
      }
      try {
        byte[] more = accepted.recv(LONG);
        throw new AssertionError("a message of " + more.length + " bytes behind the last");
      } catch (ViTimeout e) {
        throw e;
      } catch (ViException closed) {
        // the client has closed
      }
    }
  }

  private static void ask(Vi connected) throws Exception {
    try (connected) {
      for (int i = 0; i < 10; i++) {
        byte[] sent = VisUnderTest.pattern(1 + 100 * i, i);
        connected.send(sent, 0, sent.length, LONG);
        check(java.util.Arrays.equals(connected.recv(LONG), sent), "another message came back");
      }
    }
  }

  /// Servers read one request, reply and close at once.
  private void whatIsSentBeforeACloseArrives() throws Exception {
    int rounds = replies;
    ViAddress place = VisUnderTest.place(nic);
    AtomicInteger heard = new AtomicInteger();
    List<Future<Boolean>> tasks = new ArrayList<>();
    try (ViServer server = new ViServer(place, 1)) {
      tasks.add(
          start(() -> {
            for (int i = 0; i < rounds; i++) {
              try (Vi vi = server.accept(ViAttributes.DEFAULT, LONG)) {
                byte[] request = vi.recv(LONG);
                vi.send(request, 0, request.length, LONG);
              }
            }
          }));
      tasks.add(
          start(() -> {
            for (int i = 0; i < rounds; i++) {
              try (Vi vi = new Vi(place, ViAttributes.DEFAULT, null, null, 1)) {
                vi.send(new byte[] {(byte) i}, 0, 1, LONG);
                check(vi.recv(LONG)[0] == (byte) i, "another reply");
                heard.incrementAndGet();
              }
            }
          }));
      awaitAll(tasks);
    }
    check(heard.get() == rounds, "replies: " + heard);
  }

  /// A thread waits at each VI, another closes it.
  private void closingEndsWaits() throws Exception {
    for (WaitMode mode : List.of(WaitMode.PARK, WaitMode.HYBRID)) {
      ViAttributes attributes = ViAttributes.DEFAULT.withWaiting(mode);
      ViAddress place = VisUnderTest.place(nic);
      List<Future<Boolean>> tasks = new ArrayList<>();
      List<Vi> all = new ArrayList<>();
      try (ViServer server = new ViServer(place, 1)) {
        for (int i = 0; i < threads; i++) {
          Future<Boolean> accepted =
              start(() -> {
                synchronized (all) {
                  all.add(server.accept(attributes, LONG));
                }
              });
          Vi client = new Vi(place, attributes, null, null, 1);
          boolean _ = accepted.get(Await.SECONDS, TimeUnit.SECONDS);
          all.add(client);
        }
      }
      for (Vi vi : List.copyOf(all)) {
        tasks.add(
            start(() -> {
              try {
                byte[] _ = vi.recv(Vi.INFINITE);
                throw new AssertionError("nothing was sent");
              } catch (ViException | IllegalStateException ended) {
                // by a close at either end
              }
            }));
      }
      for (Vi vi : List.copyOf(all)) {
        tasks.add(start(vi::close));
      }
      awaitAll(tasks);
    }
  }

  /// Both ends close while they have posted sends and receives.
  private void bothCloseWhileMessagesAreUnderWay() throws Exception {
    ViAddress place = VisUnderTest.place(nic);
    List<Future<Boolean>> tasks = new ArrayList<>();
    try (ViServer server = new ViServer(place, 1)) {
      for (int i = 0; i < threads; i++) {
        tasks.add(start(() -> postAndClose(server.accept(ViAttributes.DEFAULT, LONG))));
        tasks.add(start(() -> postAndClose(new Vi(place, ViAttributes.DEFAULT, null, null, 1))));
      }
      awaitAll(tasks);
    }
  }

  private static void postAndClose(Vi connected) throws Exception {
    List<ViBuffer> buffers = new ArrayList<>();
    try (connected) {
      for (int i = 0; i < 8; i++) {
        ViBuffer in = new ViBuffer(30_000);
        ViBuffer out = new ViBuffer(30_000);
        buffers.add(in);
        buffers.add(out);
        connected.recvBufPost(in.register(connected, ViBufferAttributes.READ_WRITE), 0);
        connected.sendBufPost(
            out.register(connected, ViBufferAttributes.READ_WRITE), 0, out.sizeBytes());
      }
    } catch (ViException closed) {
      // by the other end
    }
    buffers.forEach(ViBuffer::close); // which is refused while the device has it
  }
}
