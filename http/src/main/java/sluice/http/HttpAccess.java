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

/// Checks the most recently parsed request against the access rules. Owned by the loop's thread.
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

  /// Returns the status of the most recent refusal.
  int status() {
    return last.status();
  }

  /// Returns the header lines of the most recent refusal.
  byte[] fields() {
    return last.fields();
  }

  /// Returns true if the most recent request was refused only because its password has not been
  /// checked recently, and may therefore be valid.
  boolean mayBeUnknown(HttpHosts.Served host) {
    return last.status() == 401 && authorization() != null && !host.rules().signIns().isEmpty();
  }

  /// Starts a check of the request's password on the slow path, unless the result is already known.
  ///
  /// @param then invoked on the loop's thread after the check
  /// @return false if there is nothing to check, in which case `then` is not invoked
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

  /// Returns the value of the `Authorization` field, or null if it is missing or repeated.
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
