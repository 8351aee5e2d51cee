package sluice.nio;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.front.KeptReplies;

/// The replies of this JVM's application that are kept in front of it (`-Dsluice.nio.cache`), for
/// the application that wants to put or end some itself. Where none is kept, nothing happens. Any
/// thread may call; each method returns when no later request can be answered by what it has ended.
public final class FrontReplies {
  private static volatile @Nullable KeptReplies kept;

  private FrontReplies() {}

  static KeptReplies keepIn(KeptReplies replies) {
    kept = replies;
    return replies;
  }

  /// Answers `GET` and `HEAD` of a path from now on, whatever the host, until it is no longer fresh
  /// or is ended.
  ///
  /// @param target path and query as they are asked for
  /// @param fields of the reply's head beside Content-Length
  /// @param body at most 64 KiB
  /// @param seconds how long it is fresh, at least 1
  /// @param tags by which [#purgeTag] ends it
  /// @throws IllegalArgumentException for a target or a field that is none, or a body that is too
  ///   long
  public static void put(
      String target, Map<String, String> fields, byte[] body, long seconds, Set<String> tags) {
    KeptReplies replies = kept;
    if (replies != null) {
      replies.put(target, fields, body, seconds, tags);
    }
  }

  /// Ends what is kept for a path and query, of all hosts.
  ///
  /// @return how many replies were kept
  public static int purge(String target) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purge(target);
  }

  /// Ends all replies with a tag, which they have by [#put], or by the field `Cache-Tag` (a list)
  /// or `Surrogate-Key` (words) of the application's reply.
  ///
  /// @return how many replies were kept
  public static int purgeTag(String tag) {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.purgeTag(tag);
  }

  /// Ends all.
  ///
  /// @return how many replies were kept
  public static int clear() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.clear();
  }

  /// Requests that were answered by replies that were kept, since the start.
  public static long hits() {
    KeptReplies replies = kept;
    return replies == null ? 0 : replies.counts().hits();
  }
}
