package sluice.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// A file as a complete HTTP reply with the headers a static server sends. For the peers that parse
/// only the end of a request; immutable except for the date.
public final class CannedReply {
  /// IMF-fixdate, RFC 9110 section 5.6.7: always 29 characters.
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  private final byte[] body;
  private final String lastModified;
  private final String etag;

  private CannedReply(byte[] body, Instant modified) {
    this.body = body;
    this.lastModified = date(modified);
    this.etag =
        "\""
            + Long.toHexString(modified.getEpochSecond())
            + "-"
            + Integer.toHexString(body.length)
            + "\"";
  }

  public static CannedReply of(Path file) throws IOException {
    return new CannedReply(Files.readAllBytes(file), Files.getLastModifiedTime(file).toInstant());
  }

  static String date(Instant instant) {
    return DATE.format(ZonedDateTime.ofInstant(instant, ZoneOffset.UTC));
  }

  byte[] body() {
    return body.clone();
  }

  String lastModified() {
    return lastModified;
  }

  String etag() {
    return etag;
  }

  /// Returns head and body as they are sent at this moment.
  public byte[] bytes(Instant now) {
    String head =
        "HTTP/1.1 200 OK\r\nServer: java\r\nDate: "
            + date(now)
            + "\r\nContent-Type: text/plain\r\nContent-Length: "
            + body.length
            + "\r\nLast-Modified: "
            + lastModified
            + "\r\nETag: "
            + etag
            + "\r\n\r\n";
    byte[] bytes = new byte[head.length() + body.length];
    System.arraycopy(head.getBytes(US_ASCII), 0, bytes, 0, head.length());
    System.arraycopy(body, 0, bytes, head.length(), body.length);
    return bytes;
  }
}
