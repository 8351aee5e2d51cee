package sluice.bench.kernel;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.function.IntToLongFunction;

/// Writes and parses an array of objects with Gson. Owned by the thread that runs it.
public final class JsonKernel implements IntToLongFunction {
  private static final int OBJECTS = 50;

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      try {
        sum += read(write(i));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sum;
  }

  private static String write(int seed) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonWriter writer = new JsonWriter(text)) {
      writer.beginArray();
      for (int i = 0; i < OBJECTS; i++) {
        writer.beginObject();
        writer.name("number").value(seed + i);
        writer.name("price").value(9.5 * i);
        writer.name("text").value("a line of \"the\" order");
        writer.endObject();
      }
      writer.endArray();
    }
    return text.toString();
  }

  private static long read(String text) throws IOException {
    long sum = 0;
    try (JsonReader reader = new JsonReader(new StringReader(text))) {
      reader.beginArray();
      while (reader.hasNext()) {
        reader.beginObject();
        while (reader.hasNext()) {
          sum +=
              switch (reader.nextName()) {
                case "number" -> reader.nextLong();
                case "price" -> (long) reader.nextDouble();
                default -> reader.nextString().length();
              };
        }
        reader.endObject();
      }
      reader.endArray();
    }
    return sum;
  }
}
