package sluice.fs;

import java.io.IOException;
import sluice.fs.FrameClaims.Purpose;

/// A transaction that is all or nothing over a crash. Of one thread.
final class Jbd2Transaction extends FrameTransaction {
  private final Jbd2Journal journal;

  /// Blocks it was promised.
  private int credits;

  Jbd2Transaction(Jbd2Journal journal, FrameClaims claims) {
    super(claims);
    this.journal = journal;
  }

  void credit(int blocks) {
    credits += blocks;
  }

  @Override
  public Buffer change(long block) throws IOException {
    return log(block, false);
  }

  @Override
  public Buffer create(long block) throws IOException {
    return log(block, true);
  }

  private Buffer log(long block, boolean fresh) throws IOException {
    Frame frame = claim(block, fresh, Purpose.LOGGED);
    Buffer buffer = buffer(frame);
    journal.changed(block);
    return buffer;
  }

  @Override
  public Buffer data(long block, boolean fresh) throws IOException {
    Frame frame = claim(block, fresh, Purpose.CONTENT);
    Buffer buffer = buffer(frame);
    if (frame.held) {
      journal.changed(block); // was changed as metadata: it stays with the log
    } else {
      journal.content(block);
    }
    return buffer;
  }

  @Override
  public void forget(long block) {
    checkOpen();
    journal.freed(block, false);
    claims.forget(block);
  }

  @Override
  public void forgetData(long block) {
    checkOpen();
    // The frame stays as it is until this is stable: if it never is, the file still has the block,
    // and an earlier transaction may have promised its content.
    journal.freed(block, true);
  }

  @Override
  void ended(long stamp) {
    int unused = credits;
    credits = 0;
    journal.ended(stamp, unused);
  }
}
