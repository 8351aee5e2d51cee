package sluice.http.service;

import java.util.ArrayList;
import java.util.List;
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
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.http.text.Latin1;
import sluice.memory.Account;

/// Converts a [SiteAnswer] to a [Resource]: writes the heads and puts head and body into one piece
/// of memory. Any thread may call.
final class SiteReplies {
  private final Account memory;
  private final LongBodies longBodies;
  private final Site site;
  private final SiteRules rules;

  /// @param memory charged for prepared replies
  SiteReplies(Account memory, LongBodies longBodies, Site site, SiteRules rules) {
    this.memory = memory;
    this.longBodies = longBodies;
    this.site = site;
    this.rules = rules;
  }

  /// Returns the redirect that the rules have for a path, whatever files exist; null if there is
  /// none.
  ///
  /// @param path as it was sent
  /// @param canonical the same, canonical
  @Nullable Resource redirect(byte[] path, SitePath canonical) {
    String at = canonical.toString();
    SiteRules.Redirected to = rules.redirect(at);
    if (to == null) {
      return null;
    }
    byte[] location = Latin1.bytes("Location: " + to.location() + "\r\n");
    byte[] fields = HttpReplies.joined(rules.fields(at), location);
    Resource made = Resource.rule(path, to.status(), fields, to.takesQuery());
    made.guard = rules.guard(at);
    return made;
  }

  /// Returns the resource of an answer.
  ///
  /// @param path as it was sent
  /// @param canonical the same, canonical
  /// @param answer its leases end here; its ticket passes to the resource
  Resource resource(byte[] path, SitePath canonical, SiteAnswer answer) {
    // Not a pattern switch: linking one would add milliseconds to the first reply.
    String at = canonical.toString();
    if (answer instanceof SiteAnswer.Content content) {
      return file(path, at, content);
    }
    Resource made = bare(path, rules.fields(at), answer);
    made.guard = rules.guard(at);
    return made;
  }

  private static Resource bare(byte[] path, byte[] fields, SiteAnswer answer) {
    if (answer instanceof SiteAnswer.Redirect) {
      byte[] all = HttpReplies.joined(fields, location(path));
      return Resource.redirect(path, all, answer.ticket());
    }
    if (answer instanceof SiteAnswer.Listing listing) {
      return Resource.bare(path, 200, fields, listing.html(), listing.ticket());
    }
    SiteAnswer.Refusal refusal = (SiteAnswer.Refusal) answer;
    byte[] all = refusal.status() == 503 ? HttpReplies.joined(HttpReplies.RETRY, fields) : fields;
    return Resource.bare(path, refusal.status(), all, null, refusal.ticket());
  }

  /// Returns the Location line of the same path with a trailing slash and without doubled slashes:
  /// `//x` would name another host (RFC 3986 section 4.2), and the redirect would lead there.
  private static byte[] location(byte[] path) {
    StringBuilder location = new StringBuilder("Location: ");
    for (int i = 0; i < path.length; i++) {
      if (path[i] != '/' || i == 0 || path[i - 1] != '/') {
        location.append((char) (path[i] & 0xff));
      }
    }
    return Latin1.bytes(location.append("/\r\n").toString());
  }

  private Resource file(byte[] path, String at, SiteAnswer.Content content) {
    FileVariant variant = content.variant();
    String file = content.path().toString();
    List<String> paths = new ArrayList<>(site.spellings(file));
    if (!content.standIn()) {
      paths.add(at);
    }
    ReadyReply reply = ready(content, variant, paths);
    SitePath sibling = variant.sibling();
    variant.close();
    if (reply == null) {
      WatchTicket ticket = content.ticket();
      if (ticket != null) {
        ticket.close();
      }
      return Resource.bare(path, 503, HttpReplies.RETRY, null, null);
    }
    boolean revalidate = content.keep() == SiteAnswer.Keep.REVALIDATE;
    Resource made = Resource.file(path, reply, content, revalidate);
    List<String> named =
        sibling == null ? List.of(at, file) : List.of(at, file, sibling.toString());
    made.guard = rules.guardOfFile(named, site::spellings);
    made.fieldsInstead = rules.fields(at);
    return made;
  }

  /// @param paths that header rules are compared with
  private @Nullable ReadyReply ready(
      SiteAnswer.Content content, FileVariant variant, List<String> paths) {
    // The time of the variant's own file: a precompressed file that is made anew is another
    // representation.
    long modified = FileValidators.modifiedSeconds(variant.version());
    boolean dated = variant.validators().dated();
    String type = site.type(Latin1.text(content.path().bytes())).contentType();
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
    validators.append(Latin1.text(rules.fieldsOfFile(paths)));
    ReadyReply.Parts parts =
        new ReadyReply.Parts(
            Latin1.bytes(contentFields.toString()),
            Latin1.bytes(validators.toString()),
            Latin1.bytes(variant.tag()),
            type,
            dated ? modified : modified + 1, // within its own second, no date proves anything
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
