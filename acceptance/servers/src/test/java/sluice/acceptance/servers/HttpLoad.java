package sluice.acceptance.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// Requests to one of the HTTP servers over keep-alive connections, every answer compared byte by
/// byte. Each connection is a blocking socket of a virtual thread, so no selector is on this side.
///
/// @param tls null for plain text
/// @param files whether those of [#writeFiles] are in front of the server, which has none: every
///   other GET asks for one
record HttpLoad(int port, @Nullable SSLContext tls, boolean files) {
  static final int CONNECTIONS = 64;
  static final int REQUESTS = 40;
  private static final String FILES = "files";
  private static final int TIMEOUT_MILLIS = 120_000;
  private static final int[] LENGTHS = {0, 1, 100, 1_000, 1_000, 4_096, 16_385, 65_536};
  private static final int LARGE_BYTES = 3_000_000;

  /// Writes what is answered in front of a server.
  static void writeFiles(Path site) throws IOException {
    Path directory = Files.createDirectories(site.resolve(FILES));
    for (int length : LENGTHS) {
      Files.write(directory.resolve("" + length), Payload.pattern(length, 0));
    }
    Files.write(directory.resolve("" + LARGE_BYTES), Payload.pattern(LARGE_BYTES, 0));
  }

  /// @return how many requests were answered as they should be, which is all
  int run() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> connections = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        int seed = i;
        connections.add(threads.submit(() -> connection(seed)));
      }
      int answered = 0;
      for (Future<Integer> connection : connections) {
        answered += connection.get();
      }
      return answered;
    }
  }

  private int connection(int seed) throws IOException {
    Random random = new Random(seed);
    try (Socket socket = connect()) {
      InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i < REQUESTS; i++) {
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        if (seed < 6 && i % 20 == 10) {
          length = LARGE_BYTES;
        }
        boolean post = random.nextBoolean();
        byte[] expected = Payload.pattern(length, post ? i : 0);
        String what = "connection " + seed + " request " + i + (post ? " POST " : " GET ") + length;
        try {
          if (post) {
            write(out, "POST /echo", expected, random);
          } else {
            boolean file = files && random.nextBoolean();
            String path = file ? "/" + FILES + "/" + length : Payload.pathOf(length);
            write(out, "GET " + path, new byte[0], random);
          }
          byte[] answer = read(in);
          if (!Arrays.equals(answer, expected)) {
            int at = Arrays.mismatch(answer, expected);
            throw new IOException(LoadLaunch.WRONG + at + ", length " + answer.length);
          }
        } catch (IOException e) {
          throw new IOException(what + ": " + e, e);
        }
      }
    }
    return REQUESTS;
  }

  private Socket connect() throws IOException {
    Socket socket = tls == null ? new Socket() : tls.getSocketFactory().createSocket();
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    if (socket instanceof SSLSocket secure) {
      secure.startHandshake();
    }
    return socket;
  }

  /// Large bodies and some small ones leave in pieces.
  private static void write(OutputStream out, String request, byte[] body, Random random)
      throws IOException {
    String length = request.startsWith("POST") ? "Content-Length: " + body.length + "\r\n" : "";
    byte[] head =
        (request + " HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    if (body.length < 10_000 && random.nextInt(4) > 0) {
      byte[] all = Arrays.copyOf(head, head.length + body.length);
      System.arraycopy(body, 0, all, head.length, body.length);
      out.write(all);
      return;
    }
    int half = random.nextInt(head.length);
    out.write(head, 0, half);
    out.flush();
    out.write(head, half, head.length - half);
    for (int at = 0; at < body.length; ) {
      int piece = Math.min(1 + random.nextInt(200_000), body.length - at);
      out.write(body, at, piece);
      at += piece;
    }
    out.flush();
  }

  private static byte[] read(InputStream in) throws IOException {
    String status = line(in);
    if (!status.startsWith("HTTP/1.1 200")) {
      throw new IOException("answer: " + status);
    }
    int length = 0;
    boolean chunked = false;
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      String lower = field.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring("content-length:".length()).strip());
      }
      chunked |= lower.startsWith("transfer-encoding:") && lower.contains("chunked");
    }
    if (!chunked) {
      return exactly(in, length);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int chunk = Integer.parseInt(line(in).strip(), 16);
      body.write(exactly(in, chunk));
      line(in);
      if (chunk == 0) {
        return body.toByteArray();
      }
    }
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("ended after " + bytes.length + " of " + length + " bytes");
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("ended in the head");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }
}
