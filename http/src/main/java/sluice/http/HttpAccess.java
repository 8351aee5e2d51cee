package sluice.http;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.Field;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.ReplyGuard;
import sluice.http.reply.Resource;
import sluice.http.rules.SignIn;
import sluice.loop.Connection;
import sluice.loop.Loop;

/// Asks the access rules about the request that was parsed last. Owned by the loop's thread.
final class HttpAccess {
  private final HttpProtocol http;
  private final Loop loop;
  private final HttpRequest request;
  private ReplyGuard.Verdict last = ReplyGuard.Verdict.ADMITTED;

  HttpAccess(HttpProtocol http, Loop loop, HttpRequest request) {
    this.http = http;
    this.loop = loop;
    this.request = request;
  }

  boolean admits(Connection connection, Resource resource) {
    ReplyGuard guard = resource.guard;
    return guard == null || admits(connection, guard);
  }

  boolean admits(Connection connection, ReplyGuard guard) {
    HttpSession session = http.session(connection);
    session.noteAddress(connection);
    last = guard.verdict(session.addressHigh, session.addressLow, authorization());
    return last.status() == 0;
  }

  /// Status of the last refusal.
  int status() {
    return last.status();
  }

  /// Header lines of the last refusal.
  byte[] fields() {
    return last.fields();
  }

  /// Whether the last request was refused for a password that may be right, but was not checked a
  /// short time ago.
  boolean mayBeUnknown(HttpHosts.Served host) {
    return last.status() == 401 && authorization() != null && !host.rules().signIns().isEmpty();
  }

  /// Has the password that a request brings checked on the slow path, if it is not known.
  ///
  /// @param then run on the loop's thread when that is done
  /// @return false when there is nothing to check: `then` is not run
  boolean check(HttpHosts.@Nullable Served host, Runnable then) {
    byte[] authorization = authorization();
    if (host == null || authorization == null) {
      return false;
    }
    List<SignIn> unknown =
        host.rules().signIns().stream().filter(each -> !each.knows(authorization)).toList();
    if (unknown.isEmpty()) {
      return false;
    }
    loop.slowPath().execute(() -> check(unknown, authorization, then));
    return true;
  }

  private void check(List<SignIn> unknown, byte[] authorization, Runnable then) {
    try {
      unknown.forEach(each -> each.check(authorization));
    } finally {
      loop.execute(then);
    }
  }

  /// Value of the field; null where it is missing or there twice.
  private byte @Nullable [] authorization() {
    int line = request.firstLine(Field.AUTHORIZATION);
    if (line < 0 || request.isRepeated(Field.AUTHORIZATION)) {
      return null;
    }
    int from = request.valueFrom(line);
    byte[] value = new byte[request.valueTo(line) - from];
    request.view().copyTo(from, value, 0, value.length);
    return value;
  }
}
