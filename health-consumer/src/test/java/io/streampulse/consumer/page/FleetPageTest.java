package io.streampulse.consumer.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetPageTest {
  private static final Instant NOW = Instant.parse("2026-11-30T11:20:23.123Z");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final SampleFleet fleet = new SampleFleet(1, 12, NOW);

  @Test
  void servedPageNamesOnlyFilesBesideIt() {
    String page = new String(FleetPage.served(), StandardCharsets.UTF_8);

    assertThat(found("(?:src|href)=\"([^\"]*)\"", page))
        .filteredOn(link -> !link.startsWith("#") && !link.startsWith("data:"))
        .containsExactly("uPlot.min.css", "page.css", "uPlot.iife.min.js", "page.js");
    assertThat(FleetPage.assets())
        .containsOnlyKeys("uPlot.min.css", "page.css", "uPlot.iife.min.js", "page.js");
    assertThat(page).doesNotContain("<style", "style=", "onclick");
  }

  @Test
  void reportAsksForNothingElse() throws IOException {
    String page = report(fleet.json(), fleet.details());

    assertThat(found("<[a-z]+[^>]* (?:src|href|action)=\"([^\"]*)\"", page))
        .allMatch(link -> link.startsWith("#") || link.equals("data:,"));
    // A licence's and a namespace's, neither of which is asked for.
    assertThat(found("https?://[^\\s\"'<)]*", page))
        .isSubsetOf("https://github.com/leeoniya/uPlot", "http://www.w3.org/2000/svg");
    assertThat(page).doesNotContain("@import", "url(");
  }

  @Test
  void reportAllowsItsOwnScriptsAndStylesAlone() throws Exception {
    String page = report(fleet.json(), fleet.details());
    String policy =
        found("http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"", page).get(0);

    assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe", "'self'", "*");
    for (String kind : List.of("script", "style")) {
      List<String> blocks = found("(?s)<" + kind + ">(.*?)</" + kind + ">", page);
      assertThat(blocks).hasSize(2);
      for (String block : blocks) {
        assertThat(policy).contains(sha256(block));
      }
    }
  }

  @Test
  void dataThatIsMarkupStaysData() throws IOException {
    ObjectNode json = fleet.json();
    json.put("outage", "</script><script>alert(1)</script><!--\u2028\u2029");
    String page = report(json, Map.of("\"><script>", fleet.details().values().iterator().next()));

    String data =
        found("(?s)<script type=\"application/json\" id=\"fleet\">(.*?)</script>", page).get(0);
    assertThat(MAPPER.readTree(data)).isEqualTo(MAPPER.readTree(json.toString()));
    assertThat(page)
        .contains(" data-query=\"&quot;>&lt;script>\"")
        .doesNotContain("\u2028", "\u2029");
    assertThat(data).doesNotContain("<");
  }

  @Test
  void neverMakesMarkupOfData() {
    String script = new String(FleetPage.assets().get("page.js"), StandardCharsets.UTF_8);

    assertThat(script)
        .doesNotContain(
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc");
  }

  @Test
  void shortHistoriesAreWhole() throws IOException {
    Map.Entry<String, ObjectNode> one = fleet.details().entrySet().iterator().next();
    JsonNode detail = detail(report(fleet.json(), Map.ofEntries(one)));

    assertThat(detail.get("series").get("t").toString())
        .isEqualTo(one.getValue().get("series").get("t").toString());
    assertThat(detail.has("every")).isFalse();
  }

  @Test
  void reportOfAThousandQueriesIsSmallEnoughToSend() throws IOException {
    SampleFleet large = new SampleFleet(1, 1000, NOW);
    String page = report(large.json(), large.details());

    assertThat(page.getBytes(StandardCharsets.UTF_8).length).isLessThan(10_000_000);
    JsonNode detail = detail(page);
    JsonNode series = detail.get("series");
    JsonNode whole = large.details().values().iterator().next().get("series");
    assertThat(detail.get("every").asInt()).isEqualTo(6);
    assertThat(series.get("t")).hasSize(40);
    assertThat(series.get("t").get(39).asLong()).isEqualTo(whole.get("t").get(239).asLong());
    assertThat(series.get("t").get(38).asLong()).isEqualTo(whole.get("t").get(233).asLong());
    assertThat(series.get("phases").get("addBatch")).hasSize(40);
  }

  @Test
  void reportIsWrittenToAFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("fleet.html");

    FleetPage.writeReport(file, fleet.json(), fleet.details());

    assertThat(file).hasContent(report(fleet.json(), fleet.details()));
    assertThat(Files.readString(file)).startsWith("<!doctype html>").endsWith("</html>\n");
  }

  private static String report(ObjectNode json, Map<String, ObjectNode> details)
      throws IOException {
    StringWriter out = new StringWriter();
    FleetPage.writeReport(out, json, details);
    return out.toString();
  }

  private static JsonNode detail(String page) throws IOException {
    return MAPPER.readTree(found("(?s)data-query=\"[^\"]*\">(.*?)</script>", page).get(0));
  }

  private static List<String> found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.results().map(found -> found.group(matcher.groupCount())).toList();
  }

  private static String sha256(String text) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
  }
}
