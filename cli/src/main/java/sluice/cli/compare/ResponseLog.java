package sluice.cli.compare;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// What each URL of a load was answered with, so that two servers can be compared. The threads of
/// the load note, the main thread reads.
final class ResponseLog {
  /// Of a page that is not the same each time: nothing can be said of it.
  static final String VARYING = "varying";

  /// @param sum CRC-32 of the body
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

  /// @param url its place in the list
  void note(int url, Answer answer) {
    Answer before = first.get(url);
    if (before == null) {
      before = first.compareAndExchange(url, null, answer);
    }
    if (before != null && !before.equals(answer)) {
      first.set(url, Answer.OTHER);
    }
  }

  /// What a URL was answered with that got two answers.
  static String both(String one, String other) {
    return one.equals(other) ? one : VARYING;
  }

  /// The answers by URL, in the order of the list; without those that were not answered.
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
