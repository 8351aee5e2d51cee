package sluice.bench.petstore;

/// A row of the Pet Store's table and its XML reply. Immutable.
///
/// @param id primary key, from 1
/// @param priceCents in euro cents
record PetItem(int id, String name, String description, int priceCents, String image) {
  /// The number of items for sale.
  static final int COUNT = 10_000;

  /// The rows per statement: mariadbd accepts 20 000 characters per statement from its start-up
  /// file.
  private static final int ROWS_PER_STATEMENT = 50;

  private static final String TABLE =
      "CREATE TABLE item (id INT NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL,"
          + " description VARCHAR(400) NOT NULL, price_cents INT NOT NULL,"
          + " image VARCHAR(100) NOT NULL) ENGINE=InnoDB";

  /// Returns the item with a number, the same on every machine.
  static PetItem numbered(int id) {
    String description =
        "A friendly animal, number %d of its litter, with %d spots and a voice that carries %d m."
            .formatted(id % 9 + 1, id * 31 % 101, id * 17 % 400);
    String image = "/images/pets/" + id % 100 + "/" + id + ".jpg";
    return new PetItem(id, "Pet " + id, description, 1000 + id * 37 % 90_000, image);
  }

  /// Returns the statements that create and fill the table, each on a line short enough for
  /// `--init-file`.
  static String script() {
    StringBuilder sql = new StringBuilder(TABLE);
    for (int id = 1; id <= COUNT; id++) {
      PetItem item = numbered(id);
      sql.append(id % ROWS_PER_STATEMENT == 1 ? ";\nINSERT INTO item VALUES " : ",")
          .append(
              "(%d,'%s','%s',%d,'%s')"
                  .formatted(id, item.name, item.description, item.priceCents, item.image));
    }
    return sql.append(";\n").toString();
  }

  /// Returns the reply to an Ajax client: ASCII, without characters to escape.
  String xml() {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<item><id>"
        + id
        + "</id><name>"
        + name
        + "</name><description>"
        + description
        + "</description><price>"
        + priceCents
        + "</price><image>"
        + image
        + "</image></item>\n";
  }
}
