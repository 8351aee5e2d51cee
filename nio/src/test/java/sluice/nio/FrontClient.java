package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import sluice.testbase.Await;

/// A client that reads replies one by one. The test's thread uses it.
final class FrontClient implements AutoCloseable {
  static final String END = "\r\nHost: x\r\n\r\n";

  /// The fields of the last reply, each line in lower case.
  String fields = "";

  final Socket socket;
  final InputStream in;

  FrontClient(int port) throws IOException {
    this(port, null);
  }

  /// @param local where the client is; null for any address
  FrontClient(int port, @Nullable InetAddress local) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port, local, 0);
    socket.setSoTimeout((int) Duration.ofSeconds(Await.SECONDS).toMillis());
    in = socket.getInputStream();
  }

  FrontClient send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  FrontClient get(String path) throws IOException {
    return send("GET " + path + " HTTP/1.1" + END);
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    int b = in.read();
    while (b >= 0 && b != '\n') {
      text.append((char) b);
      b = in.read();
    }
    if (b < 0) {
      throw new IOException("the connection has ended after '" + text + "'");
    }
    return text.toString().stripTrailing();
  }

  /// Status and body of the next reply.
  String reply() throws IOException {
    return reply(true);
  }

  /// @param hasBody false for a reply to HEAD, and a 304
  String reply(boolean hasBody) throws IOException {
    String status = line().substring("HTTP/1.1 ".length()).substring(0, 3);
    int length = 0;
    boolean chunked = false;
    StringBuilder lines = new StringBuilder();
    for (String field = line(); !field.isEmpty(); field = line()) {
      String lower = field.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length: ")) {
        length = Integer.parseInt(lower.substring("content-length: ".length()));
      }
      chunked |= lower.equals("transfer-encoding: chunked");
      lines.append(lower).append('\n');
    }
    fields = lines.toString();
    if (!hasBody) {
      return status;
    }
    if (!chunked) {
      return status + " " + body(length);
    }
    StringBuilder body = new StringBuilder();
    for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
      body.append(body(size));
      assertThat(line()).isEmpty();
    }
    assertThat(line()).isEmpty();
    return status + " " + body;
  }

  private String body(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    assertThat(bytes).hasSize(length);
    return length < 1000 ? new String(bytes, StandardCharsets.ISO_8859_1) : length + " bytes";
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
