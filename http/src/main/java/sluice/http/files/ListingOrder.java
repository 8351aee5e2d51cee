package sluice.http.files;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import sluice.http.parse.ContentNegotiation;
import sluice.http.parse.HttpRequest;

/// The order of the rows in a listing. It is selected by the query of the request, such as
/// `?sort=size`, or `?sort=-size` for descending order. Any other query selects [#NAME].
/// Directories precede files in all orders, and equal rows are ordered by name.
///
/// Immutable, so any thread may use it.
public enum ListingOrder {
  NAME(0, Column.NAME, "name"),
  NAME_DOWN(1, Column.NAME, "-name"),
  SIZE(2, Column.SIZE, "size"),
  SIZE_DOWN(3, Column.SIZE, "-size"),
  TIME(4, Column.TIME, "time"),
  TIME_DOWN(5, Column.TIME, "-time");

  /// A column of the page by which rows can be sorted.
  enum Column {
    NAME("Name"),
    SIZE("Size"),
    TIME("Changed (UTC)");

    final String title;

    Column(String title) {
      this.title = title;
    }
  }

  private static final String PARAMETER = "sort=";
  private static final int LONGEST_QUERY = PARAMETER.length() + "-size".length();
  private static final int SHIFT = 16;
  private static final int CODINGS = (1 << SHIFT) - 1;

  final Column column;
  private final int code;
  private final String value;

  ListingOrder(int code, Column column, String value) {
    this.code = code;
    this.column = column;
    this.value = value;
  }

  /// Returns the properties of a request, other than its path, that determine the answer. The low
  /// 16 bits contain [ContentNegotiation#order], and the higher bits contain the order selected by
  /// the query.
  public static int wanted(HttpRequest request) {
    int codings = ContentNegotiation.order(request);
    int length = request.queryTo() - request.queryFrom();
    if (length <= PARAMETER.length() || length > LONGEST_QUERY) {
      return codings;
    }
    String query = request.view().latin1(request.queryFrom(), request.queryTo());
    for (ListingOrder each : values()) {
      if (query.equals(PARAMETER + each.value)) {
        return codings | each.code << SHIFT;
      }
    }
    return codings;
  }

  /// Returns the part of [#wanted] that was returned by [ContentNegotiation#order].
  static int codings(int wanted) {
    return wanted & CODINGS;
  }

  static ListingOrder of(int wanted) {
    return values()[wanted >>> SHIFT];
  }

  boolean isDown() {
    return value.startsWith("-");
  }

  /// Returns the order that is requested by a click on the header of a column. The first click on
  /// names selects ascending order, and on sizes and times descending order. A second click
  /// reverses the order.
  ListingOrder after(Column clicked) {
    return switch (clicked) {
      case NAME -> this == NAME ? NAME_DOWN : NAME;
      case SIZE -> this == SIZE_DOWN ? SIZE : SIZE_DOWN;
      case TIME -> this == TIME_DOWN ? TIME : TIME_DOWN;
    };
  }

  /// Returns the link to this order, relative to the directory.
  String link() {
    return this == NAME ? "./" : "./?" + PARAMETER + value;
  }

  /// Returns the entries sorted in this order.
  ///
  /// @param entries the entries in the order of [#NAME]
  List<SiteFiles.Entry> sorted(List<SiteFiles.Entry> entries) {
    if (this == NAME) {
      return entries;
    }
    List<SiteFiles.Entry> sorted = new ArrayList<>(entries);
    if (column == Column.NAME) {
      Collections.reverse(sorted);
    }
    Comparator<SiteFiles.Entry> order =
        switch (column) {
          case NAME -> (_, _) -> 0;
          case SIZE -> Comparator.comparingLong(each -> sizeBytes(each.status()));
          case TIME -> Comparator.comparingLong(each -> each.status().modifiedSeconds);
        };
    Comparator<SiteFiles.Entry> filesLast =
        Comparator.comparing(each -> !each.status().isDirectory());
    sorted.sort(filesLast.thenComparing(isDown() ? order.reversed() : order));
    return sorted;
  }

  /// Returns the size that a row displays, or -1 if it displays none, which sorts before an empty
  /// file.
  private static long sizeBytes(FileStatus status) {
    return status.isRegular() ? status.sizeBytes : -1;
  }
}
