package sluice.bench.iozone;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A worker of `bench iozone`: one file system in a process of its own, so that no peer's profile
/// influences its compiled code. Runs on the main thread, one command per line on standard input
/// until its end.
///
/// `OPERATION FILE_BYTES RECORD_BYTES MILLIS SYNC [SLICES]` is answered by `ok NANOSECONDS
/// CPU_NANOSECONDS`, each per record, or `error WHAT`. Arguments: `filechannel FOLDER [aligned]`,
/// or `tree KIND IMAGE DEVICE_BYTES CACHE_BYTES`.
final class IozoneMain {
  private IozoneMain() {}

  public static void main(String[] arguments) throws IOException {
    try (IozoneTarget target = target(arguments);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      System.out.println("ready");
      IozonePasses passes = new IozonePasses(target);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(answer(passes, line));
      }
      if (target instanceof IozoneTree tree && tree.seen() == 42) {
        System.err.println("42");
      }
    }
  }

  private static IozoneTarget target(String[] arguments) throws IOException {
    if (arguments[0].equals("filechannel")) {
      return new IozoneChannel(Path.of(arguments[1]), arguments.length > 2);
    }
    Path image = Path.of(arguments[2]);
    return IozoneTree.of(
        arguments[1], image, Long.parseLong(arguments[3]), Long.parseLong(arguments[4]));
  }

  static String answer(IozonePasses passes, String line) {
    try {
      return "ok " + passes.measure(parse(line));
    } catch (IOException | RuntimeException e) {
      return ("error " + e).replace('\n', ' ');
    }
  }

  private static IozonePasses.Request parse(String line) {
    String[] words = line.strip().split(" +", -1);
    long file = Long.parseLong(words[1]);
    int record = Integer.parseInt(words[2]);
    if (record <= 0
        || record > IozoneTarget.MAX_RECORD_BYTES
        || file < record
        || file % record != 0) {
      throw new IllegalArgumentException("impossible sizes: " + line);
    }
    return new IozonePasses.Request(
        IozoneOperation.of(words[0]),
        file,
        record,
        Long.parseLong(words[3]),
        words[4].equals("1"),
        words.length > 5 && words[5].equals("1"));
  }
}
