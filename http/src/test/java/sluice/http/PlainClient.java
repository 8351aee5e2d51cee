package sluice.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// An HTTP/1.1 client that sends what it is told and takes replies apart. One thread uses it.
final class PlainClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  /// A reply; names of fields are in lower case, a character of `content` is a byte.
  record Reply(int status, Map<String, String> fields, String content, String raw) {
    byte[] body() {
      return content.getBytes(StandardCharsets.ISO_8859_1);
    }

    String text() {
      return new String(body(), StandardCharsets.UTF_8);
    }

    String field(String name) {
      return fields.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  PlainClient(int port) throws IOException {
    socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    in = socket.getInputStream();
  }

  Socket socket() {
    return socket;
  }

  PlainClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  PlainClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /// Sends a request without fields but Host and reads its reply.
  Reply request(String method, String target) throws IOException {
    send(method + " " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
    return reply(method.equals("HEAD"));
  }

  Reply get(String target) throws IOException {
    return request("GET", target);
  }

  Reply reply() throws IOException {
    return reply(false);
  }

  /// Reads a reply; an EOFException says that the connection ended in it.
  Reply reply(boolean headOnly) throws IOException {
    StringBuilder raw = new StringBuilder();
    String status = line(raw);
    Map<String, String> fields = new TreeMap<>();
    for (String line = line(raw); !line.isEmpty(); line = line(raw)) {
      int colon = line.indexOf(':');
      fields.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    int code = Integer.parseInt(status.substring(9, 12));
    byte[] body = headOnly || code < 200 || code == 204 || code == 304 ? new byte[0] : body(fields);
    String content = new String(body, StandardCharsets.ISO_8859_1);
    return new Reply(code, fields, content, raw.toString());
  }

  private byte[] body(Map<String, String> fields) throws IOException {
    if ("chunked".equals(fields.get("transfer-encoding"))) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      StringBuilder unused = new StringBuilder();
      for (int n = size(unused); n > 0; n = size(unused)) {
        body.write(exactly(n));
        line(unused);
      }
      line(unused);
      return body.toByteArray();
    }
    String length = fields.get("content-length");
    return length == null ? in.readAllBytes() : exactly(Integer.parseInt(length));
  }

  private int size(StringBuilder raw) throws IOException {
    return Integer.parseInt(line(raw), 16);
  }

  private byte[] exactly(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("the connection ended " + (count - bytes.length) + " bytes too early");
    }
    return bytes;
  }

  private String line(StringBuilder raw) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection ended in a head: " + raw + line);
      }
      line.append((char) b);
    }
    raw.append(line).append('\n');
    return line.substring(0, Math.max(0, line.length() - 1));
  }

  /// Whether the server has closed the connection, after at most ten seconds.
  boolean ended() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
