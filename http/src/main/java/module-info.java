import org.jspecify.annotations.NullMarked;

/// The HTTP/1.1 server, which consists of a parser, a reply cache and a static site.
@NullMarked
module sluice.http {
  requires static org.jspecify;
  requires transitive sluice.loop;
  requires jdk.jfr;
  requires sluice.memory;
  requires sluice.sys;

  exports sluice.http;
  exports sluice.http.clients;
  exports sluice.http.front;
  exports sluice.http.handlers;
  exports sluice.http.metrics;
  exports sluice.http.parse;
  exports sluice.http.plugin;
  exports sluice.http.rules;
  exports sluice.http.site;
}
