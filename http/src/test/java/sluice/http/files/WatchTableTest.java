package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.http.site.SitePath;

class WatchTableTest {
  private final FileMemory files = new FileMemory();
  private final List<WatchTicket> fell = new ArrayList<>();
  private WatchTable table;

  @BeforeEach
  void publish() {
    files.write("a/b/f", "1");
    files.write("a/b/g", "1");
    files.write("a/c/h", "1");
    table = WatchTable.alone(files, 100);
  }

  private WatchTicket watched(String path) {
    WatchTicket ticket = table.ticket();
    SitePath at = SitePath.of(path);
    assertThat(table.cover(ticket, at)).isTrue();
    FileHandle handle = files.open(at).handle();
    if (handle != null) {
      assertThat(table.watchFile(ticket, at, handle.fd())).isTrue();
      handle.close();
    }
    return ticket;
  }

  private void drain() {
    fell.clear();
    table.drain(fell::add);
  }

  @Test
  void nothingChangedNothingFalls() {
    WatchTicket ticket = watched("a/b/f");
    drain();
    assertThat(ticket.fallen()).isFalse();
    assertThat(fell).isEmpty();
    assertThat(files.open).isEmpty();
  }

  @Test
  void aWriteFellsItsFileOnly() {
    WatchTicket f = watched("a/b/f");
    WatchTicket g = watched("a/b/g");
    files.write("a/b/f", "2");
    drain();
    assertThat(fell).containsExactly(f);
    assertThat(g.fallen()).isFalse();
  }

  @Test
  void everyKindOfChangeFells() {
    List<Runnable> changes =
        List.of(
            () -> files.write("a/b/f", "2"),
            () -> files.rename("a/b/g", "a/b/f"),
            () -> files.rename("a/b/f", "a/b/x"),
            () -> files.unlink("a/b/f"),
            () -> files.chmod("a/b/f", 0),
            () -> files.chmod("a", 0700),
            () -> files.rename("a", "z"),
            () -> files.rename("a/b", "a/y"),
            () -> files.unlink("a/b"),
            files::overflow);
    for (Runnable change : changes) {
      files.root.entries.clear();
      table.dropAll();
      drain();
      files.write("a/b/f", "1");
      files.write("a/b/g", "1");
      drain();
      WatchTicket ticket = watched("a/b/f");
      drain();
      assertThat(ticket.fallen()).isFalse();
      change.run();
      drain();
      assertThat(fell).containsExactly(ticket);
    }
  }

  @Test
  void aWriteByAnotherNameFells() {
    WatchTicket ticket = watched("a/b/f");
    files.link("a/b/f", "elsewhere/f");
    drain();
    assertThat(ticket.fallen()).as("the link itself").isTrue();
    WatchTicket again = watched("a/b/f");
    files.write("elsewhere/f", "2");
    drain();
    assertThat(fell).containsExactly(again);
  }

  @Test
  void aNameThatAppearsFells() {
    WatchTicket file = watched("a/b/new");
    WatchTicket directory = watched("a/new/deep/f");
    files.write("a/b/new", "1");
    drain();
    assertThat(fell).containsExactly(file);
    files.mkdirs("a/new");
    drain();
    assertThat(fell).containsExactly(directory);
  }

  @Test
  void renamingADirectoryFellsAllBeneath() {
    WatchTicket f = watched("a/b/f");
    WatchTicket g = watched("a/b/g");
    WatchTicket h = watched("a/c/h");
    files.rename("a/b", "a/x");
    drain();
    assertThat(fell).containsExactlyInAnyOrder(f, g);
    assertThat(h.fallen()).isFalse();
    int kept = table.watches();
    assertThat(kept).as("root, a, a/c, h").isEqualTo(4).isEqualTo(files.watched.size());
    WatchTicket moved = watched("a/x/f");
    files.write("a/x/f", "2");
    drain();
    assertThat(fell).containsExactly(moved);
  }

  @Test
  void oneTicketMayDependOnSeveralNames() {
    WatchTicket ticket = table.ticket();
    for (String name : List.of("a/b/f", "a/b/f.gz", "a/b/f.br")) {
      assertThat(table.cover(ticket, SitePath.of(name))).isTrue();
    }
    files.write("a/b/f.br", "x");
    drain();
    assertThat(fell).containsExactly(ticket);
    assertThat(ticket.names).isEmpty();
  }

  @Test
  void aClosedTicketIsForgotten() {
    WatchTicket ticket = watched("a/b/f");
    ticket.close();
    ticket.close();
    files.write("a/b/f", "2");
    drain();
    assertThat(fell).isEmpty();
    assertThat(table.watches()).as("root, a, a/b stay").isEqualTo(3);
  }

  @Test
  void aFallenTicketCoversNothingMore() {
    WatchTicket ticket = watched("a/b/f");
    files.write("a/b/f", "2");
    drain();
    assertThat(table.cover(ticket, SitePath.of("a/b/g"))).isFalse();
    FileHandle handle = requireNonNull(files.open(SitePath.of("a/b/f")).handle());
    assertThat(table.watchFile(ticket, SitePath.of("a/b/f"), handle.fd())).isFalse();
    handle.close();
  }

  @Test
  void aDirectorySwappedWhileItIsBeingWatchedIsNoticed() {
    files.write("x/b/f", "other");
    files.at(
        FileMemory.Step.BEFORE_WATCH,
        () -> {
          files.rename("a", "old");
          files.rename("x", "a");
        });
    WatchTicket ticket = table.ticket();
    assertThat(table.cover(ticket, SitePath.of("a/b/f"))).isTrue();
    drain();
    assertThat(ticket.fallen()).as("the swap was queued behind the root's watch").isTrue();
  }

  @Test
  void aSwapThatWasDrainedInBetweenIsLookedAtAgain() {
    files.write("x/b/f", "other");
    files.at(
        FileMemory.Step.BEFORE_WATCH,
        () -> {
          files.rename("a", "old");
          files.rename("x", "a");
          drain();
        });
    WatchTicket ticket = table.ticket();
    assertThat(table.cover(ticket, SitePath.of("a/none"))).isTrue();
    drain();
    assertThat(ticket.fallen()).isFalse();
    files.write("a/none", "1"); // in the directory that took the place
    drain();
    assertThat(fell).containsExactly(ticket);
  }

  @Test
  void aDirectoryThatAppearedAndWasDrainedInBetweenIsLookedAtAgain() {
    watched("a/x");
    drain();
    files.at(
        FileMemory.Step.BEFORE_WATCH,
        () -> {
          files.write("a/new/f", "1");
          drain();
        });
    WatchTicket ticket = table.ticket();
    assertThat(table.cover(ticket, SitePath.of("a/new/f"))).isTrue();
    drain();
    assertThat(ticket.fallen()).isFalse();
    files.unlink("a/new/f");
    drain();
    assertThat(fell).containsExactly(ticket);
  }

  @Test
  void whatInotifyCannotSeeIsRefused() {
    FileMemory.Inode mounted = files.mkdirs("nfs");
    mounted.blind = true;
    files.write("nfs/f", "1");
    files.symlink("link", "a/b");
    assertThat(table.cover(table.ticket(), SitePath.of("nfs/f"))).isFalse();
    assertThat(table.cover(table.ticket(), SitePath.of("link/f"))).isFalse();
    assertThat(files.open).isEmpty();
    files.blind = true;
    WatchTable none = WatchTable.alone(files, 100);
    assertThat(none.blindBecause()).isNotNull();
    assertThat(none.cover(none.ticket(), SitePath.of("a/b/f"))).isFalse();
  }

  @Test
  void theOldestDirectoryGivesWay() {
    table = WatchTable.alone(files, 6);
    files.write("d/f", "1");
    files.write("e/f", "1");
    drain();
    WatchTicket d = watched("d/f");
    WatchTicket e = watched("e/f");
    watched("d/f").close();
    WatchTicket ab = watched("a/b/f");
    drain();
    assertThat(fell).containsExactly(e);
    assertThat(ab.fallen()).isFalse();
    assertThat(d.fallen()).isFalse();
    assertThat(table.watches()).isLessThanOrEqualTo(6).isEqualTo(files.watched.size());
    assertThat(table.evictions()).isEqualTo(1);
    assertThat(table.shortages()).isZero();
  }

  @Test
  void withoutWatchesLeftNothingIsCovered() {
    files.mostWatches = files.watched.size();
    assertThat(table.cover(table.ticket(), SitePath.of("a/b/f"))).isFalse();
    assertThat(table.shortages()).isEqualTo(1);
    assertThat(table.cover(table.ticket(), SitePath.of("top"))).as("needs the root only").isTrue();
    files.mostWatches++;
    assertThat(table.cover(table.ticket(), SitePath.of("a/x"))).isTrue();
    assertThat(table.watches()).isEqualTo(2);
  }

  @Test
  void manyNamesInOneDirectory() {
    table = WatchTable.alone(files, 5_000);
    files.mostWatches = 5_000;
    List<WatchTicket> tickets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      files.write("m/" + i, "1");
    }
    drain();
    for (int i = 0; i < 1000; i++) {
      tickets.add(watched("m/" + i));
    }
    for (int i = 0; i < 1000; i += 3) {
      files.unlink("m/" + i);
    }
    drain();
    for (int i = 0; i < 1000; i++) {
      assertThat(tickets.get(i).fallen()).isEqualTo(i % 3 == 0);
    }
    assertThat(table.watches()).isEqualTo(files.watched.size());
    table.dropAll();
    drain();
    assertThat(fell).hasSize(666);
    assertThat(table.watches()).isEqualTo(2); // directories keep theirs until it is needed
  }
}
