package sluice.http.site;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A directory to serve, and the rules for serving it, with defaults.
///
/// Immutable, so any thread may use it.
///
/// @param root the directory; if it is reached through a symbolic link, the link is followed again
///   when it changes
/// @param symlinks the treatment of symbolic links beneath the root
/// @param indexNames the names of files that are served for their directory, in order of
///   precedence, or an empty list
/// @param listing true to answer a directory without an index file with a list of its entries
///   instead of 403
/// @param hiddenFiles true to serve names that begin with a dot, which are otherwise answered 403
///   except for `/.well-known/`
/// @param precompressed true to serve `NAME.br`, `NAME.zst` and `NAME.gz` in place of `NAME` to
///   clients that accept them, unless they are older than `NAME`
/// @param compression the settings for compression on the fly
/// @param cacheableBytes the maximum size of files that are read into memory, from 0 to 64 MiB;
///   larger files are sent from their descriptor
/// @param errorPages the error pages by status code, each of which is the path of a file beneath
///   the root
/// @param tags the format of entity tags
/// @param tries fallbacks, in this order, for a path that does not exist: [#SUFFIX_OF] and an
///   extension for a file beside it, such as `{path}.html`, or a file such as `/index.html` that
///   stands for all such paths; empty for none. Paths with a trailing slash have no file beside
///   them
/// @param types media types that override the built-in types, by extension in lower case without
///   the dot
public record Site(
    Path root,
    Symlinks symlinks,
    List<String> indexNames,
    boolean listing,
    boolean hiddenFiles,
    boolean precompressed,
    Compression compression,
    long cacheableBytes,
    Map<Integer, String> errorPages,
    Tags tags,
    List<String> tries,
    Map<String, String> types) {

  /// The placeholder for the requested path in [#tries].
  public static final String SUFFIX_OF = "{path}";

  /// The ways to treat a symbolic link in a requested path.
  public enum Symlinks {
    /// Refuses (403) everything that is reached through a symbolic link.
    REFUSE,
    /// Follows links to files beneath the root, and refuses other links.
    INSIDE,
    /// Follows all links.
    FOLLOW
  }

  /// The formats of entity tags (RFC 9110 section 8.8.3). They differ in the properties from which
  /// tags are derived, and therefore in their guarantees. In every format each content coding has a
  /// separate tag.
  public enum Tags {
    /// Inode, size, times and a checksum. Strong and exact: no two versions share a tag, even if a
    /// program sets times. No two machines share one either, nor does a copy of the site.
    INODE,
    /// Modification time in seconds, and size; weak (`W/`), as two versions of one size and second
    /// have the same. Replicas that keep modification times share it. As it is weak, If-Match
    /// always fails and If-Range always gets the whole file: clients resume by date.
    MTIME_SIZE,
    /// The first 128 bits of the SHA-256 of the bytes sent; strong. Replicas share it whatever
    /// their times. Only for files that are read into memory: a file above `cacheableBytes` has a
    /// tag of [#MTIME_SIZE].
    CONTENT
  }

  static final long MOST_CACHEABLE_BYTES = 64L << 20;

  public Site {
    Objects.requireNonNull(root);
    Objects.requireNonNull(symlinks);
    Objects.requireNonNull(tags);
    indexNames = List.copyOf(indexNames);
    errorPages = Map.copyOf(errorPages);
    tries = List.copyOf(tries);
    types = Map.copyOf(types);
    tries.forEach(Site::checkTry);
    types.forEach(MimeTypes::check);
    for (String name : indexNames) {
      if (SitePath.of(name).names() != 1) {
        throw new IllegalArgumentException("an index name is one file name: " + name);
      }
    }
    for (Map.Entry<Integer, String> page : errorPages.entrySet()) {
      if (page.getKey() < 400 || page.getKey() > 599 || SitePath.of(page.getValue()).isRoot()) {
        throw new IllegalArgumentException(
            "an error page is a status from 400 to 599 and a file: " + page);
      }
    }
    Objects.requireNonNull(compression);
    if (cacheableBytes < 0 || cacheableBytes > MOST_CACHEABLE_BYTES) {
      throw new IllegalArgumentException("cacheableBytes must be 0 to 64 MiB: " + cacheableBytes);
    }
  }

  /// Returns a site with the default rules. Links must stay inside the root, the index files are
  /// `index.html` and `index.htm`, listings and hidden files are disabled, precompressed siblings
  /// are served, the gzip level is 6, files of up to 1 MiB are read into memory, and entity tags
  /// are exact.
  public static Site of(Path root) {
    return new Site(
        root,
        Symlinks.INSIDE,
        List.of("index.html", "index.htm"),
        false,
        false,
        true,
        Compression.DEFAULT,
        1 << 20,
        Map.of(),
        Tags.INODE,
        List.of(),
        Map.of());
  }

  private static void checkTry(String each) {
    boolean suffix = each.startsWith(SUFFIX_OF);
    String rest = suffix ? each.substring(SUFFIX_OF.length()) : each;
    boolean fine = suffix ? rest.matches("[A-Za-z0-9._-]+") : rest.startsWith("/");
    if (!fine || (!suffix && (SitePath.of(rest).isRoot() || rest.endsWith("/")))) {
      throw new IllegalArgumentException(
          "what is tried is {path} with an ending, such as {path}.html, or a file such as"
              + " /index.html: "
              + each);
    }
  }

  public Site withSymlinks(Symlinks value) {
    Draft draft = new Draft(this);
    draft.symlinks = value;
    return draft.made();
  }

  public Site withIndexNames(List<String> value) {
    Draft draft = new Draft(this);
    draft.indexNames = value;
    return draft.made();
  }

  public Site withListing(boolean value) {
    Draft draft = new Draft(this);
    draft.listing = value;
    return draft.made();
  }

  public Site withHiddenFiles(boolean value) {
    Draft draft = new Draft(this);
    draft.hiddenFiles = value;
    return draft.made();
  }

  /// Returns a copy of this site with different compression settings.
  ///
  /// @param siblings true to serve precompressed siblings
  /// @param level the level of gzip on the fly, or 0 to disable it
  public Site withCompression(boolean siblings, int level) {
    return withCompression(siblings, compression.withGzip(level));
  }

  /// Returns a copy of this site with different compression settings.
  ///
  /// @param siblings true to serve precompressed siblings
  public Site withCompression(boolean siblings, Compression value) {
    Draft draft = new Draft(this);
    draft.precompressed = siblings;
    draft.compression = value;
    return draft.made();
  }

  /// Returns true if files with the given name are compressed on the fly according to their media
  /// type.
  public boolean compresses(String name) {
    return compression.takes(type(name));
  }

  public Site withCacheableBytes(long value) {
    Draft draft = new Draft(this);
    draft.cacheableBytes = value;
    return draft.made();
  }

  public Site withErrorPages(Map<Integer, String> value) {
    Draft draft = new Draft(this);
    draft.errorPages = value;
    return draft.made();
  }

  public Site withTags(Tags value) {
    Draft draft = new Draft(this);
    draft.tags = value;
    return draft.made();
  }

  public Site withTries(List<String> value) {
    Draft draft = new Draft(this);
    draft.tries = value;
    return draft.made();
  }

  public Site withTypes(Map<String, String> value) {
    Draft draft = new Draft(this);
    draft.types = value;
    return draft.made();
  }

  /// Returns the media type of a file.
  public MimeType type(String name) {
    if (!types.isEmpty()) {
      String own = types.get(MimeTypes.extension(name));
      if (own != null) {
        return MimeTypes.named(own);
      }
    }
    return MimeTypes.of(name);
  }

  /// Returns true if the rules forbid access to `path`, even if it does not exist.
  public boolean hides(SitePath path) {
    return !hiddenFiles && path.isHidden();
  }

  /// Returns the canonical paths under which a file can be requested, its own first: without an
  /// extension of [#tries], and the path of its directory if it is an index. The server looks for
  /// the file under these paths, and rules apply under all of them. The method does not check if
  /// another file exists under one of them, which would be sent instead.
  ///
  /// @param file canonical, as are the results
  public List<String> spellings(String file) {
    List<String> all = new ArrayList<>();
    all.add(file);
    int name = file.lastIndexOf('/') + 1;
    for (String each : tries) {
      String ending = each.startsWith(SUFFIX_OF) ? each.substring(SUFFIX_OF.length()) : "";
      if (!ending.isEmpty() && file.endsWith(ending) && file.length() - ending.length() > name) {
        all.add(file.substring(0, file.length() - ending.length()));
      }
    }
    if (indexNames.contains(file.substring(name))) {
      all.add(file.substring(0, name));
    }
    return all;
  }

  /// Returns the names of [#indexNames] as bytes.
  public List<byte[]> indexes() {
    return indexNames.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
  }

  /// A mutable copy of the values, so that each `with` method only assigns the value that it
  /// changes.
  private static final class Draft {
    Path root;
    Symlinks symlinks;
    List<String> indexNames;
    boolean listing;
    boolean hiddenFiles;
    boolean precompressed;
    Compression compression;
    long cacheableBytes;
    Map<Integer, String> errorPages;
    Tags tags;
    List<String> tries;
    Map<String, String> types;

    Draft(Site of) {
      root = of.root;
      symlinks = of.symlinks;
      indexNames = of.indexNames;
      listing = of.listing;
      hiddenFiles = of.hiddenFiles;
      precompressed = of.precompressed;
      compression = of.compression;
      cacheableBytes = of.cacheableBytes;
      errorPages = of.errorPages;
      tags = of.tags;
      tries = of.tries;
      types = of.types;
    }

    Site made() {
      return new Site(
          root,
          symlinks,
          indexNames,
          listing,
          hiddenFiles,
          precompressed,
          compression,
          cacheableBytes,
          errorPages,
          tags,
          tries,
          types);
    }
  }
}
