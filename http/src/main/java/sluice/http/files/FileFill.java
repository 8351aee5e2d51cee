package sluice.http.files;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.ContentNegotiation;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.loop.sockets.DescriptorShortage;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Creates the [SiteAnswer] for a canonical path by resolving, opening, reading and compressing the
/// file.
///
/// Any number of slow-path threads may call it concurrently, and calls may block on the disk. There
/// is one instance per loop, because the tickets that it creates belong to that loop's
/// [WatchTable].
///
/// The steps of a fill are: create a ticket → link it to the name → open → watch the inode → read.
/// This order guarantees that the result is a single version of each file (see `FileReader`) and
/// that the ticket covers all changes. After receiving the answer, the owner drains the watches,
/// and caches the answer only if the ticket is still valid.
public final class FileFill {
  private static final int MOST_ATTEMPTS = 8;

  /// The maximum number of listings that are created concurrently.
  private static final int MOST_LISTINGS = 2;

  private static final List<FileCoding> SIBLINGS =
      List.of(FileCoding.BROTLI, FileCoding.ZSTD, FileCoding.GZIP);

  private final Site site;
  private final SiteFiles files;
  private final @Nullable WatchTable watches;
  private final Account memory;
  private final Predicate<SitePath> compressible;
  private final FileReader reader;

  /// Limits the number of concurrent listings. Listing a large directory requires megabytes of
  /// memory and a long time, so concurrent requests for the same listing by different paths, such
  /// as `/d/` and `/d/./`, wait for each other.
  private final Semaphore listings = new Semaphore(MOST_LISTINGS);

  private final List<byte[]> indexes;

  /// @param watches the watch table, or null if nothing can be watched
  /// @param memory the account that is charged for every block
  /// @param compressible tests if the media type of a path is worth compressing
  public FileFill(
      Site site,
      SiteFiles files,
      @Nullable WatchTable watches,
      Account memory,
      Predicate<SitePath> compressible,
      FileReader reader) {
    this.site = site;
    this.files = files;
    this.watches = watches;
    this.memory = memory;
    this.compressible = compressible;
    this.reader = reader;
    this.indexes = site.indexes();
  }

  /// Returns the answer for `path` for a client that accepts no coding. The answer reflects the
  /// state at some time after this call began.
  SiteAnswer answer(SitePath path) {
    return answer(path, ContentNegotiation.IDENTITY);
  }

  /// Returns the answer for `path`. The answer reflects the state at some time after this call
  /// began.
  ///
  /// @param wanted the codings and the listing order of the request, as returned by
  ///   [ListingOrder#wanted]
  public SiteAnswer answer(SitePath path, int wanted) {
    if (site.hides(path)) {
      return new SiteAnswer.Refusal(403, "hidden by the site's rules", null);
    }
    FileDependence dependence = new FileDependence(watches);
    boolean handedOver = false;
    try {
      SiteAnswer answer = resolve(path, wanted, dependence);
      if (!site.tries().isEmpty()
          && answer instanceof SiteAnswer.Refusal refusal
          && refusal.status() == 404) {
        answer = instead(path, refusal.reason(), wanted, dependence);
      }
      handedOver = answer.ticket() != null;
      return answer;
    } finally {
      if (!handedOver) {
        dependence.giveUp();
      }
    }
  }

  /// Returns the site's fallback if no file exists at the path. The answer also depends on the
  /// missing path, because it changes if a file is created there or earlier in the list of
  /// fallbacks.
  private SiteAnswer instead(SitePath path, String reason, int wanted, FileDependence dependence) {
    dependence.onlyByWatching();
    for (String each : site.tries()) {
      boolean beside = each.startsWith(Site.SUFFIX_OF);
      if (beside && path.trailingSlash()) {
        continue;
      }
      SitePath next =
          beside ? path.withSuffix(each.substring(Site.SUFFIX_OF.length())) : SitePath.of(each);
      if (site.hides(next)) {
        continue;
      }
      SiteAnswer answer = resolve(next, wanted, dependence);
      if (answer instanceof SiteAnswer.Content content) {
        return beside ? content : content.standingIn();
      }
      if (answer instanceof SiteAnswer.Refusal refusal && refusal.status() != 404) {
        return answer; // the file may exist: access is denied, or a resource has run out
      }
    }
    return new SiteAnswer.Refusal(404, reason, dependence.ticket());
  }

  private SiteAnswer resolve(SitePath path, int wanted, FileDependence dependence) {
    SiteFiles.Opened opened = open(path, dependence);
    FileHandle handle = opened.handle();
    if (handle == null) {
      FileStatus status = new FileStatus();
      boolean searchable =
          opened.errno() == Errno.EACCES && files.status(path, status) == 0 && status.isDirectory();
      return searchable ? directory(path, wanted, dependence) : refusal(opened.errno(), dependence);
    }
    if (opened.status().isRegular() && !path.trailingSlash()) {
      return content(path, opened, wanted, dependence);
    }
    handle.close();
    return opened.status().isRegular()
        ? refusal(Errno.ENOTDIR, dependence)
        : directory(path, wanted, dependence);
  }

  /// Opens `path` after adding a dependence on it. A path that contains a symbolic link cannot be
  /// watched.
  private SiteFiles.Opened open(SitePath path, FileDependence dependence) {
    dependence.on(path);
    SiteFiles.Opened opened = files.open(path);
    DescriptorShortage.report(opened.errno());
    if (opened.symlink()) {
      dependence.giveUp();
    }
    return opened;
  }

  private SiteAnswer directory(SitePath path, int wanted, FileDependence dependence) {
    if (!path.trailingSlash()) {
      return new SiteAnswer.Redirect(dependence.ticket());
    }
    for (int i = 0; i < indexes.size(); i++) {
      SitePath index = path.child(indexes.get(i));
      SiteFiles.Opened opened = open(index, dependence);
      FileHandle handle = opened.handle();
      if (handle == null) {
        if (opened.errno() == Errno.ENOENT) {
          continue;
        }
        return refusal(opened.errno(), dependence);
      }
      if (opened.status().isRegular()) {
        if (i > 0) {
          dependence
              .onlyByWatching(); // a statx of this index does not show that a better one appeared
        }
        return content(index, opened, wanted, dependence);
      }
      handle.close();
    }
    if (!site.listing()) {
      return new SiteAnswer.Refusal(403, "a directory without index", dependence.ticket());
    }
    return listing(path, ListingOrder.of(wanted), dependence);
  }

  private SiteAnswer listing(SitePath path, ListingOrder order, FileDependence dependence) {
    listings.acquireUninterruptibly();
    try {
      SiteFiles.Filter filter = DirectoryListing.filter(path, site);
      SiteFiles.Listed listed = files.list(path, DirectoryListing.MOST_ENTRIES, filter);
      if (listed.errno() != 0) {
        DescriptorShortage.report(listed.errno());
        return refusal(listed.errno(), dependence);
      }
      return new SiteAnswer.Listing(DirectoryListing.html(path, listed, order));
    } finally {
      listings.release();
    }
  }

  /// Returns the file in the available coding that the client prefers. Only that representation is
  /// read. Everything that was opened is either closed or passed on.
  private SiteAnswer content(
      SitePath path, SiteFiles.Opened opened, int request, FileDependence dependence) {
    FileHandle handle = Objects.requireNonNull(opened.handle());
    boolean handedOver = false;
    try {
      dependence.onFile(path, opened);
      FileStatus original = new FileStatus(); // the state of the file, which is watched by now
      int errno = handle.status(original);
      if (errno != 0) {
        return refusal(-errno, dependence);
      }
      boolean compresses = Precompress.codings(site.compression()) != 0 && compressible.test(path);
      int order = ListingOrder.codings(request);
      int codings = ContentNegotiation.IDENTITY;
      if (site.precompressed()) {
        codings |= siblings(path, original, dependence);
      }
      boolean makes = compresses && site.compression().fits(original.sizeBytes);
      int made = makes ? Precompress.codings(site.compression()) & ~codings : 0;
      codings |= made;

      FileVariant variant = null;
      int wanted = ContentNegotiation.first(order, codings);
      while (variant == null && wanted > ContentNegotiation.IDENTITY && (wanted & made) == 0) {
        variant = sibling(path, FileCoding.of(wanted), original, dependence);
        if (variant == null) {
          codings &= ~wanted;
          wanted = ContentNegotiation.first(order, codings);
        }
      }
      if (variant == null) {
        handedOver = true;
        FileReader.Result result = read(path, opened, dependence);
        FileBody body = result.body();
        if (body == null) {
          return refusal(result.errno(), dependence);
        }
        original = body.version();
        if ((wanted & made) != 0) {
          variant = compressed(body, FileCoding.of(wanted));
          codings = variant == null ? codings & ~made : codings;
        }
        if (variant == null) {
          variant = FileVariant.stored(FileCoding.IDENTITY, body, null, site.tags());
        }
      }
      SiteAnswer.Keep keep = keep(variant, dependence);
      if (keep == SiteAnswer.Keep.ONCE) {
        dependence.giveUp();
      }
      boolean vary = site.precompressed() || compresses;
      return new SiteAnswer.Content(
          path, original, variant, codings, vary, keep, false, dependence.ticket());
    } finally {
      if (!handedOver) {
        handle.close();
      }
    }
  }

  private static SiteAnswer.Keep keep(FileVariant variant, FileDependence dependence) {
    WatchTicket ticket = dependence.ticket();
    if (ticket != null) {
      return ticket.fallen() ? SiteAnswer.Keep.ONCE : SiteAnswer.Keep.WATCHED;
    }
    boolean comparable = variant.stream() == null && variant.validators().settled(); // by a statx
    return dependence.mayRevalidate() && comparable
        ? SiteAnswer.Keep.REVALIDATE
        : SiteAnswer.Keep.ONCE;
  }

  /// Reads `opened`, which is already being watched. If the file changes during the read, its path
  /// is opened again.
  private FileReader.Result read(
      SitePath path, SiteFiles.Opened opened, FileDependence dependence) {
    SiteFiles.Opened at = opened;
    for (int attempt = 1; ; attempt++) {
      FileHandle handle = at.handle();
      if (handle == null) {
        return FileReader.Result.failed(at.errno());
      }
      FileReader.Result result = reader.read(handle, site.cacheableBytes());
      if (result.errno() != Errno.ESTALE || attempt == MOST_ATTEMPTS) {
        return result;
      }
      reader.backOff(attempt);
      at = open(path, dependence);
      dependence.onFile(path, at);
    }
  }

  /// Returns a mask of the codings for which a precompressed sibling of the original seems to
  /// exist. Siblings are usually not opened here, so only a request for a coding detects if its
  /// sibling can be read.
  private int siblings(SitePath path, FileStatus original, FileDependence dependence) {
    int codings = 0;
    FileStatus status = new FileStatus();
    for (FileCoding coding : SIBLINGS) {
      SitePath sibling = path.withSuffix(coding.suffix());
      dependence.on(sibling);
      int errno = -files.entryStatus(sibling, status);
      if (errno != 0) {
        shortage(errno, dependence);
      } else if (status.isSymlink()) { // its target can change unwatched
        dependence.giveUp();
        codings |= coding.bit();
      } else if (status.isRegular()
          && (!status.modifiedBefore(original) || renewed(sibling, original, dependence))) {
        codings |= coding.bit();
      }
    }
    return codings;
  }

  /// Watches a sibling that is older than the original, because it becomes valid when it is
  /// written.
  ///
  /// @return true if it was written before the watch began
  private boolean renewed(SitePath sibling, FileStatus original, FileDependence dependence) {
    SiteFiles.Opened opened = open(sibling, dependence);
    try (FileHandle handle = opened.handle()) {
      if (handle == null) {
        shortage(opened.errno(), dependence);
        return false;
      }
      dependence.onFile(sibling, opened);
      FileStatus now = new FileStatus();
      return handle.status(now) == 0 && now.isRegular() && !now.modifiedBefore(original);
    }
  }

  /// Reads the sibling in the given coding.
  ///
  /// @return the sibling, or null if it cannot be read or is older than the original
  private @Nullable FileVariant sibling(
      SitePath path, FileCoding coding, FileStatus original, FileDependence dependence) {
    SitePath sibling = path.withSuffix(coding.suffix());
    SiteFiles.Opened opened = open(sibling, dependence);
    FileHandle handle = opened.handle();
    if (handle == null) {
      shortage(opened.errno(), dependence);
      return null;
    }
    if (!opened.status().isRegular()) {
      handle.close();
      return null;
    }
    dependence.onFile(sibling, opened);
    FileBody body = read(sibling, opened, dependence).body();
    if (body == null) {
      return null;
    }
    if (body.version().modifiedBefore(original)) {
      body.discard();
      return null;
    }
    return FileVariant.stored(coding, body, sibling, site.tags());
  }

  /// Handles a sibling that could not be examined because a resource was exhausted. Since the
  /// sibling may exist, an answer without it must not be cached.
  private static void shortage(int errno, FileDependence dependence) {
    if (FileErrors.passes(errno)) {
      dependence.giveUp();
      dependence.onlyByWatching();
    }
  }

  /// Compresses `body`.
  ///
  /// @return the compressed file, or null if the result is not smaller; otherwise, and if an
  ///   exception is thrown, `body` is discarded
  private @Nullable FileVariant compressed(FileBody body, FileCoding coding) {
    Block plain = body.block();
    if (plain == null || !site.compression().fits(plain.lengthBytes())) {
      return null;
    }
    boolean isPlainKept = false;
    try {
      Precompress.Compressed made =
          Precompress.compress(coding, plain.segment(), site.compression(), memory);
      isPlainKept = made == null;
      return made == null ? null : FileVariant.made(made, body, site.tags());
    } finally {
      if (!isPlainKept) {
        body.discard();
      }
    }
  }

  private static SiteAnswer refusal(int errno, FileDependence dependence) {
    int status = FileErrors.status(errno);
    // Temporary errors must not be cached.
    return new SiteAnswer.Refusal(
        status, Errno.name(errno), status < 500 ? dependence.ticket() : null);
  }
}
