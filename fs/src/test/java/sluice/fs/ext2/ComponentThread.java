package sluice.fs.ext2;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.block.Transaction;

/// Isolates components as domains would: each has its own thread that executes all calls, and byte
/// arrays are copied in both directions. Confined to the test's thread.
final class ComponentThread implements AutoCloseable {
  private final ExecutorService thread;

  /// Starts the thread.
  ///
  /// @param name the name of the component's thread
  ComponentThread(String name) {
    thread =
        Executors.newSingleThreadExecutor(task -> {
          Thread own = new Thread(task, name);
          own.setDaemon(true);
          return own;
        });
  }

  /// Returns the component as others see it.
  <T> T of(Class<T> seam, T component) {
    Object seen =
        Proxy.newProxyInstance(
            seam.getClassLoader(),
            new Class<?>[] {seam},
            (_, method, arguments) -> {
              Object[] copies = arguments == null ? new Object[0] : arguments.clone();
              for (int i = 0; i < copies.length; i++) {
                copies[i] = copy(copies[i]);
              }
              Future<Object> result = thread.submit(() -> method.invoke(component, copies));
              try {
                return handed(result.get());
              } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw Objects.requireNonNull(
                    cause instanceof InvocationTargetException thrown ? thrown.getCause() : cause);
              }
            });
    return seam.cast(seen);
  }

  private static Object copy(Object value) {
    return value instanceof byte[] bytes ? bytes.clone() : value;
  }

  /// Wraps results that a component returns for later calls, so that these run on its thread too.
  private @Nullable Object handed(@Nullable Object result) {
    return switch (result) {
      case null -> null;
      case Transaction transaction -> of(Transaction.class, transaction);
      case FileTree.Group group -> of(FileTree.Group.class, group);
      default -> copy(result);
    };
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
