/// The HTTP/1.1 server. The packages, from the top; each uses only packages below it:
///
/// ```
/// http     HttpServer and its parts: HttpProtocol, the state of a connection, the access
///          log of a loop; FrontServer                                             → all
/// ──────────────────────────────────────────────────────────────────────────────────────
/// handlers routes, interruptlets and slow handlers, for paths outside the site    → reply
/// service  the site as one loop serves it: the cache of replies, fills            → files, reply
/// clients  the client of a connection, and the limits of its address              → rules
/// rules    header fields, redirects and access by path                            → reply
/// ──────────────────────────────────────────────────────────────────────────────────────
/// reply    heads, dates, error pages, ready replies, and writing them             → files, parse
/// ──────────────────────────────────────────────────────────────────────────────────────
/// files    files of the site as content: reading, coding, watching them           → site, parse
/// front    one connection shared with an application: framing its replies         → parse
/// log      the access log: rings that loops fill, the thread that writes; Log   → nothing of http
/// metrics  the reply to a scraper: counters as text, times of requests          → nothing of http
/// ──────────────────────────────────────────────────────────────────────────────────────
/// site     the served files: Site, its paths and media types                    → nothing of http
/// parse    the head of a request, its fields, ranges and conditions               → text
/// plugin   the interfaces that plug-ins implement and use                       → nothing of ours
/// ──────────────────────────────────────────────────────────────────────────────────────
/// text     bytes as text: sets of characters, digits, eight bytes at once       → nothing of http
/// ```
///
/// A request passes them in this order: `HttpProtocol` frames it, `handlers` answers it if it
/// belongs to a route, otherwise `service` has or finds the [sluice.http.site.Site]'s answer, and
/// `reply` writes it. `files`, `log`, `reply`, `service` and `text` are not exported.
package sluice.http;
