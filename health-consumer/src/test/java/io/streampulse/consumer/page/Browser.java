package io.streampulse.consumer.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The Chromium of this machine without a window, used as a person would. It downloads nothing:
 * {@code -Dstreampulse.chromium=} and {@code -Dstreampulse.chromedriver=} say where the two are if
 * they are elsewhere than Debian puts them.
 */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final ChromeDriver driver;

  Browser() {
    File chromium = program("streampulse.chromium", "/usr/bin/chromium");
    File chromedriver = program("streampulse.chromedriver", "/usr/bin/chromedriver");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    options.addArguments(
        "--headless=new",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-device-scale-factor=1");
    // Requests alone: the rest is much and slow to read.
    options.setExperimentalOption(
        "perfLoggingPrefs", Map.of("enableNetwork", true, "enablePage", false));
    if (System.getProperty("user.name").equals("root")) {
      // Its sandbox can't be had as root, as whom containers run.
      options.addArguments("--no-sandbox");
    }
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver)
                .usingAnyFreePort()
                .build(),
            options);
    cdp("Performance.enable", Map.of());
  }

  private static File program(String property, String usual) {
    Path path = Path.of(System.getProperty(property, usual));
    assertThat(Files.isExecutable(path))
        .as(
            "The test of the page in a browser needs the program %s, which is not there: install"
                + " chromium and chromium-driver, or say where it is with -D%s=",
            path, property)
        .isTrue();
    return path.toFile();
  }

  void open(URI uri) {
    driver.get(uri.toString());
  }

  /** Leaves the page, so that it asks for nothing more. */
  void leave() {
    driver.get("about:blank");
  }

  void reload() {
    driver.navigate().refresh();
  }

  String address() {
    return driver.getCurrentUrl();
  }

  String title() {
    return driver.getTitle();
  }

  /** A window of this size, light or dark as the system of a person may be. */
  void look(int width, int height, String scheme) {
    cdp(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    cdp(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** What a person reads there. */
  String text(String selector) {
    return find(selector).getText();
  }

  /** What a person reads in each. */
  List<String> texts(String selector) {
    List<?> texts =
        (List<?>)
            run(
                "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText.trim())",
                selector);
    return texts.stream().map(String::valueOf).toList();
  }

  boolean focusIsOn(String selector) {
    return Boolean.TRUE.equals(
        run("return document.activeElement.matches(arguments[0])", selector));
  }

  void click(String selector) {
    find(selector).click();
  }

  void press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  /** Presses a key until what has the focus matches, at most so many times. */
  void pressUntil(Keys key, String selector, int most) {
    for (int i = 0; i < most; i++) {
      press(key);
      if (focusIsOn(selector)) {
        return;
      }
    }
    throw new AssertionError("%d times %s did not reach %s".formatted(most, key.name(), selector));
  }

  void awaitText(String selector, String text) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(text(selector)).isEqualTo(text));
  }

  void awaitShown(String selector) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(all(selector)).as(selector).anyMatch(WebElement::isDisplayed));
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** Waits until what has been done to the page is on the screen. */
  void awaitFrames() {
    driver.executeAsyncScript(
        "const done = arguments[0];"
            + "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));");
  }

  /** The browser's own measures of the page; times in seconds. */
  Map<String, Double> metrics() {
    Map<String, Double> metrics = new HashMap<>();
    for (JsonNode metric : cdp("Performance.getMetrics", Map.of()).get("metrics")) {
      metrics.put(metric.get("name").asText(), metric.get("value").asDouble());
    }
    return metrics;
  }

  /** Errors on the console since it was last asked, those of the page's policy among them. */
  List<String> complaints() {
    List<String> complaints = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
      if (entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
        complaints.add(entry.getMessage());
      }
    }
    return complaints;
  }

  /** What the pages have asked for since; what their policy forbids is among the complaints. */
  List<String> requests() {
    List<String> requests = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      JsonNode message = json(entry.getMessage()).get("message");
      if (message.get("method").asText().equals("Network.requestWillBeSent")) {
        requests.add(message.at("/params/request/url").asText());
      }
    }
    return requests;
  }

  /** The whole page, also what is below the window. */
  void screenshot(Path file) throws IOException {
    awaitFrames();
    JsonNode size = cdp("Page.getLayoutMetrics", Map.of()).get("cssContentSize");
    JsonNode shot =
        cdp(
            "Page.captureScreenshot",
            Map.of(
                "captureBeyondViewport",
                true,
                "clip",
                Map.of(
                    "x",
                    0,
                    "y",
                    0,
                    "width",
                    size.get("width").asInt(),
                    "height",
                    Math.min(3000, size.get("height").asInt()),
                    "scale",
                    1)));
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(shot.get("data").asText()));
  }

  private JsonNode cdp(String command, Map<String, Object> parameters) {
    return MAPPER.valueToTree(driver.executeCdpCommand(command, parameters));
  }

  private static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
