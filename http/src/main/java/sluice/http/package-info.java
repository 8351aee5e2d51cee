/// The HTTP/1.1 server. The packages, from the top; each names only those below it:
///
/// ```
/// http     HttpServer and its parts: HttpProtocol, what it remembers of a connection, the access
///          log of a loop; FrontServer                                             → all
/// ──────────────────────────────────────────────────────────────────────────────────────
/// handlers routes, interruptlets and slow handlers: what is not the site's        → reply
/// service  the site as one loop serves it: the cache of replies, fills            → files, reply
/// clients  which client a connection is of, and the limits of its address         → rules
/// rules    header fields, redirects and access by path                            → reply
/// ──────────────────────────────────────────────────────────────────────────────────────
/// reply    heads, dates, error pages, ready replies, and how they are written     → files, parse
/// ──────────────────────────────────────────────────────────────────────────────────────
/// files    files of the site as content: reading, coding, watching them           → site, parse
/// front    one connection shared with an application: what is whose               → parse
/// log      the access log: rings that loops fill, the thread that writes; Log   → nothing of http
/// metrics  what a scraper is told: counters as text, times of requests          → nothing of http
/// ──────────────────────────────────────────────────────────────────────────────────────
/// site     what is served: Site, its paths and media types                      → nothing of http
/// parse    the head of a request, its fields, ranges and conditions               → text
/// plugin   what a plug-in implements and is given                               → nothing of ours
/// ──────────────────────────────────────────────────────────────────────────────────────
/// text     bytes as text: sets of characters, digits, eight bytes at once       → nothing of http
/// ```
///
/// A request meets them in this order: `HttpProtocol` frames it, `handlers` says whether it is a
/// route's, otherwise `service` knows or finds the [sluice.http.site.Site]'s answer, and `reply`
/// writes it. `files`, `log`, `reply`, `service` and `text` are not exported.
package sluice.http;
