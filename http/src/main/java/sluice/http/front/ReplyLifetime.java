package sluice.http.front;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpDate;
import sluice.http.text.Latin1;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// How long a shared cache may give a reply, and how old that is ([RFC
/// 9111](https://www.rfc-editor.org/rfc/rfc9111), 3 and 4.2). Stateless: any thread may call.
///
/// A reply that can be read in two ways is not kept. That is stricter than section 5.1, which would
/// take the first of several ages and 0 for a malformed age.
final class ReplyLifetime {
  static final long MOST_SECONDS = 365L * 24 * 3600;

  /// The age of a reply that does not tell it in one way.
  static final long OLD = MOST_SECONDS;

  private ReplyLifetime() {}

  /// How long a reply is fresh from age 0; 0 when it may not be kept.
  ///
  /// @param ruledSeconds what a rule says; 0 without one
  static long seconds(ReplyHead head, long ruledSeconds) {
    Map<String, String> control = head.cacheControl();
    if (control == null
        || control.containsKey("no-store")
        || control.containsKey("private")
        || control.containsKey("no-cache")
        || control.containsKey("must-understand")
        || head.has("set-cookie")
        || !List.of("accept-encoding").containsAll(head.members("vary"))) {
      return 0;
    }
    if (ruledSeconds > 0) {
      return ruledSeconds;
    }
    String lifetime = control.getOrDefault("s-maxage", control.getOrDefault("max-age", ""));
    return control.containsKey("public") ? Math.max(0, number(lifetime)) : 0;
  }

  /// The age that the reply says it had when it was asked for: [#OLD] where it says none that is
  /// one, or several.
  static long ageValue(ReplyHead head) {
    if (!head.has("age")) {
      return 0;
    }
    long age = number(head.value("age"));
    return age < 0 ? OLD : age;
  }

  /// How long ago the reply was made, by its date. [#OLD] where that is none, or there are several.
  ///
  /// @param nowSeconds when it came, since 1970
  static long apparentAge(ReplyHead head, long nowSeconds) {
    if (!head.has("date")) {
      return 0;
    }
    long date = date(head.value("date"), nowSeconds);
    return date == HttpDate.INVALID ? OLD : Math.clamp(nowSeconds - date, 0, OLD);
  }

  private static long date(String text, long nowSeconds) {
    byte[] bytes = Latin1.bytes(text);
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    View view = binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    try {
      return HttpDate.parse(view, 0, bytes.length, nowSeconds);
    } finally {
      binder.unbind();
    }
  }

  /// @return seconds, a year at most; -1 for what is no number
  private static long number(@Nullable String digits) {
    if (digits == null || digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    return digits.length() > 9 ? MOST_SECONDS : Math.min(MOST_SECONDS, Long.parseLong(digits));
  }
}
