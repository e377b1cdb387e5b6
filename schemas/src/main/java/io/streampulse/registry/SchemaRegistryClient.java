package io.streampulse.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.http.HttpCaller;
import io.streampulse.registry.RegistryException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.apache.avro.Schema;

/**
 * Asks a schema registry by Confluent's REST API, which other registries have too. Answers are
 * judged by their HTTP status. While there is none, or a 5xx or 429, the next URL is asked, and all
 * of them again after a pause, until the settings' retry time-out is over.
 *
 * <p>Every method blocks, and throws {@link RegistryException}. Thread-safe.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/develop/api.html">The
 *     API</a>
 */
public final class SchemaRegistryClient {
  private static final String JSON_TYPE = "application/vnd.schemaregistry.v1+json";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String GUIDS = "/schemas/guids/";
  private static final int LONGEST_ANSWER = 2_000_000;
  private static final int LONGEST_QUOTE = 500;

  /** More parts than a schema of ours has, however it is cut up. */
  private static final int MOST_PARTS = 100;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final RegistrySettings settings;
  private final HttpCaller http;

  /**
   * A client; connects at the first question.
   *
   * @throws RegistryException if the certificate authorities can't be read
   */
  public SchemaRegistryClient(RegistrySettings settings) {
    this.settings = settings;
    try {
      this.http =
          new HttpCaller(settings.requestTimeout(), settings.caCertificates(), LONGEST_ANSWER);
    } catch (GeneralSecurityException e) {
      throw new RegistryException(
          Kind.INVALID,
          "spark.streampulse.schema-registry.ca-file has no certificates in PEM: " + e.getMessage(),
          e);
    }
  }

  /**
   * Registers a schema under a subject; one that is registered already keeps its id, however its
   * JSON is spelt.
   *
   * @return its id
   */
  public int register(String subject, Schema schema) {
    return id(
        "register",
        subject,
        "/subjects/%s/versions?normalize=true".formatted(encoded(subject)),
        schema);
  }

  /**
   * The id of a schema that must be registered under a subject already.
   *
   * @return its id
   */
  public int lookUp(String subject, Schema schema) {
    return id(
        "look up", subject, "/subjects/%s?normalize=true".formatted(encoded(subject)), schema);
  }

  /** The schema with an id. */
  public Schema schema(int id) {
    return schema("id " + id, "/schemas/ids/" + id);
  }

  /** The schema with a globally unique id. */
  public Schema schema(UUID guid) {
    return schema("GUID " + guid, GUIDS + guid);
  }

  private int id(String what, String subject, String path, Schema schema) {
    ObjectNode body = JSON.createObjectNode().put("schema", schema.toString());
    String question = "%s the schema of subject %s".formatted(what, subject);
    return ask(
        question,
        path,
        request -> request.POST(BodyPublishers.ofString(body.toString())),
        answer -> {
          JsonNode id = answer.path("id");
          if (!id.isInt()) {
            throw noRegistry(question, "200 without an id");
          }
          return id.intValue();
        });
  }

  private Schema schema(String name, String path) {
    return parse(name, text(name, path), new Schema.Parser(), new HashSet<>());
  }

  /** The answer about a schema, which has at least its text. */
  private JsonNode text(String name, String path) {
    String question = "get the schema with " + name;
    return ask(
        question,
        path,
        HttpRequest.Builder::GET,
        answer -> {
          if (!answer.path("schema").isTextual()) {
            throw noRegistry(question, "200 without a schema");
          }
          return answer;
        });
  }

  /** A schema after those that it refers to, each of which defines a name. */
  private Schema parse(String name, JsonNode answer, Schema.Parser parser, Set<String> parts) {
    String type = answer.path("schemaType").asText("AVRO");
    if (!type.equals("AVRO")) {
      throw noAvro(name, "is " + type, null);
    }
    for (JsonNode reference : answer.path("references")) {
      String subject = reference.path("subject").asText();
      String version = reference.path("version").asText();
      if (parts.add(subject + "/" + version)) {
        if (parts.size() > MOST_PARTS) {
          throw noAvro(name, "has more than %d parts".formatted(MOST_PARTS), null);
        }
        String part = "%s (its part %s, version %s)".formatted(name, subject, version);
        String path =
            "/subjects/%s/versions/%s?deleted=true".formatted(encoded(subject), encoded(version));
        parse(part, text(part, path), parser, parts);
      }
    }
    try {
      return parser.parse(answer.path("schema").asText());
    } catch (RuntimeException | StackOverflowError e) { // NullPointerException among them
      throw noAvro(name, "is none", e);
    }
  }

  private static RegistryException noAvro(String name, String what, Throwable cause) {
    return new RegistryException(
        Kind.NOT_FOUND,
        "The schema with %s can't be read as Avro: it %s".formatted(name, what),
        cause);
  }

  private <T> T ask(
      String question,
      String path,
      Function<HttpRequest.Builder, HttpRequest.Builder> method,
      Function<JsonNode, T> read) {
    long start = System.nanoTime();
    long pause = FIRST_PAUSE.toMillis();
    while (true) {
      RegistryException away = null;
      RegistryException notThere = null;
      for (URI url : settings.urls()) {
        try {
          return read.apply(askOne(question, url, path, method));
        } catch (RegistryException e) {
          switch (e.kind()) {
            case UNAVAILABLE -> away = e;
            case NOT_FOUND -> notThere = e; // another node may know it already
            default -> throw e;
          }
        }
      }
      if (away == null) {
        throw notThere; // every node says so
      }
      long left = settings.retryTimeout().minusNanos(System.nanoTime() - start).toMillis();
      if (left <= 0) {
        throw away;
      }
      long jitter = ThreadLocalRandom.current().nextLong(pause / 2 + 1);
      sleep(Math.min(left, pause / 2 + jitter), question);
      pause = Math.min(2 * pause, LONGEST_PAUSE.toMillis());
    }
  }

  private JsonNode askOne(
      String question,
      URI url,
      String path,
      Function<HttpRequest.Builder, HttpRequest.Builder> method) {
    String base = url.toString().replaceAll("/+$", "");
    HttpRequest.Builder request =
        method
            .apply(HttpRequest.newBuilder(URI.create(base + path)))
            .header("Accept", JSON_TYPE + ", application/json")
            .header("Content-Type", JSON_TYPE);
    authorize(request);
    try {
      return judge(question, url, http.call(request));
    } catch (IOException e) {
      throw unavailable(question, url, reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable(question, url, "interrupted", e);
    }
  }

  private void authorize(HttpRequest.Builder request) {
    if (settings.basicAuth().isGiven()) {
      byte[] login = settings.basicAuth().value().getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
    } else if (settings.bearerToken().isGiven()) {
      request.header("Authorization", "Bearer " + settings.bearerToken().value());
    }
  }

  private JsonNode judge(String question, URI url, HttpResponse<byte[]> response) {
    JsonNode body = json(response.body());
    if (response.statusCode() != 200) {
      throw refusal(question, url, response, body);
    }
    if (body == null) {
      throw noRegistry(question, url + " answered 200 with what is no JSON object");
    }
    return body;
  }

  private RegistryException refusal(
      String question, URI url, HttpResponse<?> response, JsonNode body) {
    int status = response.statusCode();
    String said = said(status, body);
    return switch (status) {
      case 401 ->
          failed(
              Kind.REFUSED,
              question,
              url,
              said,
              "check spark.streampulse.schema-registry.basic-auth or .bearer-token");
      case 403 ->
          failed(
              Kind.REFUSED,
              question,
              url,
              said,
              "this login may not do it: ask for the right to read schemas, and for agents to write"
                  + " the subject (or set spark.streampulse.schema-registry.auto-register=false and"
                  + " register the schema beforehand)");
      case 404 ->
          !isAboutTheSchema(body, response.uri())
              ? noRegistry(question, "%s answered 404, and not about the schema".formatted(url))
              : failed(
                  Kind.NOT_FOUND,
                  question,
                  url,
                  said,
                  "it is not there: register it, or see whether this is the registry that the"
                      + " agents use");
      case 409 ->
          failed(
              Kind.INCOMPATIBLE,
              question,
              url,
              said,
              "the subject's compatibility rule forbids this version: see which schema was"
                  + " registered under the subject, and its rule (FULL_TRANSITIVE fits all released"
                  + " versions)");
      case 301, 302, 303, 307, 308 ->
          noRegistry(
              question,
              "%s answered %d, go to %s"
                  .formatted(
                      url,
                      status,
                      settings.blotted(response.headers().firstValue("Location").orElse("?"))));
      case 408, 421, 425, 429 -> unavailable(question, url, said, null);
      default -> {
        if (status >= 500) {
          yield unavailable(question, url, said, null);
        }
        yield body == null || !body.has("error_code")
            ? noRegistry(question, "%s answered %s".formatted(url, said))
            : failed(
                Kind.INVALID,
                question,
                url,
                said,
                "the registry does not take the request; see its own rules and mode");
      }
    };
  }

  /**
   * Whether a 404 is of a schema or subject, with a code such as 40403, and not of the path. A
   * registry that knows no GUIDs has not that path, so there it can't be told.
   */
  private static boolean isAboutTheSchema(JsonNode body, URI asked) {
    return body != null
        && body.has("error_code")
        && (body.path("error_code").asInt() / 100 == 404 || asked.getPath().contains(GUIDS));
  }

  private static JsonNode json(byte[] body) {
    try {
      JsonNode json = JSON.readTree(body);
      return json != null && json.isObject() ? json : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** The registry's words, which may quote the login. */
  private String said(int status, JsonNode body) {
    if (body == null) {
      return String.valueOf(status);
    }
    String message =
        settings.blotted(body.path("message").asText("").replaceAll("\\s+", " ").strip());
    if (message.length() > LONGEST_QUOTE) {
      message = message.substring(0, LONGEST_QUOTE) + "...";
    }
    return message.isEmpty() ? String.valueOf(status) : status + ": " + message;
  }

  private static RegistryException failed(
      Kind kind, String question, URI url, String said, String advice) {
    return new RegistryException(
        kind,
        "can't %s: the schema registry at %s answered %s; %s"
            .formatted(question, url, said, advice),
        null);
  }

  private static RegistryException unavailable(
      String question, URI url, String reason, Throwable cause) {
    return new RegistryException(
        Kind.UNAVAILABLE,
        "can't %s: the schema registry at %s does not serve: %s".formatted(question, url, reason),
        cause);
  }

  /** Perhaps a proxy's page while the registry is away, or a wrong path for good. */
  private static RegistryException noRegistry(String question, String what) {
    return new RegistryException(
        Kind.UNAVAILABLE,
        "can't %s: %s: is spark.streampulse.schema-registry.url the base of the API (Confluent: https://host:8081; Apicurio: .../apis/ccompat/v7)?"
            .formatted(question, what),
        null);
  }

  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    String said = message == null ? name : name + ": " + message;
    return failure instanceof SSLException
        ? said
            + "; trust its authority by spark.streampulse.schema-registry.ca-file, and use the"
            + " host name that its certificate has"
        : said;
  }

  private static void sleep(long millis, String question) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryException(Kind.UNAVAILABLE, "can't " + question + ": interrupted", e);
    }
  }

  private static String encoded(String subject) {
    return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
