package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// Sockets by completion: listen, accept, receive, send, connect, shut down, close. Kernel sockets
/// are the transport of an [Engine] ([KernelTransport]); a loop may turn others beside them
/// ([UserTransport]).
///
/// Sockets and listeners are small non-negative numbers, reused after [#close]. Operations are
/// staged and take effect in the next [Engine#turn], in the order staged for one socket. All
/// methods belong to the engine's owner thread.
public interface Transport {
  /// Chunks of the arena that received bytes arrive in.
  ChunkArena arena();

  /// Opens a listening socket. Control path: takes effect at once.
  ///
  /// @return the listener
  /// @throws IOException with the call, the errno, why and the fix
  int listen(SocketAddress address, ListenOptions options) throws IOException;

  /// The address a listener is bound to, with its real port.
  SocketAddress localAddress(int listener) throws IOException;

  /// Arms accepting until cancelled: each completion's result is a new socket, or a negative errno.
  /// Without [Completion#MORE] the arming is over and must be repeated. -EMFILE and -ENFILE end it.
  void accept(int listener, long token);

  /// Lets no new client into a listener's accept queue, where the kernel can do that; a client in
  /// the queue, or in the middle of a handshake, is not sent away. Control path: takes effect at
  /// once.
  ///
  /// @return whether that is so: [sluice.loop.sockets.AcceptQueues] can tell when none is left
  default boolean refuseNew(int listener) {
    return false;
  }

  /// Accepts what waits in a listener's queue and closes the listener, in one step: a client that
  /// completes its handshake between the two is reset, and the two are as close as can be. The
  /// armed accept completes once for each connection, at most as many as the queue holds, and last
  /// with -ECANCELED.
  ///
  /// @return false where that is not possible; then cancel, and close after the last completion
  default boolean acceptRestAndClose(int listener) {
    return false;
  }

  /// Arms receiving until cancelled: each completion brings a piece of a chunk, `result` > 0 bytes
  /// from [Completion#offset] on; the receiver has a lease on the chunk, and ends it. 0 is end of
  /// stream, negative an errno; both end the arming, as does -ENOBUFS when no chunk is free (arm
  /// again after chunks went back). Without [Completion#MORE] the arming is over, even when bytes
  /// came with it.
  void receive(int socket, long token);

  /// Sends without waiting. **Silence is success:** when everything was taken there is no
  /// completion, and the bytes are free for reuse as soon as the turn that submitted them has
  /// delivered its completions. Otherwise that same turn delivers one completion: the count that
  /// was taken (0 ≤ count < length), -EAGAIN when nothing was, or another errno when the connection
  /// is gone; nothing stays in flight. Never stage a second send of either kind on a socket before
  /// the turn has shown how the first ended.
  void send(int socket, long token, MemorySegment bytes, long offset, int length);

  /// As [#send], for several ranges in order: `count` entries of `ranges`.
  void sendVector(int socket, long token, SendVector ranges);

  /// Sends everything, waiting for room as long as it takes: exactly one completion, with `length`;
  /// or, when the connection is gone or after [#cancel], with a negative errno or the smaller count
  /// that went out before. A signal may end it in the same way, with -EINTR (SIGSTOP with SIGCONT,
  /// or a freezer's, on io_uring): the rest can be sent again. The caller holds a lease on the
  /// bytes until it comes.
  void sendAll(int socket, long token, MemorySegment bytes, long offset, int length);

  /// Completes once when the socket can take more bytes (result > 0), or with a negative errno.
  void awaitWritable(int socket, long token);

  /// A number that grows when the peer takes bytes of what was sent. Only compared with an earlier
  /// value: it tells a peer that reads slowly from a peer that does not read. A system call.
  ///
  /// @return -1 when the transport cannot tell: then only what the socket takes is known
  default long peerTakenBytes(int socket) {
    return -1;
  }

  /// Moves bytes of a file to the socket without waiting and without copying them through Java.
  /// Takes effect at once, and only when nothing is staged or in flight on the socket.
  ///
  /// @return bytes moved (0 at the end of the file), or -EAGAIN when the socket is full, or another
  ///   negative errno
  long sendFile(int socket, int fileFd, long position, long count);

  /// Stages the end of one or both directions. Never completes.
  ///
  /// @param how `SHUT_RD` 0, `SHUT_WR` 1, `SHUT_RDWR` 2
  void shutdown(int socket, int how);

  /// Starts a connection: one completion, 0 or a negative errno. The socket is returned at once and
  /// is closed by the caller in either case.
  int connect(SocketAddress address, long token) throws IOException;

  /// Cancels what was armed under `token`: it completes with -ECANCELED without [Completion#MORE],
  /// unless it completes by itself before. Unknown tokens are ignored. The cancellation itself
  /// never completes.
  void cancel(long token);

  /// Stages the close of a socket or listener. Never completes. Nothing may be armed or in flight
  /// on it: cancel first and wait for the last completion (on io_uring an armed receive would keep
  /// the connection alive, and no FIN would be sent).
  void close(int socket);

  /// Peer of a connected socket, or null when the kernel does not know it any more. A system call:
  /// not for hot paths.
  @Nullable SocketAddress remoteAddress(int socket);
}
