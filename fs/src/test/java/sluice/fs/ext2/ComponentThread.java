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

/// Puts components apart, as domains would: each has a thread of its own that does all that is
/// asked of it, and arrays of bytes come and go as copies. Of the test's thread.
final class ComponentThread implements AutoCloseable {
  private final ExecutorService thread;

  /// @param name of the component's thread
  ComponentThread(String name) {
    thread =
        Executors.newSingleThreadExecutor(task -> {
          Thread own = new Thread(task, name);
          own.setDaemon(true);
          return own;
        });
  }

  /// The component as others see it.
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

  /// What a component gives away to be called later is called on its thread too.
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
