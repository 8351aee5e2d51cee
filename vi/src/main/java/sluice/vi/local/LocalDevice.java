package sluice.vi.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import sluice.sys.AbstractUnixAddress;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.PeerCredentials;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;
import sluice.vi.local.Hello.Answer;

/// A device for connections through shared memory between processes of one user on one machine. Any
/// thread may call.
///
/// The two sides connect through a UNIX socket in the abstract namespace,
/// `sluice-vi/USER/NAME/TAG`, which leaves no file behind when a process is killed. The connecting
/// side creates the memory file and sends its descriptor number. The accepting side opens
/// `/proc/PID/fd/NUMBER`, using the process id that the kernel reports, and checks the seals and
/// the size.
final class LocalDevice implements Device {
  static final String NAME = "local";
  private static final int MAX_NAME_BYTES = 60;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Watcher watcher;

  LocalDevice() throws IOException {
    watcher = new Watcher();
  }

  private static AbstractUnixAddress socketName(String address, int tag) throws IOException {
    int length = address.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_NAME_BYTES) {
      throw new DeviceException(
          Fault.MISCONFIGURED,
          "the address of a local VI is a name of 1 to " + MAX_NAME_BYTES + " bytes: " + address);
    }
    return new AbstractUnixAddress(
        "sluice-vi/" + PeerCredentials.ownUser() + "/" + address + "/" + tag);
  }

  private static int socket() throws SysException {
    return Sockets.socket(
        SocketAddresses.AF_UNIX, Sockets.SOCK_SEQPACKET | Sockets.SOCK_NONBLOCK, 0);
  }

  @Override
  public Listener listen(String address, int tag) throws IOException {
    AbstractUnixAddress name = socketName(address, tag);
    int fd = socket();
    try {
      Sockets.bind(fd, name);
      Sockets.listen(fd, LocalListener.BACKLOG);
      return new LocalListener(watcher, fd, tag);
    } catch (IOException e) {
      int _ = Files.close(fd);
      if (e instanceof SysException call && call.errno() == Errno.EADDRINUSE) {
        throw DeviceException.tagTaken(tag, address, e);
      }
      throw e;
    }
  }

  @Override
  public Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException {
    int socket = socket();
    int memory = -1;
    Mapping mapping = null;
    try {
      long end = System.nanoTime() + (timeoutNanos < 0 ? Long.MAX_VALUE >> 1 : timeoutNanos);
      connectSocket(socket, address, spec.tag(), end);
      memory = SharedMemory.create(spec.ringBytes());
      mapping = SharedMemory.map(memory, spec.ringBytes());
      int transfer = negotiate(socket, Hello.of(spec, memory), end);
      Link link = new Link(watcher, socket);
      LocalPort port = new LocalPort(spec.withTransferBytes(transfer), mapping, 0, link);
      link.attach(port);
      return port;
    } catch (IOException e) {
      if (mapping != null) {
        mapping.close();
      }
      int _ = Files.close(socket);
      throw e;
    } finally {
      if (memory >= 0) {
        int _ = Files.close(memory);
      }
    }
  }

  private static void connectSocket(int socket, String address, int tag, long end)
      throws IOException {
    AbstractUnixAddress name = socketName(address, tag);
    int result = Sockets.connect(socket, name);
    while (result == -Errno.EAGAIN && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(RETRY_NANOS); // the listener's queue is full
      if (Thread.currentThread().isInterrupted()) {
        throw DeviceException.interrupted("connecting", null);
      }
      result = Sockets.connect(socket, name);
    }
    if (result == -Errno.EAGAIN) {
      throw DeviceException.notAccepted(null);
    }
    if (result == -Errno.ECONNREFUSED) {
      throw DeviceException.noListener(
          "for tag "
              + tag
              + " at "
              + address
              + ". Fix: start the server first, as the same user, in the same network namespace");
    }
    SysException.check(result, "connect", name);
    PeerCredentials peer = PeerCredentials.of(socket);
    if (peer.uid() != PeerCredentials.ownUser()) {
      throw new DeviceException(
          Fault.REFUSED,
          "the listener at "
              + address
              + " belongs to user "
              + peer.uid()
              + ". Fix: run both ends as one user");
    }
  }

  /// Sends the request of this side and waits until the other side has accepted it.
  ///
  /// @return the maximum message length in bytes
  private int negotiate(int socket, Hello hello, long end) throws IOException {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    watcher.add(socket, new AnswerReader(socket, answer));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocate(Hello.BYTES, Integer.BYTES);
      hello.write(packet);
      int sent = Sockets.send(socket, packet, 0, Hello.BYTES, Sockets.MSG_NOSIGNAL);
      SysException.check(sent, "sendto", socket);
      Answer got = answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      return switch (got.verdict()) {
        case ACCEPTED -> {
          if (got.transferBytes() < 1 || got.transferBytes() > hello.transferBytes()) {
            throw new RingViolation("the listener answered messages of " + got.transferBytes());
          }
          yield got.transferBytes();
        }
        case OTHER_RELIABILITY -> throw DeviceException.otherReliability(true);
        case BAD_MEMORY ->
            throw new DeviceException(
                Fault.REFUSED,
                "the accepting process could not open this one's memory. Fix: run both in one PID"
                    + " namespace");
      };
    } catch (ExecutionException e) {
      throw DeviceException.rethrown(e);
    } catch (TimeoutException e) {
      throw DeviceException.notAccepted(e);
    } catch (InterruptedException e) {
      throw DeviceException.interrupted("connecting", e);
    } finally {
      if (!answer.isDone()) {
        watcher.remove(socket);
      }
    }
  }

  /// A handler that reads the answer on the watcher's thread.
  private final class AnswerReader implements Watcher.Handler {
    private final int socket;
    private final CompletableFuture<Answer> answer;

    AnswerReader(int socket, CompletableFuture<Answer> answer) {
      this.socket = socket;
      this.answer = answer;
    }

    @Override
    public void ready(MemorySegment scratch) {
      int count = Sockets.recv(socket, scratch, 0, Hello.ANSWER_BYTES, Sockets.MSG_DONTWAIT);
      if (count == -Errno.EAGAIN || count == -Errno.EINTR) {
        return;
      }
      watcher.remove(socket); // the next packet is the Link's
      try {
        if (count <= 0) {
          throw DeviceException.peerListenerClosed();
        }
        answer.complete(Answer.read(scratch, count));
      } catch (DeviceException e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public void stopped() {
      answer.completeExceptionally(DeviceException.deviceClosed());
    }
  }

  @Override
  public void close() {
    watcher.close();
  }
}
