package sluice.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client that writes bytes as they are and reads replies strictly. One thread uses it.
final class HttpPeer implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] buffer = new byte[64 << 10];
  private int from;
  private int to;

  HttpPeer(int port) throws IOException {
    this(port, 0);
  }

  /// @param receiveBytes size of the socket's receive buffer, 0 for what the system chooses
  HttpPeer(int port, int receiveBytes) throws IOException {
    this(connected(port, receiveBytes));
  }

  /// @param connected becomes the peer's
  HttpPeer(Socket connected) throws IOException {
    socket = connected;
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  private static Socket connected(int port, int receiveBytes) throws IOException {
    Socket socket = new Socket();
    if (receiveBytes > 0) {
      socket.setReceiveBufferSize(receiveBytes);
    }
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    return socket;
  }

  HttpPeer send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  HttpPeer send(byte[] bytes) throws IOException {
    out.write(bytes);
    return this;
  }

  /// Sends what the server may no longer want to hear: a reset is no failure.
  void trySend(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      // the reply tells
    }
  }

  HttpPeer finish() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /// Ends the connection by a reset.
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /// Sends a request without a body and reads its reply.
  HttpAnswer get(String target, String... fields) throws IOException {
    return request("GET", target, fields);
  }

  HttpAnswer request(String method, String target, String... fields) throws IOException {
    send(text(method, target, fields));
    return read(method);
  }

  static String text(String method, String target, String... fields) {
    StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: test\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  /// Reads the reply to a GET.
  HttpAnswer read() throws IOException {
    return read("GET");
  }

  /// Reads one reply, skipping interim ones.
  ///
  /// @throws IOException when the stream ends or breaks before the reply is complete
  HttpAnswer read(String method) throws IOException {
    HttpAnswer head = readHead();
    while (head.status() < 200) {
      head = readHead();
    }
    boolean empty = method.equals("HEAD") || head.status() == 204 || head.status() == 304;
    return empty ? head : head.withBody(readBytes(head.contentLength()));
  }

  HttpAnswer readHead() throws IOException {
    String line = line();
    if (!line.matches("HTTP/1\\.1 [1-5][0-9][0-9] [ -~]*")) {
      throw new IOException("no status line: '" + line + "'");
    }
    List<String> fields = new ArrayList<>();
    for (String next = line(); !next.isEmpty(); next = line()) {
      // that of an interruptlet has room for more digits
      String field = next.replaceFirst("^(Content-Length:) +", "$1 ");
      if (!field.matches("[!#-'*+\\-.0-9A-Z^-z|~]+: [!-~\\x80-\\xff]([ -~\\x80-\\xff]*)")) {
        throw new IOException("no header line: '" + field + "'");
      }
      fields.add(field);
    }
    return new HttpAnswer(Integer.parseInt(line.substring(9, 12)), fields, new byte[0]);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = next(); b != '\r'; b = next()) {
      if (b == '\n' || line.size() > 16_384) {
        throw new IOException("a line that does not end with CRLF: " + line);
      }
      line.write(b);
    }
    if (next() != '\n') {
      throw new IOException("CR without LF after: " + line);
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  byte[] readBytes(long count) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(count)];
    for (int i = 0; i < bytes.length; ) {
      if (from == to && !fill()) {
        throw new IOException("the stream ended after %d of %d bytes".formatted(i, count));
      }
      int n = Math.min(bytes.length - i, to - from);
      System.arraycopy(buffer, from, bytes, i, n);
      from += n;
      i += n;
    }
    return bytes;
  }

  private int next() throws IOException {
    if (from == to && !fill()) {
      throw new IOException("the stream ended in a head");
    }
    return buffer[from++] & 0xff;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }

  /// Whether the server has ended the connection without another byte.
  boolean ended() throws IOException {
    return from == to && !fill();
  }

  /// Whether no further byte comes, by a FIN or a reset.
  boolean gone() throws IOException {
    try {
      return ended();
    } catch (SocketException e) {
      return true;
    }
  }

  /// Everything until the stream ends.
  byte[] readAll() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (from < to || fill()) {
      all.write(buffer, from, to - from);
      from = to;
    }
    return all.toByteArray();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
