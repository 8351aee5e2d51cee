package sluice.host.control;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Answers control requests of other commands in a long-running process. It listens on a UNIX
/// socket in the directory of the counters file. A platform thread accepts connections, and each
/// request is processed on its own virtual thread, so that an unresponsive client does not block
/// other clients. At most 16 requests are processed at the same time.
///
/// Only the user of this process and root are answered. The mode of the socket file denies access
/// to other users. In addition, the peer credentials of the kernel (`SO_PEERCRED`, socket(7)) are
/// checked.
public final class ControlSocket implements AutoCloseable {
  private static final int AT_ONCE = 16;
  private static final Set<String> ROOT = Set.of("root", "0");

  /// An action that executes a request. Requests may be executed concurrently.
  @FunctionalInterface
  public interface Action {
    /// Executes a request.
    ///
    /// @param argument the argument of the request, which may be any text
    ControlAnswer run(String argument) throws InterruptedException;
  }

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Path file;
  private final ServerSocketChannel listener;
  private final Selector selector;
  private final Map<String, Action> actions;
  private final String user;
  private final Semaphore free = new Semaphore(AT_ONCE);

  private ControlSocket(Path file, ServerSocketChannel listener, Map<String, Action> actions)
      throws IOException {
    this.file = file;
    this.listener = listener;
    this.actions = Map.copyOf(actions);
    user = Files.getOwner(file).getName();
    listener.configureBlocking(false);
    selector = Selector.open();
    listener.register(selector, SelectionKey.OP_ACCEPT);
  }

  /// Opens the socket. If this fails, one line is logged and the process continues without the
  /// socket.
  ///
  /// @param countersFile the counters file of this process, or null if it does not have one, which
  ///   has already been logged
  /// @param actions the actions, keyed by verb
  /// @param messages a consumer that receives the log line
  /// @return null if the socket could not be opened
  public static @Nullable ControlSocket open(
      @Nullable Path countersFile, Map<String, Action> actions, Consumer<String> messages) {
    if (countersFile == null) {
      return null;
    }
    Path directory = Objects.requireNonNull(countersFile.toAbsolutePath().getParent());
    Path file = ControlWire.socketOf(directory, ProcessHandle.current().pid());
    try {
      removeStale(directory);
      ControlSocket socket = listen(file, actions);
      Thread.ofPlatform().daemon().name("sluice-control").start(socket::accept);
      return socket;
    } catch (IOException | RuntimeException | LinkageError e) { // a class may need a descriptor
      messages.accept(
          "no command reaches this process ("
              + String.join(", ", actions.keySet())
              + "). Why: cannot listen on "
              + file
              + ": "
              + e.getMessage()
              + ". Fix: a short SLUICE_RUN_DIR that this user may write");
      return null;
    }
  }

  private static ControlSocket listen(Path file, Map<String, Action> actions) throws IOException {
    Files.deleteIfExists(file); // of a killed process with the same number
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listener.bind(UnixDomainSocketAddress.of(file));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      return new ControlSocket(file, listener, actions);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  /// Deletes the sockets of processes that were killed.
  private static void removeStale(Path directory) throws IOException {
    String pattern = "[0-9]*" + ControlWire.SUFFIX;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
      for (Path each : files) {
        String number = each.getFileName().toString().replace(ControlWire.SUFFIX, "");
        if (number.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(number)).isEmpty()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  /// Accepts connections with a selector. A selector is used because an interrupt only wakes it up,
  /// whereas an interrupt would close a blocking channel.
  private void accept() {
    while (listener.isOpen()) {
      try {
        selector.select();
        boolean _ = Thread.interrupted();
        selector.selectedKeys().clear();
        SocketChannel peer = listener.accept();
        if (peer == null) {
          continue;
        }
        if (free.tryAcquire()) {
          Thread.ofVirtual().name("sluice-control").start(() -> serve(peer));
        } else {
          peer.close();
        }
      } catch (ClosedChannelException | ClosedSelectorException e) {
        return; // the socket was closed
      } catch (IOException e) {
        LockSupport.parkNanos(RETRY_NANOS); // there are no free descriptors
      }
    }
  }

  private void serve(SocketChannel peer) {
    try (peer) {
      String asking = peer.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
      // The request is read before it is refused, because closing a socket with unread bytes may
      // discard the answer.
      String request = ControlWire.receiveRequest(peer);
      ControlWire.answer(
          peer,
          asking.equals(user) || ROOT.contains(asking)
              ? run(request)
              : ControlAnswer.refused(
                  "only " + user + (ROOT.contains(user) ? "" : " and root") + " may ask this"));
    } catch (IOException e) {
      // The client has closed the connection.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      free.release();
    }
  }

  private ControlAnswer run(String request) throws InterruptedException {
    int end = request.indexOf('\n');
    Action action = end < 0 ? null : actions.get(request.substring(0, end));
    if (action == null) {
      return ControlAnswer.refused(
          "this process does not do that. It does: " + String.join(", ", actions.keySet()));
    }
    try {
      return action.run(request.substring(end + 1));
    } catch (RuntimeException e) {
      return ControlAnswer.refused("it failed: " + e);
    }
  }

  /// Stops accepting requests. This method waits up to a second until the current requests have
  /// been answered, because one of them may have caused the socket to be closed.
  @Override
  public void close() {
    try {
      listener.close();
      selector.close();
      Files.deleteIfExists(file);
      boolean _ = free.tryAcquire(AT_ONCE, 1, TimeUnit.SECONDS);
    } catch (IOException e) {
      // The directory has been deleted or belongs to another user.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
