package sluice.host.life;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.sys.AbstractUnixAddress;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

/// The connection to systemd or another service manager that implements its protocol
/// (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)). If there is no service manager, all
/// methods have no effect. This class is thread-safe.
///
/// Each message is one datagram that contains lines of the form `NAME=VALUE`. If a message cannot
/// be sent, this is reported once on standard error and has no other effect.
public final class ServiceManager {
  private static final int FIRST_FD = 3;

  private final Map<String, String> environment;
  private final long pid;
  private final @Nullable SocketAddress socket;
  private final Consumer<String> complaints;
  private volatile boolean complained;
  private volatile boolean stopping;

  /// Creates a connection from the variables of an environment.
  ///
  /// @param environment the environment of this process
  /// @param pid the ID of this process
  /// @param complaints a consumer that receives one line if a message cannot be sent
  public ServiceManager(Map<String, String> environment, long pid, Consumer<String> complaints) {
    this.environment = Map.copyOf(environment);
    this.pid = pid;
    this.complaints = complaints;
    this.socket = socket(environment.getOrDefault("NOTIFY_SOCKET", ""));
  }

  /// Returns the service manager of this process.
  ///
  /// @param complaints a consumer that receives one line if a message cannot be sent
  public static ServiceManager ofProcess(Consumer<String> complaints) {
    return new ServiceManager(System.getenv(), ProcessHandle.current().pid(), complaints);
  }

  /// Returns the address of a socket. A leading `@` denotes the abstract namespace.
  private static @Nullable SocketAddress socket(String name) {
    if (name.startsWith("/")) {
      return UnixDomainSocketAddress.of(name);
    }
    return name.startsWith("@") ? new AbstractUnixAddress(name.substring(1)) : null;
  }

  /// Returns the listening sockets that were passed to this process by socket activation, with
  /// their purposes.
  ///
  /// @throws IOException if the number of sockets is not valid, or a name is not known
  public List<PassedSocket> listeners() throws IOException {
    String count = environment.get("LISTEN_FDS");
    if (count == null || !Long.toString(pid).equals(environment.get("LISTEN_PID"))) {
      return List.of();
    }
    if (!count.matches("[0-9]{1,4}")) {
      throw new IOException(
          "LISTEN_FDS is "
              + count
              + ". Why: it should be the number of sockets passed to this process. Fix: start it by"
              + " a socket unit, or unset LISTEN_FDS.");
    }
    String[] names = environment.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
    List<PassedSocket> sockets = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(count); i++) {
      sockets.add(PassedSocket.named(FIRST_FD + i, i < names.length ? names[i] : ""));
    }
    return sockets;
  }

  /// Reports that the service is ready.
  public void ready(String status) {
    send("READY=1\nSTATUS=" + line(status));
  }

  /// Reports that the configuration is being reloaded. [#ready] must be called afterwards.
  public void reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=" + System.nanoTime() / 1_000);
  }

  /// Reports that the service is stopping.
  public void stopping(String status) {
    stopping = true;
    send("STOPPING=1\nSTATUS=" + line(status));
  }

  /// Reports the status of the service in one line for users.
  public void status(String status) {
    send("STATUS=" + line(status));
  }

  private static String line(String text) {
    return text.replace('\n', ' ');
  }

  /// Returns the watchdog interval, or null if the service manager has no watchdog for this
  /// process.
  @Nullable Duration watchdogInterval() {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String who = environment.getOrDefault("WATCHDOG_PID", Long.toString(pid));
    return micros.matches("[1-9][0-9]{0,17}") && who.equals(Long.toString(pid))
        ? Duration.ofNanos(Math.multiplyExact(Long.parseLong(micros), 1_000L))
        : null;
  }

  /// Starts a thread that reports twice per watchdog interval that all loops are responding. If a
  /// loop does not respond, the report is omitted so that the service manager takes action.
  public void watch(List<? extends Part> parts) {
    Duration interval = watchdogInterval();
    if (interval != null && socket != null) {
      Thread.ofPlatform()
          .daemon()
          .name("sluice-notify")
          .start(() -> watch(parts, interval.dividedBy(2)));
    }
  }

  private void watch(List<? extends Part> parts, Duration pause) {
    while (!stopping) {
      try {
        boolean turns = true;
        for (Part part : parts) {
          turns &= part.stuck(pause).isEmpty();
        }
        if (turns) {
          send("WATCHDOG=1");
        }
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        // This program does not interrupt the thread, so this is no reason for the service manager
        // to take action. The loops are checked again in the next round.
      }
    }
  }

  private void send(String message) {
    SocketAddress to = socket;
    if (to == null) {
      return;
    }
    int result;
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
      MemorySegment datagram = arena.allocate(bytes.length);
      MemorySegment.copy(bytes, 0, datagram, ValueLayout.JAVA_BYTE, 0, bytes.length);
      int fd = Sockets.socket(SocketAddresses.AF_UNIX, Sockets.SOCK_DGRAM, 0);
      try {
        result = Sockets.sendto(fd, datagram, Sockets.MSG_NOSIGNAL, to);
      } finally {
        Files.close(fd);
      }
    } catch (IOException | IllegalArgumentException e) {
      complain(e.toString());
      return;
    }
    if (result < 0) {
      complain(Errno.name(-result));
    }
  }

  private void complain(String why) {
    if (!complained) {
      complained = true;
      complaints.accept(
          "the service manager cannot be told how this service is. Why: "
              + socket
              + " from NOTIFY_SOCKET: "
              + why
              + ". Fix: Type=notify with NotifyAccess=main, or unset NOTIFY_SOCKET.");
    }
  }
}
