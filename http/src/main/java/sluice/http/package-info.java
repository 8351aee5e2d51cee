/// The HTTP/1.1 server. The packages, from the top; each names only those below it:
///
/// ```
/// http   HttpServer and its parts: HttpProtocol, routes, handlers, replies,  → all
///        the cache of replies
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// files  files of the site as content: reading, coding, watching them        → site, parse, text
/// log    the access log: rings that loops fill, the thread that writes       → nothing of http
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// site   what is served: Site, its paths and media types                     → nothing of http
/// parse  the head of a request, its fields, ranges and conditions            → text
/// plugin what a plug-in implements and is given                              → nothing of ours
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// text   bytes as text: sets of characters, digits, eight bytes at once      → nothing of http
/// ```
///
/// `files`, `log` and `text` are not exported.
package sluice.http;
