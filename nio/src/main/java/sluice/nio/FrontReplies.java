package sluice.nio;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.front.KeptReplies;

/// The replies of this JVM's application that are cached in front of it (`-Dsluice.nio.cache`).
/// Applications can use this class to add and remove replies. If there is no cache, the methods
/// have no effect. Any thread may call them. When a method returns, the replies that it has removed
/// are no longer used to answer later requests.
public final class FrontReplies {
  private static volatile @Nullable KeptReplies kept;

  private FrontReplies() {}

  static KeptReplies keepIn(KeptReplies replies) {
    kept = replies;
    return replies;
  }

  /// Caches a reply to `GET` and `HEAD` requests for a path on all hosts. The reply is used until
  /// it becomes stale or is removed.
  ///
  /// @param target the path and query as requested
  /// @param fields the header fields of the reply except for Content-Length
  /// @param body the body, at most 64 KiB
  /// @param seconds the number of seconds for which the reply stays fresh, at least 1
  /// @param tags the tags by which [#purgeTag] removes the reply
  /// @throws IllegalArgumentException if the target or a field is invalid, or if the body is too
  ///   long
  public static void put(
      String target, Map<String, String> fields, byte[] body, long seconds, Set<String> tags) {
    KeptReplies replies = kept;
    if (replies != null) {
      replies.put(target, fields, body, seconds, tags);
    }
  }

  /// Removes the cached replies for a path and query from the caches of all hosts.
  ///
  /// @return the number of replies removed
  public static int purge(String target) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purge(target);
  }

  /// Removes all replies with the given tag. A tag is assigned by [#put], or by the `Cache-Tag` (a
  /// list) or `Surrogate-Key` (a sequence of words) field of the application's reply.
  ///
  /// @return the number of replies removed
  public static int purgeTag(String tag) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purgeTag(tag);
  }

  /// Removes all cached replies.
  ///
  /// @return the number of replies removed
  public static int clear() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.clear();
  }

  /// Returns the number of requests that have been answered from the cache since it was created.
  public static long hits() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.counts().hits();
  }
}
