package sluice.domain;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The JDK objects of one domain that have their own threads: HTTP clients, HTTP servers,
/// asynchronous channel groups and watch services. They are closed when the domain is terminated.
/// Any thread may call.
///
/// Servers are strongly referenced until they are stopped, because their threads do not keep them
/// reachable. Other objects are weakly referenced, because their threads keep them reachable or the
/// JDK closes them when they are no longer used. Clients and servers are accessed by reflection if
/// their modules are present, so this module does not require them.
///
/// Closing such an object runs code of the domain (an executor, a handler, a subclass) or waits for
/// it, as a server waits for its dispatcher. Therefore it is done by [Closers].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | made, servers, started, look, ended | any | under the lock | under the lock |
final class DomainServices {
  private static final int FIRST_LOOK = 64;
  private static final String CLIENT = "java.net.http.HttpClient";
  private static final String SERVER = "com.sun.net.httpserver.HttpServer";

  private final Set<Object> servers = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Object> started = Collections.newSetFromMap(new IdentityHashMap<>());
  private List<WeakReference<Object>> made = new ArrayList<>();
  private int look = FIRST_LOOK;
  private boolean ended;

  /// Records an object that the domain has created. If the domain has already ended, the object is
  /// closed immediately.
  void made(Object service) {
    synchronized (this) {
      if (!ended) {
        note(service);
        return;
      }
    }
    try {
      close(service);
    } catch (IOException e) {
      // This is a kernel error. The JDK closes the object together with its last thread.
    }
  }

  private void note(Object service) {
    if (typeOf(service, SERVER) != null) {
      servers.add(service);
      return;
    }
    if (made.size() >= look) {
      made.removeIf(each -> each.get() == null);
      look = Math.max(FIRST_LOOK, 2 * made.size());
    }
    made.add(new WeakReference<>(service));
  }

  /// Creates an HTTP client with threads of the domain. The client is created by a platform thread,
  /// because its selector thread only inherits the thread group. Tasks are given an executor,
  /// because threads of the JDK's default executor would also only inherit the group.
  ///
  /// @param builder the builder, whose executor is set if it has none, or null for a new builder
  /// @param onPlatform runs a task in a platform thread of the domain and waits for it
  Object client(@Nullable Object builder, Executor executor, Consumer<Runnable> onPlatform) {
    List<Object> result = new ArrayList<>();
    onPlatform.accept(() -> result.add(invoke(() -> client(builder, executor))));
    Object client = result.getFirst();
    made(client);
    return client;
  }

  private static Object client(@Nullable Object given, Executor executor)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(CLIENT, true, ClassLoader.getPlatformClassLoader());
    Class<?> builders = Class.forName(CLIENT + "$Builder", true, type.getClassLoader());
    Object builder = given == null ? type.getMethod("newBuilder").invoke(null) : given;
    Method build = builders.getMethod("build");
    Object first = build.invoke(builder);
    if (type.getMethod("executor").invoke(first) instanceof Optional<?> has && has.isPresent()) {
      return first;
    }
    call(first, CLIENT, "shutdownNow");
    builders.getMethod("executor", Executor.class).invoke(builder, executor);
    return build.invoke(builder);
  }

  /// Starts a server. It counts as one running thread of the domain until it is stopped.
  void start(Object server) {
    synchronized (this) {
      if (servers.contains(server)) {
        started.add(server);
      }
    }
    try {
      call(server, SERVER, "start");
    } catch (RuntimeException | Error e) {
      forget(server);
      throw e;
    }
  }

  /// Stops a server after a delay of at most the given number of seconds.
  void stop(Object server, int seconds) {
    try {
      call(server, SERVER, "stop", seconds);
    } finally {
      forget(server);
    }
  }

  private synchronized void forget(Object server) {
    started.remove(server);
    servers.remove(server);
  }

  /// Returns the number of running servers.
  synchronized int serving() {
    return started.size();
  }

  /// Ends the collection. Objects that are recorded from now on are closed immediately.
  ///
  /// @return the open objects, each to be passed to [#close]
  synchronized List<Object> end() {
    ended = true;
    List<Object> last = new ArrayList<>(servers);
    for (WeakReference<Object> each : made) {
      Object service = each.get();
      if (service != null) {
        last.add(service);
      }
    }
    made = new ArrayList<>();
    servers.clear();
    started.clear();
    return last;
  }

  /// Closes one object. The caller ignores exceptions, because either code of the domain has
  /// reached a gate, or the kernel has reported an error and the JDK closes the object together
  /// with its last thread.
  static void close(Object service) throws IOException {
    if (service instanceof AsynchronousChannelGroup group) {
      group.shutdownNow();
    } else if (service instanceof WatchService watch) {
      watch.close();
    } else if (typeOf(service, SERVER) != null) {
      call(service, SERVER, "stop", 0);
    } else if (typeOf(service, CLIENT) != null) {
      call(service, CLIENT, "shutdownNow");
    }
  }

  /// Returns the class with the given name among an object's class and its superclasses, or null.
  private static @Nullable Class<?> typeOf(Object object, String name) {
    for (Class<?> at = object.getClass(); at != null; at = at.getSuperclass()) {
      if (at.getName().equals(name)) {
        return at;
      }
    }
    return null;
  }

  private static void call(Object object, String type, String method, Object... arguments) {
    Class<?> declaring = typeOf(object, type);
    if (declaring == null) {
      throw new ClassCastException(object.getClass() + " is no " + type);
    }
    Class<?>[] types = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {int.class};
    invoke(() -> declaring.getMethod(method, types).invoke(object, arguments));
  }

  /// A reflective call.
  private interface Reflected<T> {
    T run() throws ReflectiveOperationException;
  }

  private static <T> T invoke(Reflected<T> call) {
    try {
      return call.run();
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
