package sluice.http;

import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientTable;
import sluice.http.log.AccessLog;
import sluice.http.reply.ErrorPages;

/// What the loops of a server have in common.
///
/// @param errors pages of what no site answers
/// @param log null for none
/// @param clients what addresses have; null where neither limits nor proxies are known
record HttpShared(ErrorPages errors, @Nullable AccessLog log, @Nullable ClientTable clients) {}
