package sluice.nio;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.front.KeptReplies;

/// The replies of this JVM's application that are cached in front of it (`-Dsluice.nio.cache`), for
/// applications that add or remove some themselves. Without a cache, the methods do nothing. Any
/// thread may call. Each method returns when no later request can be answered by a reply that it
/// has removed.
public final class FrontReplies {
  private static volatile @Nullable KeptReplies kept;

  private FrontReplies() {}

  static KeptReplies keepIn(KeptReplies replies) {
    kept = replies;
    return replies;
  }

  /// Caches a reply to `GET` and `HEAD` of a path, for all hosts, until it is no longer fresh or is
  /// removed.
  ///
  /// @param target the path and query as requested
  /// @param fields the fields of the reply's head other than Content-Length
  /// @param body at most 64 KiB
  /// @param seconds the time it stays fresh, at least 1
  /// @param tags the tags by which [#purgeTag] removes it
  /// @throws IllegalArgumentException for an invalid target or field, or a body that is too long
  public static void put(
      String target, Map<String, String> fields, byte[] body, long seconds, Set<String> tags) {
    KeptReplies replies = kept;
    if (replies != null) {
      replies.put(target, fields, body, seconds, tags);
    }
  }

  /// Removes the cached replies for a path and query, of all hosts.
  ///
  /// @return the number of replies removed
  public static int purge(String target) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purge(target);
  }

  /// Removes all replies with a tag, given by [#put], or by the field `Cache-Tag` (a list) or
  /// `Surrogate-Key` (words) of the application's reply.
  ///
  /// @return the number of replies removed
  public static int purgeTag(String tag) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purgeTag(tag);
  }

  /// Removes all replies.
  ///
  /// @return the number of replies removed
  public static int clear() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.clear();
  }

  /// Returns the number of requests that were answered from the cache, since the start.
  public static long hits() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.counts().hits();
  }
}
