package io.streampulse.consumer.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page that shows the fleet: as served, where it asks for its data, and as a report in one file
 * that has its data and asks for nothing.
 *
 * <p>All methods may be called from any thread.
 */
public final class FleetPage {
  /** What a page may do besides its own scripts and styles: nothing. */
  static final String POLICY =
      "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  /** How many points of history a report holds at most, over all queries: some 5 MB. */
  static final int REPORT_POINTS = 40_000;

  private static final int FEWEST_POINTS = 24;
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
  private static final String OWN = "/io/streampulse/page/";

  // In the order in which they take effect.
  private static final List<String> STYLES = List.of("uPlot.min.css", "page.css");
  private static final List<String> SCRIPTS = List.of("uPlot.iife.min.js", "page.js");

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private FleetPage() {}

  /** The files that the served page names, by their names, beside the page itself. */
  static Map<String, byte[]> assets() {
    return Stream.concat(STYLES.stream(), SCRIPTS.stream())
        .collect(Collectors.toMap(name -> name, FleetPage::resource));
  }

  /** The served page. Names are relative, so that it works below any path of a proxy. */
  static byte[] served() {
    StringBuilder head = new StringBuilder();
    for (String name : STYLES) {
      head.append("<link rel=\"stylesheet\" href=\"").append(name).append("\">\n");
    }
    for (String name : SCRIPTS) {
      head.append("<script src=\"").append(name).append("\" defer></script>\n");
    }
    return page(head.toString(), "").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Writes the report to a file in UTF-8, which is replaced.
   *
   * @see #writeReport(Writer, ObjectNode, Map)
   * @throws IOException if the file can't be written
   */
  public static void writeReport(Path file, ObjectNode fleet, Map<String, ObjectNode> details)
      throws IOException {
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      writeReport(out, fleet, details);
    }
  }

  /**
   * Writes the page with its data as one file. Long histories of many queries are thinned, which
   * the page says; events and the latest record are whole.
   *
   * @param out where to; it is left open. What encodes must encode as UTF-8
   * @param fleet what {@link FleetJson} gives
   * @param details histories by query id; queries without one are shown without charts
   * @throws IOException if {@code out} can't be written
   */
  public static void writeReport(Writer out, ObjectNode fleet, Map<String, ObjectNode> details)
      throws IOException {
    StringBuilder styles = new StringBuilder();
    StringBuilder styleHashes = new StringBuilder();
    for (String name : STYLES) {
      String text = text(name);
      styles.append("<style>").append(text).append("</style>\n");
      styleHashes.append(' ').append(hash(text));
    }
    StringBuilder scripts = new StringBuilder();
    StringBuilder scriptHashes = new StringBuilder();
    for (String name : SCRIPTS) {
      String text = text(name);
      scripts.append("<script>").append(text).append("</script>\n");
      scriptHashes.append(' ').append(hash(text));
    }
    String policy =
        "<meta http-equiv=\"Content-Security-Policy\" content=\"%s; style-src%s; script-src%s\">\n"
            .formatted(POLICY, styleHashes, scriptHashes);

    String page = page(policy + styles, "<!--data-->");
    int data = page.indexOf("<!--data-->");
    out.append(page, 0, data);
    out.append("<script type=\"application/json\" id=\"fleet\">")
        .append(json(fleet))
        .append("</script>\n");
    int points = Math.max(FEWEST_POINTS, REPORT_POINTS / Math.max(1, details.size()));
    for (Map.Entry<String, ObjectNode> query : details.entrySet()) {
      out.append("<script type=\"application/json\" data-query=\"")
          .append(attribute(query.getKey()))
          .append("\">")
          .append(json(thinned(query.getValue(), points)))
          .append("</script>\n");
    }
    out.append(scripts).append(page, data + "<!--data-->".length(), page.length());
  }

  private static String page(String head, String body) {
    return text("index.html").replace("<!--head-->\n", head).replace("<!--body-->\n", body);
  }

  /** JSON that can't end the element it stands in, nor a line of script. */
  private static String json(JsonNode node) {
    try {
      return MAPPER
          .writeValueAsString(node)
          .replace("<", "\\u003c")
          .replace("\u2028", "\\u2028")
          .replace("\u2029", "\\u2029");
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String attribute(String text) {
    return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }

  /** Every n-th point, the last one always. */
  private static ObjectNode thinned(ObjectNode detail, int points) {
    int length = detail.path("series").path("t").size();
    int every = Math.max(1, (length + points - 1) / points);
    ObjectNode thinned = JsonNodeFactory.instance.objectNode();
    thinned.setAll(detail);
    if (length > 0) {
      thinned.set("series", thinned(detail.get("series"), length, every));
    }
    if (every > 1) {
      thinned.put("every", every);
    }
    return thinned;
  }

  private static JsonNode thinned(JsonNode series, int length, int every) {
    ObjectNode thinned = JsonNodeFactory.instance.objectNode();
    series
        .properties()
        .forEach(
            entry -> {
              JsonNode value = entry.getValue();
              if (value.isObject()) {
                thinned.set(entry.getKey(), thinned(value, length, every));
              } else {
                boolean exact = entry.getKey().equals("t");
                ArrayNode kept = thinned.putArray(entry.getKey());
                for (int i = (length - 1) % every; i < value.size(); i += every) {
                  kept.add(exact ? value.get(i) : FleetJson.rounded(value.get(i)));
                }
              }
            });
    return thinned;
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(String name) {
    return new String(resource(name), StandardCharsets.UTF_8);
  }

  private static byte[] resource(String name) {
    String path = (name.startsWith("uPlot") ? UPLOT : OWN) + name;
    try (InputStream in = FleetPage.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("this jar has no " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
