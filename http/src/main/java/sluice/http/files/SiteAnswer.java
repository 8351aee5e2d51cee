package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// What a site holds under a path, ready to become a reply. Made by [FileFill] on any thread; then
/// owned by its receiver, which closes it.
public sealed interface SiteAnswer extends AutoCloseable {
  /// What the answer depends on; null when that cannot be watched. An answer with a ticket may be
  /// kept while the ticket stands (see [WatchTable]).
  @Nullable WatchTicket ticket();

  /// Ends leases, references and the ticket. Idempotent.
  @Override
  default void close() {
    WatchTicket ticket = ticket();
    if (ticket != null) {
      ticket.close();
    }
  }

  /// A file, in one of the codings it can be had in.
  ///
  /// @param path the file itself, behind an index name; its ending decides the media type
  /// @param status of the original
  /// @param variant the representation that was asked for
  /// @param codings mask of [sluice.http.parse.ContentNegotiation] of those there are: identity
  ///   always, `variant`'s own, and others as far as could be told without reading them
  /// @param vary whether the choice among representations depends on `Accept-Encoding`, now or
  ///   after a sibling appears
  /// @param keep how it may be cached
  /// @param standIn whether the file stands for every path that leads to nothing
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

    /// When a new look at the files gives better validators, since the epoch; 0 for never.
    public long provisionalUntilNanos() {
      return variant.validators().provisionalUntilNanos();
    }

    /// For [Keep#REVALIDATE]: whether this is what the path leads to now. One `statx` for the
    /// original; a second one when the bytes come from a precompressed sibling. Allocates nothing.
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

  /// How a file's content may be kept.
  enum Keep {
    /// While the ticket stands.
    WATCHED,
    /// While [Content#stillCurrent] says so on each use.
    REVALIDATE,
    /// Not at all: streamed, too fresh to tell changes by its times, or fallen already.
    ONCE
  }

  /// A directory whose path was written without a slash: 301 to the path with one.
  record Redirect(@Nullable WatchTicket ticket) implements SiteAnswer {}

  /// A list of a directory's entries: HTML in UTF-8, never cached.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Listing(byte[] html) implements SiteAnswer {
    @Override
    public @Nullable WatchTicket ticket() {
      return null;
    }
  }

  /// Nothing to be had.
  ///
  /// @param status 403, 404, 500 or 503
  /// @param reason for the log, never for the client
  record Refusal(int status, String reason, @Nullable WatchTicket ticket) implements SiteAnswer {}
}
