package sluice.host.control;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The bytes of a request and of its answer, and the socket's place. Stateless.
///
/// ```
/// request: VERB LF ARGUMENT end of output
/// answer:  "done" or "refused", then LF LINE for each line; end of output
/// ```
///
/// Both are UTF-8. The argument is the rest of the bytes, so a name may hold any character.
final class ControlWire {
  static final int REQUEST_BYTES = 64 << 10;
  private static final int ANSWER_BYTES = 1 << 20;
  private static final String DONE = "done";
  private static final String REFUSED = "refused";
  static final String SUFFIX = ".control";

  private ControlWire() {}

  /// The socket of a process, beside its counters file.
  static Path socketOf(Path directory, long pid) {
    return directory.resolve(pid + SUFFIX);
  }

  static void send(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    channel.shutdownOutput();
  }

  /// Reads to the end of the peer's output.
  ///
  /// @throws IOException if it sends more than the limit
  private static String receive(SocketChannel channel, int limitBytes) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    ByteBuffer piece = ByteBuffer.allocate(4096);
    while (channel.read(piece) >= 0) {
      text.write(piece.array(), 0, piece.position());
      piece.clear();
      if (text.size() > limitBytes) {
        throw new IOException("more than " + limitBytes + " bytes");
      }
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  static String receiveRequest(SocketChannel channel) throws IOException {
    return receive(channel, REQUEST_BYTES);
  }

  static String request(String verb, String argument) {
    return verb + "\n" + argument;
  }

  static void answer(SocketChannel channel, ControlAnswer answer) throws IOException {
    StringBuilder text = new StringBuilder(answer.isDone() ? DONE : REFUSED);
    answer.lines().forEach(line -> line.lines().forEach(part -> text.append('\n').append(part)));
    send(channel, text.toString());
  }

  /// @throws IOException if the peer ends before it has answered, or answers something else
  static ControlAnswer receiveAnswer(SocketChannel channel) throws IOException {
    List<String> lines = new ArrayList<>(receive(channel, ANSWER_BYTES).lines().toList());
    String first = lines.isEmpty() ? "" : lines.removeFirst();
    if (!first.equals(DONE) && !first.equals(REFUSED)) {
      throw new IOException(first.isEmpty() ? "it ended" : "it does not speak this protocol");
    }
    return new ControlAnswer(first.equals(DONE), lines);
  }
}
