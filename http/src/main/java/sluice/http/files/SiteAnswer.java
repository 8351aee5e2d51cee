package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The answer of a site for a path, ready to become a reply. Made by [FileFill] on any thread; then
/// owned by its receiver, which closes it.
public sealed interface SiteAnswer extends AutoCloseable {
  /// Returns the dependences of the answer; null if they cannot be watched. An answer with a ticket
  /// may be kept until the ticket falls (see [WatchTable]).
  @Nullable WatchTicket ticket();

  /// Ends leases, references and the ticket. Idempotent.
  @Override
  default void close() {
    WatchTicket ticket = ticket();
    if (ticket != null) {
      ticket.close();
    }
  }

  /// A file in one of its available codings.
  ///
  /// @param path the file itself, including an index name; its extension decides the media type
  /// @param status the status of the original
  /// @param variant the representation that was requested
  /// @param codings mask of [sluice.http.parse.ContentNegotiation] of the available codings:
  ///   identity always, `variant`'s own, and others as far as they are known without reading them
  /// @param vary true if the choice among representations depends on `Accept-Encoding`, now or
  ///   after a sibling appears
  /// @param keep how the answer may be cached
  /// @param standIn true if the file is the reply to every path that leads to nothing
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

    /// Returns the time, since the epoch, from which a new read gives better validators; 0 for
    /// never.
    public long provisionalUntilNanos() {
      return variant.validators().provisionalUntilNanos();
    }

    /// Returns true if the path still leads to this content; for [Keep#REVALIDATE]. Costs one
    /// `statx` for the original, and a second one if the bytes come from a precompressed sibling.
    /// Allocates nothing.
    ///
    /// @param scratch overwritten
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

  /// The ways in which a file's content may be kept.
  enum Keep {
    /// May be kept until the ticket falls.
    WATCHED,
    /// May be kept while [Content#stillCurrent] returns true on each use.
    REVALIDATE,
    /// Must not be kept: streamed, so fresh that its times do not show changes, or with a ticket
    /// that has fallen.
    ONCE
  }

  /// A directory whose path was written without a slash: 301 to the path with a slash.
  record Redirect(@Nullable WatchTicket ticket) implements SiteAnswer {}

  /// A list of a directory's entries: HTML in UTF-8, never cached.
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
  /// @param reason for the log, never for the client
  record Refusal(int status, String reason, @Nullable WatchTicket ticket) implements SiteAnswer {}
}
