package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The answer of a site for a path, from which a reply can be created. It is created by [FileFill]
/// on any thread, and is then owned by its receiver, which must close it.
public sealed interface SiteAnswer extends AutoCloseable {
  /// Returns the dependences of the answer, or null if they cannot be watched. An answer with a
  /// ticket may be cached until the ticket is invalidated (see [WatchTable]).
  @Nullable WatchTicket ticket();

  /// Releases leases, references and the ticket. Idempotent.
  @Override
  default void close() {
    WatchTicket ticket = ticket();
    if (ticket != null) {
      ticket.close();
    }
  }

  /// A file in one of its available codings.
  ///
  /// @param path the path of the file, including the name of an index file; its extension
  ///   determines the media type
  /// @param status the status of the original
  /// @param variant the representation that was requested
  /// @param codings a mask of [sluice.http.parse.ContentNegotiation] of the available codings. It
  ///   always includes identity and the coding of `variant`, and it includes others if they are
  ///   known to be available without reading them
  /// @param vary true if the choice of the representation depends on `Accept-Encoding`, either now
  ///   or after a sibling has been created
  /// @param keep how the answer may be cached
  /// @param standIn true if the file is the reply to every path that does not exist
  record Content(
      SitePath path,
      FileStatus status,
      FileVariant variant,
      int codings,
      boolean vary,
      Keep keep,
      boolean standIn,
      @Nullable WatchTicket ticket)
      implements SiteAnswer {

    Content standingIn() {
      return new Content(path, status, variant, codings, vary, keep, true, ticket);
    }

    /// Returns the time since the epoch after which a new read produces better validators, or 0 if
    /// it never does.
    public long provisionalUntilNanos() {
      return variant.validators().provisionalUntilNanos();
    }

    /// Returns true if the path still refers to this content. It is used with [Keep#REVALIDATE].
    /// This method performs one `statx` for the original, and a second one if the bytes are those
    /// of a precompressed sibling. It allocates nothing.
    ///
    /// @param scratch an object whose contents are overwritten
    public boolean stillCurrent(SiteFiles files, FileStatus scratch) {
      if (files.status(path, scratch) != 0 || !status.sameState(scratch)) {
        return false;
      }
      SitePath sibling = variant.sibling();
      return sibling == null
          || (files.status(sibling, scratch) == 0 && variant.version().sameState(scratch));
    }

    @Override
    public void close() {
      variant.close();
      SiteAnswer.super.close();
    }
  }

  /// The conditions under which the content of a file may be cached.
  enum Keep {
    /// The content may be cached until the ticket is invalidated.
    WATCHED,
    /// The content may be cached if [Content#stillCurrent] is checked on each use.
    REVALIDATE,
    /// The content must not be cached, because it is streamed, it is so recent that its times do
    /// not reveal changes, or its ticket has been invalidated.
    ONCE
  }

  /// A directory whose path was requested without a trailing slash. The reply is a 301 to the path
  /// with a slash.
  record Redirect(@Nullable WatchTicket ticket) implements SiteAnswer {}

  /// A list of the entries of a directory as HTML in UTF-8. It is never cached.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Listing(byte[] html) implements SiteAnswer {
    @Override
    public @Nullable WatchTicket ticket() {
      return null;
    }
  }

  /// A refusal.
  ///
  /// @param status 403, 404, 500 or 503
  /// @param reason the reason for the log, which is never sent to the client
  record Refusal(int status, String reason, @Nullable WatchTicket ticket) implements SiteAnswer {}
}
