package sluice.http.parse;

import java.util.ArrayList;
import java.util.List;
import sluice.memory.View;

/// Parses test input, with rubbish before it in the view, and keeps the result. One thread.
final class Parsed {
  static final HttpParser PARSER = new HttpParser(HttpLimits.DEFAULT);
  private static final int SKIP = 5;

  final HttpRequest request;
  final int result;

  private Parsed(HttpRequest request, int result) {
    this.request = request;
    this.result = result;
  }

  static Parsed of(String head) {
    return of(Bytes.latin1(head));
  }

  static Parsed of(byte[] bytes) {
    return of(bytes, new HttpRequest(HttpLimits.DEFAULT));
  }

  /// @param request may have been used for another head before
  static Parsed of(byte[] bytes, HttpRequest request) {
    View view = Bytes.at(bytes, SKIP, bytes.length);
    return new Parsed(request, PARSER.parse(view, SKIP, view.length(), request));
  }

  /// A request with these header lines, and a Host line before them.
  static Parsed ofLines(String... lines) {
    return of("GET / HTTP/1.1\r\nHost: a\r\n" + Bytes.head(lines));
  }

  /// Feeds pieces that end at each of `cuts` and then everything.
  static Parsed pieces(byte[] bytes, int... cuts) {
    HttpRequest request = new HttpRequest(HttpLimits.DEFAULT);
    int scanned = 0;
    for (int cut : cuts) {
      View view = Bytes.at(bytes, SKIP, cut);
      int result = PARSER.parse(view, SKIP, view.length(), scanned, request);
      if (result != 0) {
        return new Parsed(request, result);
      }
      scanned = cut;
    }
    View view = Bytes.at(bytes, SKIP, bytes.length);
    return new Parsed(request, PARSER.parse(view, SKIP, view.length(), scanned, request));
  }

  String text(int from, int to) {
    return request.view().latin1(from, to);
  }

  String target() {
    return text(request.targetFrom(), request.targetTo());
  }

  String path() {
    return text(request.pathFrom(), request.pathTo());
  }

  String query() {
    return text(request.queryFrom(), request.queryTo());
  }

  String host() {
    return text(request.hostFrom(), request.hostTo());
  }

  String method() {
    return text(request.methodFrom(), request.methodTo());
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < request.lineCount(); i++) {
      lines.add(
          text(request.nameFrom(i), request.nameTo(i))
              + "="
              + text(request.valueFrom(i), request.valueTo(i)));
    }
    return lines;
  }

  /// Everything that was found, for comparing.
  String summary() {
    if (result <= 0) {
      return "result " + result;
    }
    return String.join(
        "|",
        "head " + result,
        method(),
        request.method().name(),
        request.targetForm().name(),
        target(),
        path(),
        query(),
        host(),
        "1." + request.minorVersion(),
        request.bodyKind().name(),
        Long.toString(request.contentLength()),
        request.keepAlive() ? "keep" : "close",
        request.expectsContinue() ? "expects" : "",
        request.hasUnknownExpectation() ? "unknown expectation" : "",
        lines().toString());
  }
}
