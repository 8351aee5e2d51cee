package sluice.cli.compare;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The answers to the URLs of a load, which are used to compare two servers. They are written by
/// the threads of the load and read by the main thread.
final class ResponseLog {
  /// The answer that represents a page which varies and can therefore not be compared.
  static final String VARYING = "varying";

  /// The answer to a request.
  ///
  /// @param sum the CRC-32 of the body
  record Answer(int status, long bytes, long sum) {
    private static final Answer OTHER = new Answer(-1, 0, 0);

    @Override
    public String toString() {
      return equals(OTHER) ? VARYING : "%d with %d bytes, CRC %08x".formatted(status, bytes, sum);
    }
  }

  private final List<URI> urls;
  private final AtomicReferenceArray<Answer> first;

  ResponseLog(List<URI> urls) {
    this.urls = urls;
    this.first = new AtomicReferenceArray<>(urls.size());
  }

  /// Records an answer.
  ///
  /// @param url the index of the URL in the list of URLs
  void note(int url, Answer answer) {
    Answer before = first.get(url);
    if (before == null) {
      before = first.compareAndExchange(url, null, answer);
    }
    if (before != null && !before.equals(answer)) {
      first.set(url, Answer.OTHER);
    }
  }

  /// Returns the combination of two answers for the same URL.
  static String both(String one, String other) {
    return one.equals(other) ? one : VARYING;
  }

  /// Returns the answers, keyed by URL, in the order of the list. URLs without an answer are not
  /// included.
  Map<String, String> byUrl() {
    Map<String, String> answers = new LinkedHashMap<>();
    for (int i = 0; i < urls.size(); i++) {
      Answer answer = first.get(i);
      if (answer != null) {
        answers.merge(urls.get(i).toString(), answer.toString(), ResponseLog::both);
      }
    }
    return answers;
  }
}
