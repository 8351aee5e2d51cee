package sluice.bench.cases;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// A minimal HTTP/1.1 client on one connection, which reads a server's replies for its files. Used
/// by one thread.
public final class HttpProbe implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final Socket socket;
  private final InputStream in;

  /// A server's reply. Immutable once made.
  public static final class Reply {
    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;

    private Reply(int status, Map<String, String> headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
    }

    public int status() {
      return status;
    }

    /// Returns the headers by lower-case name.
    Map<String, String> headers() {
      return headers;
    }

    /// Returns the body. Not a copy.
    byte[] body() {
      return body;
    }
  }

  public HttpProbe(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
  }

  /// Returns a GET request as it is sent.
  ///
  /// @param headers complete lines without their ends
  public static byte[] request(String path, String... headers) {
    StringBuilder text = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  public Reply get(String path, String... headers) throws IOException {
    socket.getOutputStream().write(request(path, headers));
    String status = line();
    if (!status.matches("HTTP/1\\.1 \\d{3}.*")) {
      throw new IOException("not a status line: " + status);
    }
    int code = Integer.parseInt(status.substring(9, 12));
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw new IOException("not a header: " + line);
      }
      fields.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return new Reply(code, fields, body(code, fields));
  }

  private byte[] body(int status, Map<String, String> headers) throws IOException {
    if (status == 304 || status == 204) {
      return new byte[0];
    }
    String length = headers.get("content-length");
    if (length != null) {
      return exactly(Integer.parseInt(length));
    }
    if (!"chunked".equals(headers.get("transfer-encoding"))) {
      throw new IOException("neither Content-Length nor chunked");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = chunkSize(); size > 0; size = chunkSize()) {
      body.writeBytes(exactly(size));
      line();
    }
    while (!line().isEmpty()) {
      // trailers are ignored
    }
    return body.toByteArray();
  }

  private int chunkSize() throws IOException {
    return Integer.parseInt(line().split(";", 2)[0].strip(), 16);
  }

  private byte[] exactly(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("reply ended after " + bytes.length + " of " + count + " bytes");
    }
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("connection closed within a reply head");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
