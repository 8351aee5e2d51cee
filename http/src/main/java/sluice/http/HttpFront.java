package sluice.http;

import org.jspecify.annotations.Nullable;
import sluice.http.front.FrontSite;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.Resource;
import sluice.http.service.SiteService;
import sluice.loop.Connection;
import sluice.memory.View;

/// The site of one loop in front of an application. Requests that are not for a file are passed to
/// the application, even if `serve` would reply with a redirect or an error. Owned by the loop's
/// thread.
///
/// Each path is looked up once, and the result is cached until something changes, even if no file
/// exists. If the first name of a path does not exist, a single entry covers all paths below it.
final class HttpFront implements FrontSite {
  private final HttpProtocol http;
  private final SiteService site;

  /// The file that was found by the most recent call of [#known].
  private @Nullable Resource found;

  HttpFront(HttpProtocol http, SiteService site) {
    this.http = http;
    this.site = site;
  }

  @Override
  public HttpParser parser() {
    return http.parser();
  }

  @Override
  public HttpRequest request() {
    return http.request();
  }

  @Override
  public Object opened(Connection connection) {
    http.opened(connection);
    return http.session(connection);
  }

  @Override
  public Known known() {
    HttpRequest request = http.request();
    found = null;
    if (request.hasUnknownExpectation() || request.expectsContinue()) {
      return Known.ABSENT;
    }
    Resource resource = site.lookup(request);
    if (resource == null) {
      return site.absent(request) ? Known.ABSENT : Known.UNKNOWN;
    }
    if (resource.status != 200) {
      return Known.ABSENT;
    }
    found = resource;
    return Known.FILE;
  }

  @Override
  public boolean answer(Connection connection, Outcome outcome) {
    Resource resource = found;
    if (resource != null) {
      found = null;
      http.answerFile(connection, resource);
      return true;
    }
    if (http.requestPath().parse(http.request()) < 0
        || !http.defer(site, connection, learning(outcome))) {
      HttpRequest request = http.request();
      outcome.declined(connection, request.view());
    }
    return false;
  }

  /// Wraps an outcome to also record that the first name of a path does not exist.
  private Outcome learning(Outcome outcome) {
    return new Outcome() {
      @Override
      public void given(Connection connection) {
        outcome.given(connection);
      }

      @Override
      public void declined(Connection connection, View head) {
        site.learnFirstName(http.request(), http.requestPath());
        outcome.declined(connection, head);
      }
    };
  }

  @Override
  public void kept(Connection connection, int status, long bodyBytes) {
    http.noted(connection, status, bodyBytes);
  }

  @Override
  public void sent(Connection connection) {
    http.sent(connection);
  }

  @Override
  public void overloaded(Connection connection) {
    http.overloaded(connection);
  }

  @Override
  public void closed(Connection connection, @Nullable Object session) {
    http.closed(connection, session);
  }
}
