package sluice.http.front;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpDate;
import sluice.http.text.Latin1;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Computes the freshness lifetime and the age of a reply in a shared cache ([RFC
/// 9111](https://www.rfc-editor.org/rfc/rfc9111), 3 and 4.2). Stateless, so any thread may call it.
///
/// An ambiguous reply is not cached. This is stricter than section 5.1, which uses the first of
/// several ages and 0 for a malformed age.
final class ReplyLifetime {
  static final long MOST_SECONDS = 365L * 24 * 3600;

  /// The age that is assumed for a reply whose age is ambiguous.
  static final long OLD = MOST_SECONDS;

  private ReplyLifetime() {}

  /// Returns the time from age 0 for which a reply is fresh, or 0 if it may not be cached.
  ///
  /// @param ruledSeconds the lifetime that is set by a rule, or 0 if there is none
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

  /// Returns the age of the reply at the time of the request according to its `Age` field, or
  /// [#OLD] if that field is malformed or repeated.
  static long ageValue(ReplyHead head) {
    if (!head.has("age")) {
      return 0;
    }
    long age = number(head.value("age"));
    return age < 0 ? OLD : age;
  }

  /// Returns the age of the reply according to its date, or [#OLD] if the date is malformed or
  /// repeated.
  ///
  /// @param nowSeconds the time at which the reply was received, in seconds since 1970
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

  /// @return the number of seconds, limited to a year, or -1 if `digits` is not a number
  private static long number(@Nullable String digits) {
    if (digits == null || digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    return digits.length() > 9 ? MOST_SECONDS : Math.min(MOST_SECONDS, Long.parseLong(digits));
  }
}
