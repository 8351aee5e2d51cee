package sluice.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import sluice.http.files.FreshFile;

/// A client that asks for [FreshFile]s in every way there is, pipelined, and checks each reply.
/// Used by one thread.
final class FreshReader {
  private record Asked(FreshFile file, String method, long floor, @Nullable String tag) {}

  private final int port;
  private final List<FreshFile> files;
  private final Random random;
  private final AtomicLong left;

  /// The entity tag of each file that was given last.
  private final Map<String, String> known = new HashMap<>();

  /// Requests that were answered, or cut off by a change in place.
  long made;

  int aborted;
  int unavailable;
  int unchanged;
  int partial;

  /// @param left requests that all readers together still have to make
  FreshReader(int port, List<FreshFile> files, Random random, AtomicLong left) {
    this.port = port;
    this.files = files;
    this.random = random;
    this.left = left;
  }

  void run() throws IOException {
    while (left.get() > 0) {
      try (HttpPeer peer = new HttpPeer(port)) {
        for (int i = random.nextInt(100); i >= 0 && left.get() > 0; i--) {
          if (!batch(peer)) {
            break;
          }
        }
      }
    }
  }

  /// One to sixteen requests at once.
  ///
  /// @return false when the connection was aborted, as it must be when a file changes in place
  ///   while it is sent
  private boolean batch(HttpPeer peer) throws IOException {
    List<Asked> asked = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int count = random.nextInt(4) == 0 ? 1 + random.nextInt(16) : 1;
    boolean inPlace = false;
    for (int i = 0; i < count; i++) {
      FreshFile file = files.get((int) (files.size() * random.nextDouble() * random.nextDouble()));
      inPlace |= file.inPlace();
      asked.add(ask(file, text));
    }
    left.addAndGet(-count);
    peer.send(text.toString());
    for (Asked each : asked) {
      HttpAnswer answer;
      try {
        answer = peer.read(each.method);
      } catch (IOException e) {
        if (!inPlace) {
          throw e;
        }
        aborted++;
        made += asked.size() - asked.indexOf(each);
        return false;
      }
      check(each, answer);
      made++;
    }
    return true;
  }

  private Asked ask(FreshFile file, StringBuilder text) {
    String method = random.nextInt(8) == 0 ? "HEAD" : "GET";
    List<String> fields = new ArrayList<>();
    String before = null;
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        before = known.get(file.name);
        if (before != null) {
          fields.add("If-None-Match: " + before);
        }
      }
      case 2 -> {
        int from = random.nextInt(20) * FreshFile.BLOCK;
        fields.add("Range: bytes=%d-%d".formatted(from, from + 16 * FreshFile.BLOCK - 1));
      }
      case 3 -> fields.add("Accept-Encoding: gzip");
      default -> {}
    }
    long floor = file.floor();
    text.append(HttpPeer.text(method, "/" + file.name, fields.toArray(new String[0])));
    return new Asked(file, method, floor, before);
  }

  private void check(Asked asked, HttpAnswer answer) throws IOException {
    FreshFile file = asked.file;
    switch (answer.status()) {
      case 200 -> {
        if (asked.method.equals("GET")) {
          boolean packed = "gzip".equals(answer.field("Content-Encoding"));
          byte[] body = packed ? unpack(answer.body()) : answer.body();
          file.check(answer.the("ETag"), body, asked.floor);
          known.put(file.name, answer.the("ETag"));
        }
      }
      case 206 -> {
        partial++;
        String[] range = answer.the("Content-Range").split("[ /-]", -1);
        long start = Long.parseLong(range[1]);
        long length = Long.parseLong(range[3]);
        file.checkPart(answer.the("ETag"), answer.body(), start, length, asked.floor);
      }
      case 304 -> {
        unchanged++;
        String before = asked.tag;
        if (before == null || !before.equals(answer.the("ETag"))) {
          throw new AssertionError("304 for a tag nobody asked about: " + answer.fields());
        }
        file.checkStill(before, asked.floor);
      }
      case 404 -> file.checkAbsent(asked.floor);
      case 416 -> {}
      case 503 -> unavailable++;
      default -> throw new AssertionError(file.name + ": " + answer);
    }
  }

  private static byte[] unpack(byte[] packed) throws IOException {
    return new GZIPInputStream(new ByteArrayInputStream(packed)).readAllBytes();
  }
}
