package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A set of sockets with completions: listen, accept, receive, send, connect, shut down, close.
/// Kernel sockets are the transport of an [Engine] ([KernelTransport]); a loop may turn others
/// beside them ([UserTransport]).
///
/// Sockets and listeners are small non-negative numbers, reused after [#close]. Operations are
/// staged and take effect in the next [Engine#turn], in the order staged for one socket. All
/// methods belong to the engine's owner thread.
public interface Transport {
  /// Returns the arena in whose chunks received bytes arrive.
  ChunkArena arena();

  /// Opens a listening socket. Control path: takes effect at once.
  ///
  /// @return the listener
  /// @throws IOException with the call, the errno, the reason and the fix
  int listen(SocketAddress address, ListenOptions options) throws IOException;

  /// Returns the address a listener is bound to, with its real port.
  SocketAddress localAddress(int listener) throws IOException;

  /// Arms accepting until cancelled. Each completion's result is a new socket or a negative errno.
  /// Without [Completion#MORE] the arming is over and must be repeated. -EMFILE and -ENFILE end it.
  void accept(int listener, long token);

  /// Closes a listener's accept queue to new clients, if the kernel can do that; clients in the
  /// queue or in the middle of a handshake are not affected. Control path: takes effect at once.
  ///
  /// @return true if the queue is closed: [sluice.loop.sockets.AcceptQueues] can then detect when
  ///   it is empty
  default boolean refuseNew(int listener) {
    return false;
  }

  /// Accepts the clients in a listener's queue and closes the listener, in one step. A client that
  /// completes its handshake between the two is reset, and the two are as close as possible. The
  /// armed accept completes once per connection, at most as often as the queue holds clients, and
  /// last with -ECANCELED.
  ///
  /// @return false if that is not possible; the caller then cancels, and closes after the last
  ///   completion
  default boolean acceptRestAndClose(int listener) {
    return false;
  }

  /// Arms receiving until cancelled. Each completion brings a piece of a chunk: `result` > 0 bytes
  /// from [Completion#offset] on. The receiver has a lease on the chunk and must end it. A result
  /// of 0 is the end of the stream, a negative one an errno. Both end the arming, as does -ENOBUFS
  /// if no chunk is free (arm again after chunks were returned). Without [Completion#MORE] the
  /// arming is over, even if bytes came with it.
  void receive(int socket, long token);

  /// Sends without waiting. **Silence is success:** if everything was taken there is no completion,
  /// and the bytes are free for reuse as soon as the turn that submitted them has delivered its
  /// completions. Otherwise that same turn delivers one completion: the count that was taken (0 ≤
  /// count < length), -EAGAIN if nothing was, or another negative errno if the connection is gone;
  /// nothing stays in flight. A second send of either kind must not be staged on a socket before
  /// the turn has delivered the outcome of the first.
  void send(int socket, long token, MemorySegment bytes, long offset, int length);

  /// Sends several ranges in order, as [#send] does.
  void sendVector(int socket, long token, SendVector ranges);

  /// Sends everything, waiting for room as long as it takes. There is exactly one completion, with
  /// `length`; or, if the connection is gone or after [#cancel], with a negative errno or the
  /// smaller count that went out before. A signal may end it in the same way, with -EINTR (SIGSTOP
  /// with SIGCONT, or a freezer's, on io_uring): the rest can be sent again. The caller holds a
  /// lease on the bytes until the completion.
  void sendAll(int socket, long token, MemorySegment bytes, long offset, int length);

  /// Waits for room: completes once the socket can take more bytes (result > 0), or with a negative
  /// errno.
  void awaitWritable(int socket, long token);

  /// Returns a number that grows when the peer takes sent bytes. It is only compared with an
  /// earlier value, to distinguish a slow peer from a peer that does not read. Makes a system call.
  ///
  /// @return -1 if the transport cannot tell: then only the bytes taken by the socket are known
  default long peerTakenBytes(int socket) {
    return -1;
  }

  /// Moves bytes of a file to the socket without waiting and without copying them through Java.
  /// Takes effect at once; allowed only if nothing is staged or in flight on the socket.
  ///
  /// @return the number of bytes moved (0 at the end of the file), -EAGAIN if the socket is full,
  ///   or another negative errno
  long sendFile(int socket, int fileFd, long position, long count);

  /// Stages the shutdown of one or both directions. Never completes.
  ///
  /// @param how `SHUT_RD` 0, `SHUT_WR` 1, `SHUT_RDWR` 2
  void shutdown(int socket, int how);

  /// Starts to connect: one completion, 0 or a negative errno. The socket is returned at once and
  /// is closed by the caller in either case.
  int connect(SocketAddress address, long token) throws IOException;

  /// Cancels the operation armed under `token`: it completes with -ECANCELED without
  /// [Completion#MORE], unless it completes by itself before. Unknown tokens are ignored. The
  /// cancellation itself never completes.
  void cancel(long token);

  /// Stages the close of a socket or listener. Never completes. Nothing may be armed or in flight
  /// on it: cancel first and wait for the last completion. (On io_uring an armed receive would keep
  /// the connection alive, and no FIN would be sent.)
  void close(int socket);

  /// Returns the peer of a connected socket, or null if the kernel does not know it any more. Makes
  /// a system call: not for hot paths.
  @Nullable SocketAddress remoteAddress(int socket);
}
