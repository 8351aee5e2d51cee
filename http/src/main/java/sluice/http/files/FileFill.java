package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.loop.sockets.DescriptorShortage;
import sluice.memory.Account;
import sluice.memory.Block;
import sluice.sys.Errno;

/// From a canonical path to its [SiteAnswer]: resolves, opens, reads, compresses.
///
/// Called by slow-path threads, any number at a time; it waits for the disk. One instance per loop,
/// because the tickets it makes belong to that loop's [WatchTable].
///
/// Order of a fill, which is what makes its result one version of each file (see `FileReader`) and
/// its ticket complete: make a ticket → link it to the name → open → watch the inode → read. The
/// owner drains after it received the answer and keeps it only when the ticket has not fallen.
public final class FileFill {
  private static final int MOST_ATTEMPTS = 8;

  /// Listings made at one time.
  private static final int MOST_LISTINGS = 2;

  private static final List<FileCoding> SIBLINGS =
      List.of(FileCoding.BROTLI, FileCoding.ZSTD, FileCoding.GZIP);

  private final Site site;
  private final SiteFiles files;
  private final @Nullable WatchTable watches;
  private final Account memory;
  private final Predicate<SitePath> compressible;
  private final FileReader reader;

  /// A listing of a large directory takes megabytes and long: those that are asked for by many
  /// paths at once, such as `/d/` and `/d/./`, wait for each other.
  private final Semaphore listings = new Semaphore(MOST_LISTINGS);

  private final List<byte[]> indexes;

  /// @param watches null where nothing can be watched
  /// @param memory charged for every block
  /// @param compressible whether the media type of a path is worth compressing
  public FileFill(
      Site site,
      SiteFiles files,
      @Nullable WatchTable watches,
      Account memory,
      Predicate<SitePath> compressible) {
    this(site, files, watches, memory, compressible, new FileReader(memory, FileClock.SYSTEM));
  }

  /// For tests that bring their own clock.
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

  /// What the site holds under `path` now: at some moment after this call began.
  public SiteAnswer answer(SitePath path) {
    if (site.hides(path)) {
      return new SiteAnswer.Refusal(403, "hidden by the site's rules", null);
    }
    FileDependence dependence = new FileDependence(watches);
    boolean handedOver = false;
    try {
      SiteAnswer answer = resolve(path, dependence);
      handedOver = answer.ticket() != null;
      return answer;
    } finally {
      if (!handedOver) {
        dependence.giveUp();
      }
    }
  }

  private SiteAnswer resolve(SitePath path, FileDependence dependence) {
    SiteFiles.Opened opened = open(path, dependence);
    FileHandle handle = opened.handle();
    FileStatus status = new FileStatus();
    if (handle == null) {
      boolean searchable =
          opened.errno() == Errno.EACCES && files.status(path, status) == 0 && status.isDirectory();
      return searchable ? directory(path, dependence) : refusal(opened.errno(), dependence);
    }
    boolean kept = false;
    try {
      int errno = handle.status(status);
      if (errno != 0) {
        return refusal(-errno, dependence);
      }
      if (status.isRegular()) {
        kept = true;
        return path.trailingSlash()
            ? closing(handle, refusal(Errno.ENOTDIR, dependence))
            : content(path, opened, dependence);
      }
    } finally {
      if (!kept) {
        handle.close();
      }
    }
    return directory(path, dependence);
  }

  /// Opens, after making the answer depend on the path. A link can change where no watch is.
  private SiteFiles.Opened open(SitePath path, FileDependence dependence) {
    dependence.on(path);
    SiteFiles.Opened opened = files.open(path);
    DescriptorShortage.report(opened.errno());
    if (opened.symlink()) {
      dependence.giveUp();
    }
    return opened;
  }

  private static SiteAnswer closing(FileHandle handle, SiteAnswer answer) {
    handle.close();
    return answer;
  }

  private SiteAnswer directory(SitePath path, FileDependence dependence) {
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
      FileStatus status = new FileStatus();
      if (handle.status(status) == 0 && status.isRegular()) {
        if (i > 0) {
          dependence
              .onlyByWatching(); // a better index may appear, which no statx of this one shows
        }
        return content(index, opened, dependence);
      }
      handle.close();
    }
    if (!site.listing()) {
      return new SiteAnswer.Refusal(403, "a directory without index", dependence.ticket());
    }
    return listing(path, dependence);
  }

  private SiteAnswer listing(SitePath path, FileDependence dependence) {
    listings.acquireUninterruptibly();
    try {
      SiteFiles.Filter filter = DirectoryListing.filter(path, site);
      SiteFiles.Listed listed = files.list(path, DirectoryListing.MOST_ENTRIES, filter);
      if (listed.errno() != 0) {
        DescriptorShortage.report(listed.errno());
        return refusal(listed.errno(), dependence);
      }
      return new SiteAnswer.Listing(DirectoryListing.html(path, listed));
    } finally {
      listings.release();
    }
  }

  /// The file itself and its variants. Closes what was opened, or hands it over.
  private SiteAnswer content(SitePath path, SiteFiles.Opened opened, FileDependence dependence) {
    List<FileVariant> variants = new ArrayList<>(4);
    boolean complete = false;
    try {
      FileReader.Result result = read(path, opened, dependence);
      FileBody body = result.body();
      if (body == null) {
        return refusal(result.errno(), dependence);
      }
      variants.add(FileVariant.stored(FileCoding.IDENTITY, body, null, site.tags()));
      boolean worthwhile = compressible.test(path);
      if (site.precompressed()) {
        addSiblings(path, body.version(), variants, dependence);
      }
      if (worthwhile && site.gzipLevel() > 0) {
        addGzip(body, variants);
      }
      SiteAnswer.Keep keep = keep(variants, dependence);
      if (keep == SiteAnswer.Keep.ONCE) {
        dependence.giveUp();
      }
      boolean vary = site.precompressed() || (worthwhile && site.gzipLevel() > 0);
      complete = true;
      return new SiteAnswer.Content(
          path, body.version(), variants, vary, keep, dependence.ticket());
    } finally {
      if (!complete) {
        variants.forEach(FileVariant::close);
      }
    }
  }

  private SiteAnswer.Keep keep(List<FileVariant> variants, FileDependence dependence) {
    WatchTicket ticket = dependence.ticket();
    if (ticket != null) {
      return ticket.fallen() ? SiteAnswer.Keep.ONCE : SiteAnswer.Keep.WATCHED;
    }
    boolean comparable = true; // by a statx alone
    for (FileVariant variant : variants) {
      comparable &= variant.stream() == null && variant.validators().settled();
    }
    return dependence.mayRevalidate() && comparable
        ? SiteAnswer.Keep.REVALIDATE
        : SiteAnswer.Keep.ONCE;
  }

  /// Reads what `opened` holds, opening again when the file is changed meanwhile.
  private FileReader.Result read(
      SitePath path, SiteFiles.Opened opened, FileDependence dependence) {
    SiteFiles.Opened at = opened;
    for (int attempt = 1; ; attempt++) {
      FileHandle handle = at.handle();
      if (handle == null) {
        return FileReader.Result.failed(at.errno());
      }
      dependence.onFile(path, at);
      FileReader.Result result = reader.read(handle, site.cacheableBytes());
      if (result.errno() != Errno.ESTALE || attempt == MOST_ATTEMPTS) {
        return result;
      }
      reader.backOff(attempt);
      at = open(path, dependence);
    }
  }

  private void addSiblings(
      SitePath path, FileStatus original, List<FileVariant> variants, FileDependence dependence) {
    for (FileCoding coding : SIBLINGS) {
      SitePath sibling = path.withSuffix(coding.suffix());
      SiteFiles.Opened opened = open(sibling, dependence);
      FileHandle handle = opened.handle();
      if (handle == null) {
        if (passes(opened.errno())) { // it may be there: nothing without it is kept
          dependence.giveUp();
          dependence.onlyByWatching();
        }
        continue;
      }
      FileStatus status = new FileStatus();
      if (handle.status(status) != 0 || !status.isRegular()) {
        handle.close();
        continue;
      }
      if (status.modifiedBefore(original)) {
        dependence.onFile(sibling, opened); // a write would make it fit
        handle.close();
        continue;
      }
      FileBody body = read(sibling, opened, dependence).body();
      if (body == null) {
        continue;
      }
      if (body.version().modifiedBefore(original)) {
        body.discard();
        continue;
      }
      variants.add(FileVariant.stored(coding, body, sibling, site.tags()));
    }
  }

  private void addGzip(FileBody body, List<FileVariant> variants) {
    Block plain = body.block();
    boolean hasGzip = variants.getLast().coding() == FileCoding.GZIP;
    if (plain == null || hasGzip || !Precompress.fits(plain.lengthBytes())) {
      return;
    }
    Precompress.Compressed made = Precompress.gzip(plain.segment(), site.gzipLevel(), memory);
    if (made != null) {
      variants.add(FileVariant.made(made, body, site.tags()));
    }
  }

  /// Whether an error says nothing about the file, only that something has run out.
  static boolean passes(int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM;
  }

  private static SiteAnswer refusal(int errno, FileDependence dependence) {
    int status =
        switch (errno) {
          case Errno.ENOENT, Errno.ENOTDIR, Errno.ENAMETOOLONG, Errno.ENODEV, SiteFiles.ENXIO ->
              404;
          case Errno.EACCES, Errno.EPERM, Errno.ELOOP, Errno.EXDEV -> 403;
          case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.ESTALE -> 503;
          default -> 500;
        };
    // What passes by itself must not be kept.
    return new SiteAnswer.Refusal(
        status, Errno.name(errno), status < 500 ? dependence.ticket() : null);
  }
}
