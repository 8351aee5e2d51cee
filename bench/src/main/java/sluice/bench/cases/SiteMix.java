package sluice.bench.cases;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/// The traffic of a documentation site: files by Zipf's law (the k-th most popular is requested 1/k
/// as often as the first), mostly by browsers that accept gzip, some of which have a copy that is
/// still valid. Each server is first asked once for each file: its validators go into the
/// conditional requests, and every body is compared with the file.
final class SiteMix {
  private static final double PLAIN = 0.25;
  private static final double COMPRESSED = 0.50;
  private static final double REVALIDATED = 0.25;

  private SiteMix() {}

  /// Writes the mix for one server.
  ///
  /// @param port the port it listens on
  /// @param root the folder it serves
  /// @param paths URL paths, most popular first
  /// @throws IOException if the server's answer is wrong
  static Path build(int port, Path root, List<String> paths, Path file) throws IOException {
    RequestMix mix = new RequestMix();
    try (HttpProbe probe = new HttpProbe(port)) {
      for (int i = 0; i < paths.size(); i++) {
        add(mix, probe, root, paths.get(i), 1.0 / (i + 1));
      }
    }
    return mix.write(file);
  }

  private static void add(RequestMix mix, HttpProbe probe, Path root, String path, double weight)
      throws IOException {
    byte[] expected = Files.readAllBytes(root.resolve(path.substring(1)));
    HttpProbe.Reply plain = probe.get(path);
    check(plain, expected, path);
    mix.add(weight * PLAIN, HttpProbe.request(path), 200, plain.body());

    String gzip = "Accept-Encoding: gzip, deflate";
    HttpProbe.Reply compressed = probe.get(path, gzip);
    check(compressed, expected, path);
    mix.add(weight * COMPRESSED, HttpProbe.request(path, gzip), 200, compressed.body());

    String etag = compressed.headers().get("etag");
    String modified = compressed.headers().get("last-modified");
    String[] headers =
        etag == null
            ? new String[] {gzip, "If-Modified-Since: " + modified}
            : new String[] {gzip, "If-None-Match: " + etag, "If-Modified-Since: " + modified};
    HttpProbe.Reply revalidated = probe.get(path, headers);
    if (revalidated.status() != 304) {
      throw new IOException(
          path + ": status " + revalidated.status() + " instead of 304 for " + etag);
    }
    mix.add(weight * REVALIDATED, HttpProbe.request(path, headers), 304);
  }

  private static void check(HttpProbe.Reply reply, byte[] expected, String path)
      throws IOException {
    byte[] body = reply.body();
    if ("gzip".equals(reply.headers().get("content-encoding"))) {
      body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
    }
    if (reply.status() != 200 || !Arrays.equals(body, expected)) {
      throw new IOException(
          path
              + ": status "
              + reply.status()
              + ", "
              + body.length
              + " bytes instead of "
              + expected.length
              + ", or other bytes");
    }
  }
}
