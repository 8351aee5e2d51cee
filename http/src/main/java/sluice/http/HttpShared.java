package sluice.http;

import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientTable;
import sluice.http.log.AccessLog;
import sluice.http.reply.ErrorPages;

/// The objects that the loops of a server share.
///
/// @param errors the error pages for requests that are not served by any site
/// @param log the access log, or null if there is none
/// @param clients the allowances of addresses, or null if there are neither limits nor proxies
record HttpShared(ErrorPages errors, @Nullable AccessLog log, @Nullable ClientTable clients) {}
