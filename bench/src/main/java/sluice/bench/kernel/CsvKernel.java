package sluice.bench.kernel;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.function.IntToLongFunction;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/// Parses a table with Commons CSV. Owned by the thread that runs it.
public final class CsvKernel implements IntToLongFunction {
  private static final int ROWS = 200;

  private final String table;

  /// Makes the table.
  public CsvKernel() {
    StringBuilder text = new StringBuilder("number,name,remark\n");
    for (int i = 0; i < ROWS; i++) {
      text.append(i).append(",name ").append(i).append(",\"a remark, \"\"quoted\"\"\"\n");
    }
    table = text.toString();
  }

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      try (CSVParser parser = CSVParser.parse(new StringReader(table), CSVFormat.DEFAULT)) {
        for (CSVRecord row : parser) {
          sum += row.get(0).length() + row.get(2).length();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sum;
  }
}
