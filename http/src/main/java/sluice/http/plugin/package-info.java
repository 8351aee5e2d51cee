/// The interfaces that a plug-in of `sluice serve --plugin` implements, and their requests and
/// replies: `HttpPlugin` with two records, `StreamPlugin` with streams for the bodies, or
/// `ViewPlugin` with views. A plug-in shares these classes with the server, and
/// `sluice.memory.View`.
package sluice.http.plugin;
