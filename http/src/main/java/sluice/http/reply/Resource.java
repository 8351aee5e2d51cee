package sluice.http.reply;

import org.jspecify.annotations.Nullable;
import sluice.http.files.SiteAnswer;
import sluice.http.files.WatchTicket;
import sluice.http.parse.ContentNegotiation;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// The current answer for one request path, ready to be sent: a file in one content coding, or a
/// redirect, or a refusal. Owned by the loop's thread once it is in the cache of replies.
///
/// Holds a lease on the representation, and the ticket it depends on, until it is released.
public final class Resource {
  private static final int OVERHEAD_BYTES = 256;

  /// The bytes charged for an open file, so that the cache's limit bounds descriptors, too.
  private static final int OPEN_FILE_BYTES = 64 << 10;

  public final byte[] path;

  /// 200, or the status of a redirect or refusal.
  public final int status;

  /// Extra header lines of a reply that is not 200, each with CRLF.
  public final byte[] extraFields;

  /// The body of a reply that is neither a file nor an error page; null otherwise.
  public final byte @Nullable [] html;

  /// The file's representation; null unless `status` is 200.
  public final @Nullable ReadyReply reply;

  /// Its content coding, a bit of [sluice.http.parse.ContentNegotiation]; 0 without representation.
  public final int coding;

  /// A mask of the codings in which the file is available; 0 without representation.
  public final int codings;

  /// The content that every use must first compare with the file system; null if that is not
  /// needed.
  public final SiteAnswer.@Nullable Content revalidate;

  /// The time from which the resource should be made again although nothing has changed, because
  /// its validators can then be better ([sluice.http.files.FileValidators]): nanoseconds since the
  /// epoch, 0 for never.
  public final long provisionalUntilNanos;

  /// Decides which clients get this; null for all.
  public @Nullable ReplyGuard guard;

  /// Header lines of replies that are sent instead of the file, such as 416; each with CRLF.
  public byte[] fieldsInstead = {};

  /// True if the query of a request is appended to `extraFields`, whose last line is Location.
  final boolean takesQuery;

  private final boolean constant;
  private final @Nullable WatchTicket ticket;

  public long hash;
  public boolean cached;
  public @Nullable Resource chain;
  public @Nullable Resource older;
  public @Nullable Resource newer;
  private boolean released;

  private Resource(
      byte[] path,
      Bare bare,
      @Nullable ReadyReply reply,
      SiteAnswer.@Nullable Content content,
      boolean revalidate,
      @Nullable WatchTicket ticket) {
    this.path = path;
    this.status = bare.status;
    this.extraFields = bare.extraFields;
    this.html = bare.html;
    this.takesQuery = bare.takesQuery;
    this.constant = bare.constant;
    this.reply = reply;
    this.coding = content == null ? 0 : content.variant().coding().bit();
    this.codings = content == null ? 0 : content.codings();
    this.revalidate = revalidate ? content : null;
    this.provisionalUntilNanos = content == null ? 0 : content.provisionalUntilNanos();
    this.ticket = ticket;
  }

  /// Returns the resource of a file.
  ///
  /// @param revalidate true if each use must compare with the file system
  public static Resource file(
      byte[] path, ReadyReply reply, SiteAnswer.Content content, boolean revalidate) {
    return new Resource(path, Bare.OK, reply, content, revalidate, content.ticket());
  }

  /// Returns a reply without a file.
  public static Resource bare(
      byte[] path,
      int status,
      byte[] extraFields,
      byte @Nullable [] html,
      @Nullable WatchTicket ticket) {
    Bare bare = new Bare(status, extraFields, html, false, false);
    return new Resource(path, bare, null, null, false, ticket);
  }

  /// Returns a redirect that depends on the files.
  ///
  /// @param fields the last line is Location, to which the query of a request is appended
  public static Resource redirect(byte[] path, byte[] fields, @Nullable WatchTicket ticket) {
    return new Resource(path, new Bare(301, fields, null, true, false), null, null, false, ticket);
  }

  /// Returns a redirect by a rule, which does not depend on the files.
  ///
  /// @param takesQuery true if the query of a request is appended to the last line
  public static Resource rule(byte[] path, int status, byte[] fields, boolean takesQuery) {
    Bare bare = new Bare(status, fields, null, takesQuery, true);
    return new Resource(path, bare, null, null, false, null);
  }

  /// The contents of a reply without representations.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Bare(
      int status,
      byte[] extraFields,
      byte @Nullable [] html,
      boolean takesQuery,
      boolean constant) {
    static final Bare OK = new Bare(200, new byte[0], null, false, false);
  }

  public @Nullable WatchTicket ticket() {
    return ticket;
  }

  /// Returns true if the representation is an open file rather than memory.
  public boolean streamed() {
    return reply != null && !reply.inMemory();
  }

  /// Returns true if the path certainly leads to this, as of the last drain of the watches.
  public boolean stands() {
    return constant || (ticket != null && !ticket.fallen());
  }

  /// Returns true if it may be kept for later requests.
  public boolean cacheable() {
    return status < 500 && (stands() || revalidate != null);
  }

  /// Returns the coding that a request gets, among those available: identity if the client accepts
  /// none of them.
  public int chosen(HttpRequest request) {
    if (codings <= ContentNegotiation.IDENTITY) {
      return codings;
    }
    int chosen = ContentNegotiation.choose(request, codings);
    return chosen == 0 ? ContentNegotiation.IDENTITY : chosen;
  }

  public boolean pathEquals(View view, int from, int to) {
    return to - from == path.length && view.startsWith(path, from);
  }

  public long chargedBytes() {
    long bytes = OVERHEAD_BYTES + (long) path.length + (html == null ? 0 : html.length);
    bytes += streamed() ? OPEN_FILE_BYTES : 0;
    return bytes + (reply == null ? 0 : reply.chargedBytes());
  }

  /// Ends the leases and the ticket. Idempotent.
  public void release() {
    if (released) {
      return;
    }
    released = true;
    if (reply != null) {
      reply.release();
    }
    if (ticket != null) {
      ticket.close();
    }
  }
}
