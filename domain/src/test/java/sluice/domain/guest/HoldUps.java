package sluice.domain.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
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
import java.nio.charset.Charset;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
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
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.MBeanRegistration;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.NotificationFilter;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.net.ssl.SSLSocketFactory;

/// Programs that hold up what the host or another domain does, where it touches what is theirs: at
/// the end, at a sample, at an interrupt. One class each; loaded in domains only.
@SuppressWarnings({"all", "unused"})
public final class HoldUps {
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

  /// In the JDK, where no gate is and no interrupt helps.
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

  /// Waits on a channel of the domain's own class.
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

  /// Its close waits for a monitor that another thread of the domain holds.
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

  /// The channel of the thread that closes the channel waits too.
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

  /// A predicate holds the lock of the queue that a shutdown empties.
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

  /// A queue of its own class, whose methods loop once the trap is set.
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

  /// A shutdown asks each task that waits whether it is to be cancelled.
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

  /// A socket of TLS asks the socket below it whether it is closed, and closes it.
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

  /// The close of an asynchronous channel hands what waited on it to the executor of its group.
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

  public static final class LongName implements Runnable {
    public void run() {
      Thread thread = new Thread(HoldUps::sleep, "\n\u001b[2J\0".repeat(200_000));
      thread.start();
      set();
      sleep();
    }
  }

  public static final class OwnGroup implements Runnable {
    static final class Own extends ThreadGroup {
      Own() {
        super("own");
      }

      @Override
      public void uncaughtException(Thread thread, Throwable problem) {
        set();
        loop();
      }

      @Override
      public int activeCount() {
        loop();
        return 0;
      }

      @Override
      public int enumerate(Thread[] list) {
        loop();
        return 0;
      }

      @Override
      public String toString() {
        loop();
        return "";
      }
    }

    public void run() {
      set();
      new Thread(
              new Own(),
              () -> {
                throw new IllegalStateException();
              })
          .start();
      sleep();
    }
  }

  /// Holds monitors that are not its own while it sleeps.
  static void holding(Object monitor) {
    synchronized (monitor) {
      set();
      sleep();
    }
  }

  public static final class MonitorOfTheGroup implements Runnable {
    public void run() {
      holding(Thread.currentThread().getThreadGroup());
    }
  }

  public static final class MonitorOfTheThread implements Runnable {
    public void run() {
      holding(Thread.currentThread());
    }
  }

  public static final class MonitorOfTheLoader implements Runnable {
    public void run() {
      holding(HoldUps.class.getClassLoader());
    }
  }

  public static final class MonitorOfTheRuntime implements Runnable {
    public void run() {
      holding(Runtime.getRuntime());
    }
  }

  public static final class MonitorOfBundles implements Runnable {
    public void run() {
      holding(ResourceBundle.class);
    }
  }

  public static final class MonitorOfDrivers implements Runnable {
    public void run() {
      try {
        holding(Class.forName("java.sql.DriverManager"));
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class MonitorOfLoggers implements Runnable {
    public void run() {
      holding(LogManager.getLogManager());
    }
  }

  public static final class MonitorOfCharsets implements Runnable {
    public void run() {
      holding(Charset.class);
    }
  }

  /// The warden asks this bean for the use of threads.
  public static final class MonitorOfTheBeanOfThreads implements Runnable {
    public void run() {
      holding(ManagementFactory.getThreadMXBean());
    }
  }

  /// By reflection: a call is refused.
  public static final class TurnsOffTheClocksOfThreads implements Runnable {
    public void run() {
      try {
        Object bean = ManagementFactory.getThreadMXBean();
        Class<?> type = Class.forName("com.sun.management.ThreadMXBean");
        type.getMethod("setThreadCpuTimeEnabled", boolean.class).invoke(bean, false);
        type.getMethod("setThreadAllocatedMemoryEnabled", boolean.class).invoke(bean, false);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      set();
      sleep();
    }
  }

  public static final class HandlerThatLoops implements Runnable {
    public void run() {
      Thread thread =
          new Thread(() -> {
            throw new IllegalStateException();
          });
      thread.setUncaughtExceptionHandler((by, problem) -> {
        set();
        loop();
      });
      thread.start();
      sleep();
    }
  }

  /// A value that the host's thread has from a call, and would hand to each thread that it makes.
  public static final class InheritableValue implements Callable<Object> {
    static final InheritableThreadLocal<Object> VALUE =
        new InheritableThreadLocal<>() {
          @Override
          protected Object childValue(Object parent) {
            loop();
            return parent;
          }
        };

    public Object call() {
      VALUE.set("of the guest");
      set();
      return "";
    }
  }

  static void register(Object bean) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      String name = "guest:type=t" + System.identityHashCode(bean) + "-" + System.nanoTime();
      server.registerMBean(bean, new ObjectName(name));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public interface PlainMBean {
    int getCount();
  }

  static class Plain implements PlainMBean, MBeanRegistration {
    private final Runnable leaving;

    Plain(Runnable leaving) {
      this.leaving = leaving;
    }

    public int getCount() {
      return 1;
    }

    public ObjectName preRegister(MBeanServer server, ObjectName name) {
      return name;
    }

    public void postRegister(Boolean done) {}

    public void preDeregister() {
      leaving.run();
    }

    public void postDeregister() {
      leaving.run();
    }
  }

  /// Has a bean, which is taken out at the end: what listens to that is told. Harmless.
  public static final class PoliteBean implements Runnable {
    public void run() {
      register(new Plain(() -> {}));
      set();
      sleep();
    }
  }

  public static final class BeanThatLoops implements Runnable {
    public void run() {
      register(new Plain(HoldUps::loop));
      set();
      sleep();
    }
  }

  public static final class BeanThatWaits implements Runnable {
    public void run() {
      register(new Plain(HoldUps::waitThere));
      set();
      sleep();
    }
  }

  public static final class BeanOfItsOwnDescription implements Runnable {
    static final class Own implements DynamicMBean {
      private static void trap() {
        if (SET.getCount() == 0) {
          waitThere();
        }
      }

      public Object getAttribute(String name) {
        return null;
      }

      public void setAttribute(Attribute attribute) {}

      public AttributeList getAttributes(String[] names) {
        return new AttributeList();
      }

      public AttributeList setAttributes(AttributeList list) {
        return list;
      }

      public Object invoke(String name, Object[] arguments, String[] types) {
        return null;
      }

      public MBeanInfo getMBeanInfo() {
        trap();
        return new MBeanInfo(Own.class.getName(), "", null, null, null, null);
      }

      public int hashCode() {
        trap();
        return 1;
      }

      public boolean equals(Object other) {
        trap();
        return false;
      }
    }

    public void run() {
      register(new Own());
      set();
      sleep();
    }
  }

  static void listen(NotificationListener listener, NotificationFilter filter) {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, filter, null);
      set();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public static final class ListenerThatLoops implements Runnable {
    public void run() {
      listen((notification, back) -> loop(), null);
      sleep();
    }
  }

  public static final class ListenerThatSleeps implements Runnable {
    public void run() {
      listen((notification, back) -> HoldUps.sleep(), null);
      sleep();
    }
  }

  public static final class FilterOfAListenerThatLoops implements Runnable {
    public void run() {
      listen(
          (notification, back) -> sink++,
          notification -> {
            loop();
            return false;
          });
      sleep();
    }
  }

  /// By reflection: the module of this test does not read that of drivers.
  static void drive(Runnable text, Runnable end) {
    try {
      Class<?> driver = Class.forName("java.sql.Driver");
      Class<?> action = Class.forName("java.sql.DriverAction");
      Class.forName("java.sql.DriverManager")
          .getMethod("registerDriver", driver, action)
          .invoke(null, proxy(driver, text, () -> {}), proxy(action, () -> {}, end));
      set();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static Object proxy(Class<?> type, Runnable text, Runnable end) {
    return java.lang.reflect.Proxy.newProxyInstance(
        HoldUps.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "toString" -> {
              if (SET.getCount() == 0) {
                text.run();
              }
              return "";
            }
            case "deregister" -> end.run();
            case "equals" -> {
              return proxy == arguments[0];
            }
            case "hashCode" -> {
              return 1;
            }
            default -> {}
          }
          return null;
        });
  }

  public static final class DriverWhoseTextWaits implements Runnable {
    public void run() {
      drive(HoldUps::waitThere, () -> {});
      sleep();
    }
  }

  public static final class DriverWhoseEndLoops implements Runnable {
    public void run() {
      drive(() -> {}, HoldUps::loop);
      sleep();
    }
  }

  public static final class DriverWhoseEndSleeps implements Runnable {
    public void run() {
      drive(() -> {}, HoldUps::sleep);
      sleep();
    }
  }

  /// At a logger of the host, which reflection finds.
  public static final class HandlerThatIsNotEqual implements Runnable {
    static final class Own extends Handler {
      public void publish(LogRecord record) {}

      public void flush() {}

      public void close() {}

      @Override
      public boolean equals(Object other) {
        if (SET.getCount() == 0) {
          waitThere();
        }
        return this == other;
      }
    }

    public void run() {
      try {
        Object logger =
            LogManager.class
                .getMethod("getLogger", String.class)
                .invoke(LogManager.getLogManager(), "");
        Logger.class.getMethod("addHandler", Handler.class).invoke(logger, new Own());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      set();
      sleep();
    }
  }

  public static final class ClassValueThatLoops implements Runnable {
    static final ClassValue<Object> VALUE =
        new ClassValue<>() {
          @Override
          protected Object computeValue(Class<?> type) {
            set();
            loop();
            return "";
          }
        };

    public void run() {
      VALUE.get(String.class);
    }
  }

  public static final class CleanerThatLoops implements Runnable {
    public void run() {
      Cleaner.create()
          .register(
              new Object(),
              () -> {
                set();
                loop();
              });
      while (SET.getCount() > 0) {
        System.gc();
      }
      sleep();
    }
  }

  public static final class FinalizerThatLoops implements Runnable {
    static final class Own {
      @Override
      protected void finalize() {
        set();
        loop();
      }
    }

    public void run() {
      new Own();
      while (SET.getCount() > 0) {
        System.gc();
      }
      sleep();
    }
  }

  public static final class PropertiesThatLoop implements Runnable {
    static final class Key {
      @Override
      public int hashCode() {
        if (SET.getCount() == 0) {
          loop();
        }
        return 1;
      }

      @Override
      public String toString() {
        loop();
        return "";
      }
    }

    public void run() {
      System.getProperties().put(new Key(), new Key());
      set();
      synchronized (System.getProperties()) {
        sleep();
      }
    }
  }

  public static final class MonitorOfItsStreams implements Runnable {
    public void run() {
      synchronized (System.out) {
        holding(System.err);
      }
    }
  }
}
