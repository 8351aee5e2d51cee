package sluice.bench.cases;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;

/// The requests for the load generator, with their weights and the expected replies. Confined to
/// one thread while it is built.
public final class RequestMix {
  /// The kind of requests that are not distinguished.
  private static final String ANY = "any";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /// Adds a request whose reply has no body (304).
  void add(double weight, byte[] request, int status) {
    add(weight, request, status, 0, -1);
  }

  /// Adds a request of a kind. If a mix has several kinds, the latencies of each are metrics of
  /// their own, `KIND_p50_us` and `KIND_p99_us`.
  ///
  /// @param kind at most 15 lower-case letters
  public void add(double weight, byte[] request, int status, byte[] body, String kind) {
    if (!kind.matches("[a-z]{1,15}")) {
      throw new IllegalArgumentException("kind must be 1 to 15 small letters: " + kind);
    }
    add(new Line(weight, status, body.length, crc(body), kind), request);
  }

  /// Adds a request whose reply has exactly this body.
  public void add(double weight, byte[] request, int status, byte[] body) {
    add(weight, request, status, body.length, crc(body));
  }

  private static long crc(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    return crc.getValue();
  }

  /// Adds a request with the length and checksum of its reply.
  ///
  /// @param bodyBytes length of the reply's body, -1 for any
  /// @param crc CRC-32 of the body, -1 for any
  void add(double weight, byte[] request, int status, long bodyBytes, long crc) {
    add(new Line(weight, status, bodyBytes, crc, ANY), request);
  }

  /// The line that precedes a request.
  private record Line(double weight, int status, long bodyBytes, long crc, String kind) {}

  private void add(Line line, byte[] request) {
    String head =
        String.format(
            Locale.ROOT,
            "%.9g %d %d %d %d 0 %s\n",
            line.weight,
            request.length,
            line.status,
            line.bodyBytes,
            line.crc,
            line.kind);
    out.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(request);
    out.write('\n');
  }

  public Path write(Path file) throws IOException {
    return Files.write(file, out.toByteArray());
  }
}
