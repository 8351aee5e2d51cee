package sluice.http;

import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientTable;
import sluice.http.log.AccessLog;
import sluice.http.reply.ErrorPages;

/// The objects that the loops of a server share.
///
/// @param errors the pages for requests that no site answers
/// @param log null for none
/// @param clients the allowances of addresses; null with neither limits nor proxies
record HttpShared(ErrorPages errors, @Nullable AccessLog log, @Nullable ClientTable clients) {}
