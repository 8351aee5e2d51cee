package sluice.host.plugin;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.HttpResponder;
import sluice.http.plugin.StreamReply;

/// A reply that a plug-in streams while its call is being executed. It is started by a thread of
/// the plug-in, unless the host has already answered the request.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | isTaken | any | volatile | compareAndSet |
/// | stream | the thread that begins | volatile | volatile |
final class PluginStream implements StreamReply {
  private final HttpResponder responder;
  private final AtomicBoolean isTaken = new AtomicBoolean();
  private volatile @Nullable OutputStream stream;

  /// The body of the reply. Closing this stream does not send anything. The reply is complete when
  /// the plug-in returns normally, but not if an exception leaves a try block that closes the
  /// stream.
  private static final class Body extends OutputStream {
    private final OutputStream to;
    private volatile boolean isClosed;

    Body(OutputStream to) {
      this.to = to;
    }

    @Override
    public void write(int b) throws IOException {
      requireOpen();
      to.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      requireOpen();
      to.write(bytes, from, count);
    }

    private void requireOpen() throws IOException {
      if (isClosed) {
        throw new IOException("the body was closed");
      }
    }

    @Override
    public void flush() throws IOException {
      to.flush();
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  PluginStream(HttpResponder responder) {
    this.responder = responder;
  }

  @Override
  public OutputStream begin(int status, Map<String, List<String>> headers) throws IOException {
    return begun(status, headers, -1);
  }

  @Override
  public OutputStream begin(int status, Map<String, List<String>> headers, long length)
      throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException("the length of a body is not negative: " + length);
    }
    return begun(status, headers, length);
  }

  private OutputStream begun(int status, Map<String, List<String>> headers, long length)
      throws IOException {
    if (length != 0 && (status == 204 || status == 304)) {
      throw new IllegalArgumentException("a reply with status " + status + " has no body");
    }
    Map<String, List<String>> copy = new LinkedHashMap<>();
    headers.forEach((name, values) -> copy.put(name, List.of(values.toArray(new String[0]))));
    if (!isTaken.compareAndSet(false, true)) {
      if (stream != null) {
        throw new IllegalStateException("the reply was begun before");
      }
      throw new IOException("the server has answered the request: the call took too long");
    }
    return open(status, copy, length);
  }

  private OutputStream open(int status, Map<String, List<String>> headers, long length) {
    boolean isOpen = false;
    try {
      responder.status(status);
      headers.forEach((name, values) -> values.forEach(value -> responder.field(name, value)));
      OutputStream opened = length < 0 ? responder.stream() : responder.stream(length);
      stream = opened;
      isOpen = true;
      return new Body(opened);
    } finally {
      if (!isOpen) {
        responder.reset();
        isTaken.set(false);
      }
    }
  }

  /// Completes the reply. This method is called by the thread of the call after the plug-in has
  /// returned.
  ///
  /// @return false if no reply was started
  boolean complete() throws IOException {
    OutputStream opened = stream;
    if (opened == null) {
      return false;
    }
    opened.close();
    return true;
  }

  /// Acquires the reply for the host, or aborts the reply of the plug-in if it has already been
  /// started. This method may be called only once, by any thread.
  ///
  /// @return true if the host must answer the request
  boolean take() {
    boolean isFirst = isTaken.compareAndSet(false, true);
    if (!isFirst) {
      responder.cutOff();
    }
    return isFirst;
  }
}
