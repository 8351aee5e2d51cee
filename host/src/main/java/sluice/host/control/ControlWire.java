package sluice.host.control;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The protocol of control requests and the path of the socket. This class is stateless.
///
/// ```
/// request: VERB LF ARGUMENT end of output
/// answer:  "done" or "refused", then LF LINE for each line; end of output
/// ```
///
/// Both are encoded in UTF-8. The argument consists of all remaining bytes, so it may contain any
/// character.
final class ControlWire {
  static final int REQUEST_BYTES = 64 << 10;
  private static final int ANSWER_BYTES = 1 << 20;
  private static final String DONE = "done";
  private static final String REFUSED = "refused";
  static final String SUFFIX = ".control";

  private ControlWire() {}

  /// Returns the path of the socket of a process, which is in the directory of its counters file.
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

  /// Reads until the peer closes its output.
  ///
  /// @throws IOException if the peer sends more bytes than the limit
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

  /// Receives an answer.
  ///
  /// @throws IOException if the peer closes the connection without an answer or does not send a
  ///   valid answer
  static ControlAnswer receiveAnswer(SocketChannel channel) throws IOException {
    List<String> lines = new ArrayList<>(receive(channel, ANSWER_BYTES).lines().toList());
    String first = lines.isEmpty() ? "" : lines.removeFirst();
    if (!first.equals(DONE) && !first.equals(REFUSED)) {
      throw new IOException(first.isEmpty() ? "it ended" : "it does not speak this protocol");
    }
    return new ControlAnswer(first.equals(DONE), lines);
  }
}
