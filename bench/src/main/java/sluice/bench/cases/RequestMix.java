package sluice.bench.cases;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;

/// Requests for the load generator with their weights and what the replies must be. Confined to one
/// thread while it is built.
public final class RequestMix {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /// Adds a request whose reply has no body (304).
  void add(double weight, byte[] request, int status) {
    add(weight, request, status, 0, -1);
  }

  /// Adds a request whose reply has exactly this body.
  public void add(double weight, byte[] request, int status, byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    add(weight, request, status, body.length, crc.getValue());
  }

  /// @param bodyBytes length of the reply's body, -1 for any
  /// @param crc CRC-32 of the body, -1 for any
  void add(double weight, byte[] request, int status, long bodyBytes, long crc) {
    String head =
        String.format(
            Locale.ROOT, "%.9g %d %d %d %d 0\n", weight, request.length, status, bodyBytes, crc);
    out.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(request);
    out.write('\n');
  }

  public Path write(Path file) throws IOException {
    return Files.write(file, out.toByteArray());
  }
}
