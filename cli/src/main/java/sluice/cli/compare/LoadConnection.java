package sluice.cli.compare;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32;

/// A persistent connection that sends HTTP/1.1 requests and reads the complete responses. Instances
/// are confined to one thread of the load.
final class LoadConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private final byte[] part = new byte[8 * 1024];
  private final CRC32 sum = new CRC32();
  private long bytes;
  private boolean reusable = true;

  LoadConnection(URI origin) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(new InetSocketAddress(origin.getHost(), port(origin)), TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
  }

  static int port(URI url) {
    return url.getPort() < 0 ? 80 : url.getPort();
  }

  /// Returns the encoded request for a URL.
  static byte[] request(URI url) {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    String host = url.getRawAuthority();
    String text = "GET " + path + query + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Sends a request and reads the complete response.
  ResponseLog.Answer ask(byte[] request) throws IOException {
    socket.getOutputStream().write(request);
    String[] status = line().split(" ", 3);
    reusable = !status[0].equals("HTTP/1.0"); // a Connection field may change that
    bytes = 0;
    sum.reset();
    long length = -1;
    boolean chunked = false;
    for (String field = line(); !field.isEmpty(); field = line()) {
      String lower = field.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Long.parseLong(lower.substring(15).strip());
      } else if (lower.startsWith("transfer-encoding:")) {
        chunked = lower.contains("chunked");
      } else if (lower.startsWith("connection:")) {
        reusable = !lower.contains("close");
      }
    }
    int code = Integer.parseInt(status[1]);
    if (code == 204 || code == 304) {
      length = 0;
    }
    if (chunked && length != 0) {
      readChunks();
    } else if (length >= 0) {
      read(length);
    } else {
      reusable = false;
      readToTheEnd();
    }
    return new ResponseLog.Answer(code, bytes, sum.getValue());
  }

  private void read(long length) throws IOException {
    for (long left = length; left > 0; ) {
      int n = readPart(Math.min(left, part.length));
      if (n < 0) {
        throw closed();
      }
      left -= n;
    }
  }

  private void readToTheEnd() throws IOException {
    while (readPart(part.length) >= 0) {}
  }

  private int readPart(long most) throws IOException {
    int n = in.read(part, 0, (int) most);
    if (n > 0) {
      sum.update(part, 0, n);
      bytes += n;
    }
    return n;
  }

  private void readChunks() throws IOException {
    while (true) {
      long size = Long.parseLong(line().split(";", 2)[0].strip(), 16);
      if (size == 0) {
        while (!line().isEmpty()) {} // trailers
        return;
      }
      read(size);
      in.skipNBytes(2);
    }
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c; (c = in.read()) != '\n'; ) {
      if (c < 0) {
        throw closed();
      }
      text.append((char) c);
    }
    return text.toString().strip();
  }

  private static IOException closed() {
    return new IOException("the server closed the connection within an answer");
  }

  /// Returns true if another request may be sent on this connection.
  boolean isReusable() {
    return reusable;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
