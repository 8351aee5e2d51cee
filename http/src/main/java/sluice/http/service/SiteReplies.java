package sluice.http.service;

import org.jspecify.annotations.Nullable;
import sluice.http.files.FileCoding;
import sluice.http.files.FileStream;
import sluice.http.files.FileValidators;
import sluice.http.files.FileVariant;
import sluice.http.files.SiteAnswer;
import sluice.http.files.WatchTicket;
import sluice.http.parse.HttpDate;
import sluice.http.reply.HttpReplies;
import sluice.http.reply.LongBodies;
import sluice.http.reply.ReadyReply;
import sluice.http.reply.Resource;
import sluice.http.site.MimeTypes;
import sluice.http.text.Latin1;
import sluice.memory.Account;

/// Makes a [Resource] of a [SiteAnswer]: writes the heads and puts head and body into one piece of
/// memory. Any thread may call.
final class SiteReplies {
  private final Account memory;
  private final LongBodies longBodies;
  private final String extraFields;

  /// @param memory charged for what is prepared
  /// @param cacheControl value of Cache-Control on files; empty for none
  SiteReplies(Account memory, LongBodies longBodies, String cacheControl) {
    this.memory = memory;
    this.longBodies = longBodies;
    this.extraFields = cacheControl.isEmpty() ? "" : "Cache-Control: " + cacheControl + "\r\n";
  }

  /// @param path as it was sent
  /// @param answer its leases end here; its ticket becomes the resource's
  Resource resource(byte[] path, SiteAnswer answer) {
    // Not a pattern switch: linking one would cost milliseconds of the first reply.
    if (answer instanceof SiteAnswer.Content content) {
      return file(path, content);
    }
    if (answer instanceof SiteAnswer.Redirect) {
      return Resource.bare(path, 301, location(path), null, answer.ticket());
    }
    if (answer instanceof SiteAnswer.Listing listing) {
      return Resource.bare(path, 200, HttpReplies.NONE, listing.html(), listing.ticket());
    }
    SiteAnswer.Refusal refusal = (SiteAnswer.Refusal) answer;
    byte[] fields = refusal.status() == 503 ? HttpReplies.RETRY : HttpReplies.NONE;
    return Resource.bare(path, refusal.status(), fields, null, refusal.ticket());
  }

  /// The same path with a slash behind it and no two slashes in a row: `//x` would name another
  /// host (RFC 3986 section 4.2), and the redirect lead there.
  private static byte[] location(byte[] path) {
    StringBuilder location = new StringBuilder("Location: ");
    for (int i = 0; i < path.length; i++) {
      if (path[i] != '/' || i == 0 || path[i - 1] != '/') {
        location.append((char) (path[i] & 0xff));
      }
    }
    return Latin1.bytes(location.append("/\r\n").toString());
  }

  private Resource file(byte[] path, SiteAnswer.Content content) {
    FileVariant variant = content.variant();
    ReadyReply reply = ready(content, variant);
    variant.close();
    if (reply == null) {
      WatchTicket ticket = content.ticket();
      if (ticket != null) {
        ticket.close();
      }
      return Resource.bare(path, 503, HttpReplies.RETRY, null, null);
    }
    boolean revalidate = content.keep() == SiteAnswer.Keep.REVALIDATE;
    return Resource.file(path, reply, content, revalidate);
  }

  private @Nullable ReadyReply ready(SiteAnswer.Content content, FileVariant variant) {
    // Of the variant's own file: a precompressed file made anew is another representation.
    long modified = FileValidators.modifiedSeconds(variant.version());
    boolean dated = variant.validators().dated();
    String type = MimeTypes.of(Latin1.text(content.path().bytes())).contentType();
    StringBuilder contentFields = new StringBuilder("Content-Type: ").append(type).append("\r\n");
    if (variant.coding() != FileCoding.IDENTITY) {
      contentFields.append("Content-Encoding: ").append(variant.coding().token()).append("\r\n");
    }
    contentFields.append("Accept-Ranges: bytes\r\n");
    StringBuilder validators = new StringBuilder();
    if (dated) {
      String date = Latin1.text(HttpDate.format(modified));
      validators.append("Last-Modified: ").append(date).append("\r\n");
    }
    validators.append("ETag: ").append(variant.tag()).append("\r\n");
    if (content.vary()) {
      validators.append("Vary: Accept-Encoding\r\n");
    }
    validators.append(extraFields);
    ReadyReply.Parts parts =
        new ReadyReply.Parts(
            Latin1.bytes(contentFields.toString()),
            Latin1.bytes(validators.toString()),
            Latin1.bytes(variant.tag()),
            type,
            dated ? modified : modified + 1, // while the second lasts, no date proves anything
            variant.lengthBytes());
    FileStream stream = variant.stream();
    if (stream != null) {
      FileStream own = stream.retain();
      ReadyReply reply = ReadyReply.fromFile(memory, parts, own);
      if (reply == null) {
        own.release();
      }
      return reply;
    }
    return ReadyReply.inMemory(memory, longBodies, parts, variant.block());
  }
}
