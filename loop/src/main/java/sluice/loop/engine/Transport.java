package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A set of sockets with completions for the operations listen, accept, receive, send, connect,
/// shut down and close. Kernel sockets are the transport of an [Engine] ([KernelTransport]). A loop
/// may turn additional transports ([UserTransport]).
///
/// Sockets and listeners are identified by small non-negative numbers, which are reused after
/// [#close]. Operations are staged and take effect in the next [Engine#turn], in the order in which
/// they were staged for one socket. All methods must be called on the engine's owner thread.
public interface Transport {
  /// Returns the arena in whose chunks received bytes are stored.
  ChunkArena arena();

  /// Opens a listening socket. This is a control-path operation that takes effect immediately.
  ///
  /// @return the listener
  /// @throws IOException if the socket cannot be opened; the message states the call, the errno,
  ///   the reason and the fix
  int listen(SocketAddress address, ListenOptions options) throws IOException;

  /// Returns the address to which a listener is bound, with its actual port.
  SocketAddress localAddress(int listener) throws IOException;

  /// Arms accepting until it is cancelled. The result of each completion is a new socket or a
  /// negative errno. After a completion without [Completion#MORE], accepting is no longer armed and
  /// must be armed again. -EMFILE and -ENFILE also end it.
  void accept(int listener, long token);

  /// Closes a listener's accept queue to new clients if the kernel supports this. Clients that are
  /// already in the queue or in the middle of a handshake are not affected. This is a control-path
  /// operation that takes effect immediately.
  ///
  /// @return true if the queue is closed, in which case [sluice.loop.sockets.AcceptQueues] can
  ///   detect when it is empty
  default boolean refuseNew(int listener) {
    return false;
  }

  /// Accepts the clients in a listener's queue and closes the listener in one step. A client that
  /// completes its handshake between the two actions is reset, so they are performed as close
  /// together as possible. The armed accept completes once per connection, at most as many times as
  /// the queue holds clients, and finally with -ECANCELED.
  ///
  /// @return false if this is not supported, in which case the caller cancels the accept and closes
  ///   the listener after the last completion
  default boolean acceptRestAndClose(int listener) {
    return false;
  }

  /// Arms receiving until it is cancelled. Each completion delivers a segment of a chunk, which
  /// contains `result` > 0 bytes from [Completion#offset] on. The receiver holds a lease on the
  /// chunk and must release it. A result of 0 indicates the end of the stream, and a negative
  /// result is an errno. Both end the arming, as does -ENOBUFS if no chunk is free, in which case
  /// receiving can be armed again after chunks have been returned. A completion without
  /// [Completion#MORE] ends the arming even if it delivers bytes.
  void receive(int socket, long token);

  /// Sends without waiting. **Silence is success:** if all bytes were accepted, there is no
  /// completion, and the memory can be reused as soon as the turn that submitted the send has
  /// delivered its completions. Otherwise that same turn delivers one completion: the number of
  /// bytes accepted (0 ≤ count < length), -EAGAIN if there were none, or another negative errno if
  /// the connection has failed. No operation remains in flight. Another send of either kind must
  /// not be staged on a socket before the turn has delivered the outcome of the first.
  void send(int socket, long token, MemorySegment bytes, long offset, int length);

  /// Sends several ranges in order, as [#send] does.
  void sendVector(int socket, long token, SendVector ranges);

  /// Sends all bytes, waiting for room for as long as necessary. There is exactly one completion.
  /// Its result is `length`; or, if the connection has failed or after [#cancel], a negative errno
  /// or the smaller number of bytes that were sent before. A signal may end the send in the same
  /// way, with -EINTR (SIGSTOP with SIGCONT, or that of a freezer, on io_uring), after which the
  /// remaining bytes can be sent again. The caller holds a lease on the bytes until the completion.
  void sendAll(int socket, long token, MemorySegment bytes, long offset, int length);

  /// Waits for room. The operation completes once the socket can accept more bytes (result > 0), or
  /// with a negative errno.
  void awaitWritable(int socket, long token);

  /// Returns a number that increases when the peer receives sent bytes. It is only compared with an
  /// earlier value, in order to distinguish a slow peer from a peer that does not read. Makes a
  /// system call.
  ///
  /// @return -1 if the transport does not know, so that only the number of bytes accepted by the
  ///   socket is known
  default long peerTakenBytes(int socket) {
    return -1;
  }

  /// Transfers bytes of a file to the socket without waiting and without copying them through Java.
  /// Takes effect immediately, and may only be called if no operation is staged or in flight on the
  /// socket.
  ///
  /// @return the number of bytes transferred (0 at the end of the file), or -EAGAIN if the socket
  ///   is full, or another negative errno
  long sendFile(int socket, int fileFd, long position, long count);

  /// Stages the shutdown of one or both directions. There is no completion.
  ///
  /// @param how `SHUT_RD` 0, `SHUT_WR` 1, `SHUT_RDWR` 2
  void shutdown(int socket, int how);

  /// Starts to connect a socket. There is one completion, with 0 or a negative errno. The socket is
  /// returned immediately, and the caller must close it in either case.
  int connect(SocketAddress address, long token) throws IOException;

  /// Cancels the operation armed under `token`. The operation completes with -ECANCELED without
  /// [Completion#MORE], unless it completes by itself before. Unknown tokens are ignored. The
  /// cancellation itself has no completion.
  void cancel(long token);

  /// Stages the close of a socket or listener. There is no completion. No operation may be armed or
  /// in flight on it, so the caller must first cancel its operations and wait for the last
  /// completion. (On io_uring an armed receive would keep the connection alive, and no FIN would be
  /// sent.)
  void close(int socket);

  /// Returns the address of the peer of a connected socket, or null if the kernel no longer knows
  /// it. Makes a system call, so it is not suitable for hot paths.
  @Nullable SocketAddress remoteAddress(int socket);
}
