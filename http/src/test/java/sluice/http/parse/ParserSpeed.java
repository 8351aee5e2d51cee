package sluice.http.parse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// A warm loop over one head: nanoseconds per parse. One thread. Not a test; run it by hand.
final class ParserSpeed {
  static final String SMALL =
      Bytes.head(
          "GET /index.html HTTP/1.1",
          "Host: localhost:8080",
          "User-Agent: wrk/4.2.0",
          "Accept: */*",
          "X-Id: 123456");
  static final String BROWSER =
      Bytes.head(
          "GET /docs/manual/index.html?lang=en HTTP/1.1",
          "Host: www.example.org",
          "Connection: keep-alive",
          "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/139.0.0.0 Safari/537.36",
          "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
          "Sec-Fetch-Mode: navigate",
          "Referer: https://www.example.org/docs/",
          "Accept-Encoding: gzip, deflate, br, zstd",
          "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
          "If-None-Match: \"5f3a-17b2c\"",
          "Cookie: session=4f1c9a0b7d2e");

  private static final int ROUNDS = 40;

  private ParserSpeed() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] args) {
    HttpParser parser = new HttpParser(HttpLimits.DEFAULT);
    HttpRequest request = new HttpRequest(HttpLimits.DEFAULT);
    for (String head : new String[] {SMALL, BROWSER}) {
      double best = Double.MAX_VALUE;
      double sum = 0;
      for (int round = 0; round < ROUNDS; round++) {
        double nanos = measure(parser, head, request, 200_000);
        best = Math.min(best, nanos);
        sum += round < ROUNDS / 2 ? 0 : nanos;
      }
      System.out.printf(
          "%d bytes: best %.1f ns, mean of the warm half %.1f ns%n",
          head.length(), best, 2 * sum / ROUNDS);
    }
  }

  private static double measure(HttpParser parser, String head, HttpRequest request, int count) {
    byte[] bytes = Bytes.latin1(head);
    MemorySegment segment = Arena.global().allocate(16L * 1024);
    int copies = 16;
    for (int i = 0; i < copies; i++) {
      MemorySegment.copy(
          bytes, 0, segment, ValueLayout.JAVA_BYTE, (long) i * bytes.length, bytes.length);
    }
    View view = new ViewBinder(Thread.currentThread()).bind(segment, 0, copies * bytes.length);
    long sum = 0;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      int from = (i & (copies - 1)) * bytes.length;
      sum += parser.parse(view, from, copies * bytes.length, request);
    }
    long elapsed = System.nanoTime() - start;
    if (sum != (long) count * bytes.length) {
      throw new AssertionError("parsed " + sum + " bytes");
    }
    return (double) elapsed / count;
  }
}
