package sluice.bench.petstore;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import sluice.bench.server.SelectorCheck;
import sluice.bench.server.TomcatServer;

/// The Pet Store's application server: Tomcat, a pool of connections, and a servlet that looks up
/// one item by its key. The servlet runs on Tomcat's workers.
final class PetServer {
  /// Workers, and connections to the database: one core needs no more, and none waits for another.
  private static final int THREADS = 16;

  private PetServer() {}

  /// Arguments: `PORT DATABASE-PORT`.
  public static void main(String[] args) throws Exception {
    SelectorCheck.require();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:mariadb://127.0.0.1:" + args[1] + "/" + Database.NAME);
    config.setUsername(Database.USER);
    config.setMaximumPoolSize(THREADS);
    config.setMinimumIdle(THREADS);
    config.setReadOnly(true);
    config.addDataSourceProperty("useServerPrepStmts", "true");
    config.addDataSourceProperty("cachePrepStmts", "true");
    HikariDataSource pool = new HikariDataSource(config);
    TomcatServer.run(Integer.parseInt(args[0]), THREADS, new Items(pool));
  }

  /// `GET /item?id=N`.
  private static final class Items extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String QUERY =
        "SELECT name, description, price_cents, image FROM item WHERE id = ?";

    private final transient HikariDataSource pool;

    Items(HikariDataSource pool) {
      this.pool = pool;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException {
      int id = Integer.parseInt(request.getParameter("id"));
      byte[] xml = find(id).xml().getBytes(US_ASCII);
      response.setContentType("text/xml");
      response.setContentLength(xml.length);
      response.getOutputStream().write(xml);
    }

    private PetItem find(int id) throws ServletException {
      try (Connection connection = pool.getConnection();
          PreparedStatement statement = connection.prepareStatement(QUERY)) {
        statement.setInt(1, id);
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next()) {
            throw new ServletException("no item " + id);
          }
          return new PetItem(
              id, row.getString(1), row.getString(2), row.getInt(3), row.getString(4));
        }
      } catch (SQLException e) {
        throw new ServletException(e);
      }
    }
  }
}
