package sluice.domain.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;

/// Programs that block the host or another domain where it touches their objects: at the end, at a
/// sample, or at an interrupt. One class for each; loaded only in domains.
@SuppressWarnings({"all", "unused", "unchecked", "overrides", "removal"})
public class HoldUps {
  static volatile boolean never;
  static long sink;

  /// Counted down when the trap is set.
  public static final CountDownLatch SET = new CountDownLatch(1);

  public static final Semaphore NONE = new Semaphore(0);

  static final Object LOCK = new Object();
  static Object kept;

  static void loop() {
    while (!never) {
      sink++;
    }
  }

  /// Waits in JDK code without a gate, where no interrupt helps.
  static void waitThere() {
    NONE.acquireUninterruptibly();
  }

  static void sleep() {
    while (!never) {
      try {
        Thread.sleep(100_000);
      } catch (InterruptedException e) {
        sink++;
      }
    }
  }

  static void set() {
    SET.countDown();
  }

  /// A channel of a class of the domain.
  static class OwnChannel extends AbstractInterruptibleChannel {
    private final Runnable closing;

    OwnChannel(Runnable closing) {
      this.closing = closing;
    }

    void await() {
      begin();
      set();
      while (isOpen()) {
        LockSupport.park();
      }
      sleep();
    }

    @Override
    protected void implCloseChannel() {
      closing.run();
    }
  }

  public static final class ChannelThatLoops implements Runnable {
    public void run() {
      new OwnChannel(HoldUps::loop).await();
    }
  }

  public static final class ChannelThatSleeps implements Runnable {
    public void run() {
      new OwnChannel(HoldUps::sleep).await();
    }
  }

  public static final class ChannelThatWaits implements Runnable {
    public void run() {
      new OwnChannel(HoldUps::waitThere).await();
    }
  }

  public static final class ChannelThatThrows implements Runnable {
    public void run() {
      new OwnChannel(
              () -> {
                throw new StackOverflowError("thrown at the interrupter");
              })
          .await();
    }
  }

  /// A channel whose close waits for a monitor that another thread of the domain holds.
  public static final class ChannelThatWaitsForAMonitor implements Runnable {
    public void run() {
      new Thread(
              () -> {
                synchronized (LOCK) {
                  sleep();
                }
              })
          .start();
      new OwnChannel(
              () -> {
                synchronized (LOCK) {
                  sink++;
                }
              })
          .await();
    }
  }

  public static final class ChannelOfAVirtualThread implements Runnable {
    public void run() {
      Thread.startVirtualThread(() -> new OwnChannel(HoldUps::waitThere).await());
      sleep();
    }
  }

  public static final class ManyChannels implements Runnable {
    public void run() {
      for (int i = 0; i < 12; i++) {
        new Thread(() -> new OwnChannel(HoldUps::waitThere).await()).start();
      }
      sleep();
    }
  }

  /// A channel whose closing thread waits in a channel too.
  public static final class ChannelsOfChannels implements Runnable {
    public void run() {
      new OwnChannel(() -> new OwnChannel(HoldUps::loop).await()).await();
    }
  }

  public static final class SelectorThatLoops implements Runnable {
    static final class Own extends AbstractSelector {
      Own() {
        super(SelectorProvider.provider());
      }

      void await() {
        begin();
        set();
        sleep();
      }

      protected void implCloseSelector() {
        loop();
      }

      protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object with) {
        return null;
      }

      public Set<SelectionKey> keys() {
        return Set.of();
      }

      public Set<SelectionKey> selectedKeys() {
        return Set.of();
      }

      public int selectNow() {
        return 0;
      }

      public int select(long timeout) {
        return 0;
      }

      public int select() {
        return 0;
      }

      public Selector wakeup() {
        waitThere();
        return this;
      }
    }

    public void run() {
      new Own().await();
    }
  }

  /// A predicate that holds the lock of the queue that a shutdown empties.
  public static final class PoolWhoseQueueIsHeld implements Runnable {
    public void run() {
      held(HoldUps::loop);
    }

    static void held(Runnable how) {
      ArrayBlockingQueue<Runnable> queue = new ArrayBlockingQueue<>(8);
      ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, queue);
      pool.submit(HoldUps::sleep);
      pool.submit(() -> sink++);
      kept = pool;
      queue.removeIf(each -> {
        set();
        how.run();
        return false;
      });
    }
  }

  public static final class PoolWhoseQueueIsHeldAsleep implements Runnable {
    public void run() {
      PoolWhoseQueueIsHeld.held(HoldUps::sleep);
    }
  }

  /// A pool with a queue of its own class, whose methods loop once the trap is set.
  public static final class PoolOfAnOwnQueue implements Runnable {
    static final class Own extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
      private final LinkedBlockingQueue<Runnable> to = new LinkedBlockingQueue<>();

      private static void trap() {
        if (SET.getCount() == 0) {
          loop();
        }
      }

      public boolean offer(Runnable task) {
        return to.offer(task);
      }

      public Runnable poll() {
        return to.poll();
      }

      public Runnable peek() {
        return to.peek();
      }

      public Iterator<Runnable> iterator() {
        trap();
        return to.iterator();
      }

      public int size() {
        trap();
        return to.size();
      }

      public boolean isEmpty() {
        trap();
        return to.isEmpty();
      }

      public void put(Runnable task) {
        to.add(task);
      }

      public boolean offer(Runnable task, long time, TimeUnit unit) {
        return to.offer(task);
      }

      public Runnable take() throws InterruptedException {
        return to.take();
      }

      public Runnable poll(long time, TimeUnit unit) throws InterruptedException {
        return to.poll(time, unit);
      }

      public int remainingCapacity() {
        return 1;
      }

      public int drainTo(Collection<? super Runnable> into) {
        waitThere();
        return 0;
      }

      public int drainTo(Collection<? super Runnable> into, int most) {
        return drainTo(into);
      }
    }

    public void run() {
      kept = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new Own());
      ((ThreadPoolExecutor) kept).submit(() -> sink++);
      set();
      sleep();
    }
  }

  public static final class PoolThatLoopsWhenItHasEnded implements Runnable {
    static final class Own extends ThreadPoolExecutor {
      Own() {
        super(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
      }

      protected void terminated() {
        waitThere();
      }

      public boolean isTerminated() {
        loop();
        return true;
      }
    }

    public void run() {
      kept = new Own();
      Executors.newFixedThreadPool(1).submit(() -> sink++);
      set();
      sleep();
    }
  }

  /// A waiting task that a shutdown asks if it should be cancelled.
  public static final class ScheduledTaskThatLoops implements Runnable {
    static final class Own extends ScheduledThreadPoolExecutor {
      Own() {
        super(1);
      }

      protected <V> RunnableScheduledFuture<V> decorateTask(
          Runnable task, RunnableScheduledFuture<V> future) {
        return (RunnableScheduledFuture<V>)
            java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RunnableScheduledFuture.class},
                (proxy, method, arguments) -> {
                  if (SET.getCount() == 0) {
                    waitThere();
                  }
                  return method.invoke(future, arguments);
                });
      }
    }

    public void run() {
      Own own = new Own();
      own.schedule(() -> sink++, 1, TimeUnit.HOURS);
      kept = own;
      set();
      loop();
    }
  }

  static Thread deaf(Runnable task) {
    return new Thread(task) {
      public void interrupt() {
        if (SET.getCount() == 0) {
          waitThere();
        }
        super.interrupt();
      }
    };
  }

  public static final class PoolOfThreadsThatHoldTheirInterrupter implements Runnable {
    public void run() {
      Executors.newFixedThreadPool(1, HoldUps::deaf)
          .submit(() -> {
            set();
            sleep();
          });
      sleep();
    }
  }

  public static final class PerTaskOfThreadsThatHoldTheirInterrupter implements Runnable {
    public void run() {
      Executors.newThreadPerTaskExecutor(HoldUps::deaf)
          .submit(() -> {
            set();
            sleep();
          });
      sleep();
    }
  }

  public static final class ForkedTaskThatHoldsItsCanceller implements Runnable {
    static final class Own extends ForkJoinTask<Void> {
      public Void getRawResult() {
        return null;
      }

      protected void setRawResult(Void value) {}

      protected boolean exec() {
        set();
        sleep();
        return true;
      }

      public boolean cancel(boolean mayInterrupt) {
        waitThere();
        return false;
      }
    }

    public void run() {
      for (int i = 0; i < 20; i++) {
        ForkJoinPool.commonPool().execute(new Own());
      }
      sleep();
    }
  }

  static final class Server extends ServerSocket {
    Server() throws IOException {
      super(0, 8, InetAddress.getLoopbackAddress());
    }

    @Override
    public void close() {
      loop();
    }

    @Override
    public boolean isClosed() {
      if (SET.getCount() == 0) {
        loop();
      }
      return super.isClosed();
    }
  }

  public static final class ServerSocketThatDoesNotClose implements Runnable {
    public void run() {
      try {
        Server server = new Server();
        set();
        server.accept();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  static final class Client extends Socket {
    Client(int port) throws IOException {
      super(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() {
      waitThere();
    }
  }

  public static final class SocketThatDoesNotClose implements Runnable {
    public void run() {
      try {
        ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        kept = server;
        Client client = new Client(server.getLocalPort());
        set();
        client.getInputStream().read();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  public static final class DatagramSocketThatDoesNotClose implements Runnable {
    static final class Own extends DatagramSocket {
      Own() throws IOException {
        super(0, InetAddress.getLoopbackAddress());
      }

      @Override
      public void close() {
        loop();
      }
    }

    public void run() {
      try {
        Own own = new Own();
        set();
        own.receive(new DatagramPacket(new byte[8], 8));
      } catch (IOException e) {
        sink++;
      }
    }
  }

  static final class OwnImpl extends SocketImpl {
    protected void create(boolean stream) {}

    protected void connect(String host, int port) {}

    protected void connect(InetAddress address, int port) {}

    protected void connect(SocketAddress address, int timeout) {}

    protected void bind(InetAddress host, int port) {}

    protected void listen(int backlog) {}

    protected void accept(SocketImpl socket) {
      loop();
    }

    protected InputStream getInputStream() {
      return InputStream.nullInputStream();
    }

    protected OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    protected int available() {
      return 0;
    }

    protected void close() {
      waitThere();
    }

    protected void sendUrgentData(int data) {}

    public void setOption(int option, Object value) {}

    public Object getOption(int option) {
      return 0;
    }
  }

  public static final class SocketOfAnOwnImplementation implements Runnable {
    static final class Own extends Socket {
      Own() throws IOException {
        super(new OwnImpl());
      }
    }

    public void run() {
      try {
        Own own = new Own();
        kept = own;
        own.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        set();
        loop();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  public static final class ServerOfAnOwnImplementation implements Runnable {
    static final class Own extends ServerSocket {
      Own() {
        super(new OwnImpl());
      }
    }

    public void run() {
      try {
        Own own = new Own();
        kept = own;
        own.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        set();
        own.accept();
      } catch (IOException e) {
        sink++;
      }
      sleep();
    }
  }

  /// A TLS socket, which asks the socket below if it is closed, and closes it.
  public static final class TlsOverAnOwnSocket implements Runnable {
    static final class Own extends Socket {
      Own(int port) throws IOException {
        super(InetAddress.getLoopbackAddress(), port);
      }

      @Override
      public boolean isClosed() {
        if (SET.getCount() == 0) {
          loop();
        }
        return false;
      }

      @Override
      public void close() {
        waitThere();
      }
    }

    public void run() {
      try {
        ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        Own own = new Own(server.getLocalPort());
        kept = new Object[] {server, factory.createSocket(own, "localhost", 1, true)};
        set();
        loop();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  /// An asynchronous channel whose close passes waiting operations to the executor of its group.
  public static final class ChannelOfAnOwnExecutor implements Runnable {
    static final class Own extends AbstractExecutorService {
      public void execute(Runnable task) {
        if (SET.getCount() == 0) {
          waitThere();
        }
        new Thread(task).start();
      }

      public void shutdown() {}

      public List<Runnable> shutdownNow() {
        waitThere();
        return List.of();
      }

      public boolean isShutdown() {
        return false;
      }

      public boolean isTerminated() {
        return false;
      }

      public boolean awaitTermination(long time, TimeUnit unit) {
        return false;
      }
    }

    public void run() {
      try {
        AsynchronousChannelGroup group = AsynchronousChannelGroup.withThreadPool(new Own());
        AsynchronousServerSocketChannel server =
            AsynchronousServerSocketChannel.open(group)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        AsynchronousSocketChannel client = AsynchronousSocketChannel.open(group);
        client.connect(server.getLocalAddress()).get();
        kept = new Object[] {server, client, client.read(ByteBuffer.allocate(8))};
        set();
        sleep();
      } catch (Exception e) {
        sink++;
      }
    }
  }
}
