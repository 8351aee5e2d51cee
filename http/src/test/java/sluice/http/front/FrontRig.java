package sluice.http.front;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import sluice.http.parse.HttpLimits;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// A connection between a client and an application with a tracker in between, which answers what
/// begins with `/s` by `<TARGET>` as soon as it may.
final class FrontRig {
  private static final HttpLimits LIMITS = new HttpLimits(256, 1024, 20, 16);

  private final ViewBinder binder = new ViewBinder(Thread.currentThread());
  final FrontTracker tracker =
      new FrontTracker(new HttpParser(LIMITS), new HttpRequest(LIMITS), null);
  final ByteArrayOutputStream toApplication = new ByteArrayOutputStream();
  final ByteArrayOutputStream toClient = new ByteArrayOutputStream();
  private byte[] held = {};

  void client(byte[] bytes) {
    byte[] joined = Arrays.copyOf(held, held.length + bytes.length);
    System.arraycopy(bytes, 0, joined, held.length, bytes.length);
    held = joined;
    pump();
  }

  void application(byte[] bytes) {
    View view = binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    tracker.replied(view, 0, bytes.length);
    binder.unbind();
    toClient.writeBytes(bytes);
    pump();
  }

  /// Bytes of the client that wait.
  int held() {
    return held.length;
  }

  private void pump() {
    View view = binder.bind(MemorySegment.ofArray(held), 0, held.length);
    int at = 0;
    boolean goesOn = true;
    while (goesOn && at < held.length) {
      int used = 0;
      switch (tracker.look(view, at, held.length)) {
        case REQUEST -> used = request(view, at);
        case BODY -> {
          used = tracker.bytes();
          pass(at, used);
          tracker.passedBody();
        }
        case OPAQUE -> {
          used = held.length - at;
          pass(at, used);
        }
        case MORE, WAIT -> {}
      }
      at += used;
      goesOn = used > 0;
    }
    binder.unbind();
    held = Arrays.copyOfRange(held, at, held.length);
  }

  private int request(View view, int at) {
    HttpRequest request = tracker.request();
    String target = view.latin1(request.targetFrom(), request.targetTo());
    if (!target.startsWith("/s") || !tracker.isAnswerable()) {
      int used = tracker.pass();
      pass(at, used);
      return used;
    }
    if (!tracker.mayAnswer()) {
      return 0;
    }
    int used = tracker.answer();
    toClient.writeBytes(("<" + target + ">").getBytes(StandardCharsets.ISO_8859_1));
    return used;
  }

  private void pass(int at, int count) {
    toApplication.write(held, at, count);
  }
}
