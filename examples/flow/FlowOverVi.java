import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViException;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// `java.util.concurrent.Flow` over a Virtual Interface: a publisher's items go to a subscriber at
/// the other end, no faster than that one asks for them.
///
/// Run: `./sluice example flow [ITEMS [DEVICE [WAIT]]]`
final class FlowOverVi {
  private static final int PATIENCE_MICROS = 60_000_000;
  private static final byte[] END = {};

  /// Sends what it is given. It asks for the next item when the last one is with the device, and a
  /// reliable device holds what the other end does not receive. An empty message is the end.
  static final class ViSubscriber implements Flow.Subscriber<byte[]> {
    private final Vi vi;
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private Flow.Subscription subscription;

    ViSubscriber(Vi vi) {
      this.vi = vi;
    }

    /// Completes when all has been sent.
    CompletableFuture<Boolean> done() {
      return done;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(byte[] item) {
      if (item.length == 0) {
        onError(new IllegalArgumentException("an item has at least one byte"));
        subscription.cancel();
        return;
      }
      try {
        vi.send(item, 0, item.length);
        subscription.request(1);
      } catch (ViException e) {
        subscription.cancel(); // the other end has cancelled, or is gone
        done.complete(false);
      }
    }

    @Override
    public void onError(Throwable why) {
      vi.close(); // the other end is told by the end of the connection
      done.completeExceptionally(why);
    }

    @Override
    public void onComplete() {
      try {
        vi.send(END, 0, 0);
        done.complete(true);
      } catch (ViException e) {
        done.complete(false);
      }
    }
  }

  /// Publishes what comes to one subscriber, from a virtual thread. It receives only what the
  /// subscriber has asked for.
  static final class ViPublisher implements Flow.Publisher<byte[]> {
    private final Vi vi;
    private final AtomicBoolean taken = new AtomicBoolean();

    ViPublisher(Vi vi) {
      this.vi = vi;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super byte[]> subscriber) {
      Asked asked = new Asked(vi);
      if (!taken.compareAndSet(false, true)) {
        asked.cancelled.set(true);
        subscriber.onSubscribe(asked);
        subscriber.onError(new IllegalStateException("there is a subscriber already"));
        return;
      }
      Thread.startVirtualThread(() -> publish(subscriber, asked));
    }

    private void publish(Flow.Subscriber<? super byte[]> subscriber, Asked asked) {
      subscriber.onSubscribe(asked);
      try {
        while (true) {
          asked.count.acquire();
          if (asked.cancelled.get()) {
            return;
          }
          if (asked.wrong) {
            subscriber.onError(new IllegalArgumentException("request of less than one item"));
            return;
          }
          byte[] item = vi.recv(Vi.INFINITE);
          if (item.length == 0) {
            subscriber.onComplete();
            return;
          }
          subscriber.onNext(item);
        }
      } catch (ViException | InterruptedException e) {
        if (!asked.cancelled.get()) {
          subscriber.onError(e);
        }
      }
    }
  }

  private static final class Asked implements Flow.Subscription {
    private static final int MOST = 1 << 30;

    private final Vi vi;
    private final Semaphore count = new Semaphore(0);
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private volatile boolean wrong;

    Asked(Vi vi) {
      this.vi = vi;
    }

    @Override
    public synchronized void request(long items) {
      wrong |= items < 1;
      int more = (int) Math.min(Math.max(items, 1), MOST - count.availablePermits());
      count.release(more);
    }

    @Override
    public void cancel() {
      if (cancelled.compareAndSet(false, true)) {
        count.release();
        vi.close(); // ends a wait, and tells the other end
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int items = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    String device = args.length > 1 ? args[1] : "local";
    String wait = args.length > 2 ? args[2] : "hybrid";
    if (args.length > 3 || items < 1 || !List.of("spin", "hybrid", "park").contains(wait)) {
      System.err.println(
          "usage: sluice example flow [ITEMS [local|ring|ofi-shm|ofi-tcp [spin|hybrid|park]]]");
      System.exit(2);
    }
    ViAttributes attributes =
        ViAttributes.DEFAULT.withWaiting(WaitMode.valueOf(wait.toUpperCase(Locale.ROOT)));
    String place = place(device);
    try (Nic nic = Nic.open(device);
        ViServer server = new ViServer(nic.address(place), 1)) {
      CompletableFuture<Vi> accepted = new CompletableFuture<>();
      Thread.startVirtualThread(() -> accept(server, attributes, accepted));
      try (Vi from = new Vi(nic.address(place), attributes, null, null, 1);
          Vi to = accepted.get();
          SubmissionPublisher<byte[]> source = new SubmissionPublisher<>()) {
        Adding adding = new Adding();
        new ViPublisher(to).subscribe(adding);
        ViSubscriber sending = new ViSubscriber(from);
        source.subscribe(sending);
        long want = 0;
        for (int i = 0; i < items; i++) {
          byte[] item = new byte[1 + i % 1000];
          item[0] = (byte) i;
          want += item.length + item[0];
          int _ = source.submit(item);
        }
        source.close();
        long sum = adding.sum.get();
        if (!sending.done().get() || sum != want) {
          throw new IllegalStateException("the sum is " + sum + ", not " + want);
        }
        System.out.printf("%d items, sum %d, asked for %d at a time%n", items, sum, Adding.ASKS);
      }
    }
  }

  /// Where the server listens: of `ring`, a port that is free now.
  private static String place(String device) throws IOException {
    if (!device.equals("ring")) {
      return "flow-" + ProcessHandle.current().pid();
    }
    try (ServerSocket socket = new ServerSocket(0)) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static void accept(
      ViServer server, ViAttributes attributes, CompletableFuture<Vi> accepted) {
    try {
      accepted.complete(server.accept(attributes, PATIENCE_MICROS));
    } catch (IOException e) {
      accepted.completeExceptionally(e);
    }
  }

  /// Adds up what comes, some items at a time.
  private static final class Adding implements Flow.Subscriber<byte[]> {
    static final int ASKS = 5;

    private final CompletableFuture<Long> sum = new CompletableFuture<>();
    private Flow.Subscription subscription;
    private long soFar;
    private int left;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      left = ASKS;
      given.request(ASKS);
    }

    @Override
    public void onNext(byte[] item) {
      soFar += item.length + item[0];
      if (--left == 0) {
        left = ASKS;
        subscription.request(ASKS);
      }
    }

    @Override
    public void onError(Throwable why) {
      sum.completeExceptionally(why);
    }

    @Override
    public void onComplete() {
      sum.complete(soFar);
    }
  }
}
